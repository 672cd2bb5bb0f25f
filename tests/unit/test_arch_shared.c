/* Memory accesses of instructions, for the race detector: from their bytes, and with registers. */
#include "tracer/arch/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP };
enum { ADDR = 0x401000, DOWN = 1 << 10 };

static unsigned own_of(bool framed)
{
	return framed ? ARCH_OWN_SP | ARCH_OWN_FP : ARCH_OWN_SP;
}

/* Expected accesses: "r", "w", "rw", followed by "!" if atomic; "" for none that is shared. */
static void check(const uint8_t *bytes, size_t n, bool framed, const char *expected)
{
	struct arch_shared s;
	char text[4] = "";

	assert_int_equal(arch_shared(bytes, n, ADDR, own_of(framed), &s), 0);
	assert_int_equal(s.length, n);
	snprintf(text, sizeof(text), "%s%s%s", s.reads ? "r" : "", s.writes ? "w" : "",
		 s.atomic ? "!" : "");
	assert_string_equal(text, expected);
}

static void test_plain(void **state)
{
	(void)state;
	check(BYTES("\x8b\x08"), false, "r");		      /* mov (%rax),%ecx */
	check(BYTES("\x89\x4c\x8b\x08"), false, "w");	      /* mov %ecx,8(%rbx,%rcx,4) */
	check(BYTES("\x83\x00\x01"), false, "rw");	      /* addl $1,(%rax) */
	check(BYTES("\x83\x38\x00"), false, "r");	      /* cmpl $0,(%rax) */
	check(BYTES("\x0f\x11\x07"), false, "w");	      /* movups %xmm0,(%rdi) */
	check(BYTES("\xc5\xfc\x11\x07"), false, "w");	      /* vmovups %ymm0,(%rdi) */
	check(BYTES("\xdb\x38"), false, "w");		      /* fstpt (%rax) */
	check(BYTES("\xf3\x48\xa5"), false, "rw");	      /* rep movsq */
	check(BYTES("\xf3\xab"), false, "w");		      /* rep stosl */
	check(BYTES("\xf2\xae"), false, "r");		      /* repne scasb */
	check(BYTES("\xc4\xe2\x71\x92\x04\x90"), false, "r"); /* vgatherdps */
	check(BYTES("\x48\x89\xc8"), false, "");	      /* mov %rcx,%rax */
	check(BYTES("\x48\x8d\x08"), false, "");	      /* lea (%rax),%rcx */
	check(BYTES("\x0f\x1f\x00"), false, "");	      /* nopl (%rax) */
	check(BYTES("\x0f\x18\x08"), false, "");	      /* prefetcht0 (%rax) */
	check(BYTES("\x0f\xae\x38"), false, "");	      /* clflush (%rax) */
}

/* Only direct offsets are private: an indexed operand may be an array passed to others. */
static void test_stack(void **state)
{
	(void)state;
	check(BYTES("\x48\x8b\x44\x24\x08"), false, ""); /* mov 8(%rsp),%rax */
	check(BYTES("\x48\x8b\x04\xcc"), true, "r");	 /* mov (%rsp,%rcx,8),%rax */
	check(BYTES("\x48\x89\x45\xf8"), true, "");	 /* mov %rax,-8(%rbp) */
	check(BYTES("\x48\x89\x45\xf8"), false, "w");	 /* rbp is a pointer like any other */
	check(BYTES("\x48\x8b\x44\xcd\xf0"), true, "r"); /* mov -16(%rbp,%rcx,8),%rax */
	check(BYTES("\x50"), false, "");		 /* push %rax */
	check(BYTES("\x58"), false, "");		 /* pop %rax */
	check(BYTES("\xff\x30"), false, "r");		 /* push (%rax) */
	check(BYTES("\x8f\x00"), false, "w");		 /* pop (%rax) */
	check(BYTES("\xe8\x00\x00\x00\x00"), false, ""); /* call */
	check(BYTES("\xff\x50\x08"), false, "r");	 /* call *8(%rax) */
	check(BYTES("\xc3"), false, "");		 /* ret */
	check(BYTES("\xc9"), false, "");		 /* leave */
	check(BYTES("\xc8\x08\x00\x00"), false, "");	 /* enter $8,$0 */
	check(BYTES("\x64\x48\x8b\x04\x25\x28\0\0\0"), false, ""); /* mov %fs:0x28,%rax */
	check(BYTES("\x64\x48\x89\x03"), false, "");		   /* mov %rax,%fs:(%rbx) */
	check(BYTES("\x65\x48\x8b\x03"), false, "");		   /* mov %gs:(%rbx),%rax */
}

static void check_update(const uint8_t *bytes, size_t n, bool expected)
{
	struct arch_shared s;

	assert_int_equal(arch_shared(bytes, n, ADDR, ARCH_OWN_SP, &s), 0);
	assert_int_equal(s.updates, expected);
}

/* One operand that is read and written, without a lock prefix. */
static void test_updates(void **state)
{
	(void)state;
	check_update(BYTES("\x83\x00\x01"), true);	    /* addl $1,(%rax) */
	check_update(BYTES("\xff\x00"), true);		    /* incl (%rax) */
	check_update(BYTES("\xf6\x18"), true);		    /* negb (%rax) */
	check_update(BYTES("\x48\xd1\x20"), true);	    /* shlq (%rax) */
	check_update(BYTES("\x0f\xc1\x08"), true);	    /* xadd %ecx,(%rax) */
	check_update(BYTES("\x0f\xb1\x08"), true);	    /* cmpxchg %ecx,(%rax) */
	check_update(BYTES("\xf0\x83\x00\x01"), false);	    /* lock addl $1,(%rax) */
	check_update(BYTES("\x87\x08"), false);		    /* xchg %ecx,(%rax) */
	check_update(BYTES("\x03\x08"), false);		    /* add (%rax),%ecx */
	check_update(BYTES("\x89\x08"), false);		    /* mov %ecx,(%rax) */
	check_update(BYTES("\xf3\x48\xa5"), false);	    /* rep movsq: two operands */
	check_update(BYTES("\x0f\xab\x08"), false);	    /* bts %ecx,(%rax) */
	check_update(BYTES("\x83\x44\x24\x08\x01"), false); /* addl $1,8(%rsp) */
}

static void test_atomic(void **state)
{
	(void)state;
	check(BYTES("\xf0\xff\x00"), false, "rw!");	       /* lock incl (%rax) */
	check(BYTES("\xf0\x48\x0f\xc7\x0e"), false, "rw!");    /* lock cmpxchg16b (%rsi) */
	check(BYTES("\x0f\xb1\x08"), false, "rw");	       /* cmpxchg without lock */
	check(BYTES("\x87\x03"), false, "rw!");		       /* xchg %eax,(%rbx) */
	check(BYTES("\x93"), false, "");		       /* xchg %eax,%ebx */
	check(BYTES("\xf0\x83\x45\xfc\x01"), true, "rw!");     /* lock addl $1,-4(%rbp) */
	check(BYTES("\xf0\x83\x44\x24\x04\x01"), true, "rw!"); /* lock addl $1,4(%rsp) */
	check(BYTES("\xf0\x83\x0c\x24\x00"), false, "");       /* lock orl $0,(%rsp): a fence */
	check(BYTES("\xf0\x48\x83\x0c\x24\x00"), false, "");   /* lock orq $0,(%rsp) */
	check(BYTES("\xf0\x83\x4c\x24\xc0\x00"), false, "");   /* lock orl $0,-64(%rsp) */
	check(BYTES("\xf0\x83\x08\x00"), false, "rw!");	       /* lock orl $0,(%rax): a read */
}

/* "rsp+8", "rbp-8"; preceded by "&" if the address is taken; "" for none. */
static void check_slot(const uint8_t *bytes, size_t n, unsigned own, const char *expected)
{
	struct arch_shared s;
	char text[40] = "";

	assert_int_equal(arch_shared(bytes, n, ADDR, own, &s), 0);
	if (s.slot.base != ARCH_NO_REGISTER)
		snprintf(text, sizeof(text), "%s%s%+d", s.slot.to == ARCH_NO_REGISTER ? "" : "&",
			 s.slot.base == ARCH_DWARF_SP ? "rsp" : "rbp", (int)s.slot.offset);
	assert_string_equal(text, expected);
}

static void test_slots(void **state)
{
	const unsigned both = ARCH_OWN_SP | ARCH_OWN_FP;

	(void)state;
	check_slot(BYTES("\x48\x8b\x44\x24\x08"), both, "rsp+8"); /* mov 8(%rsp),%rax */
	check_slot(BYTES("\x48\x89\x45\xf8"), both, "rbp-8");	  /* mov %rax,-8(%rbp) */
	check_slot(BYTES("\x48\x89\x45\xf8"), 0, "rbp-8");
	check_slot(BYTES("\xff\x74\x24\x08"), both, "rsp+8");	    /* push 8(%rsp) */
	check_slot(BYTES("\x87\x04\x24"), both, "rsp+0");	    /* xchg %eax,(%rsp) */
	check_slot(BYTES("\x48\x8b\x04\xcc"), both, "");	    /* mov (%rsp,%rcx,8),%rax */
	check_slot(BYTES("\x50"), both, "");			    /* push %rax */
	check_slot(BYTES("\x48\x8b\x00"), both, "");		    /* mov (%rax),%rax */
	check_slot(BYTES("\x48\x8d\x7d\xf4"), both, "&rbp-12");	    /* lea -12(%rbp),%rdi */
	check_slot(BYTES("\x48\x8d\x7c\x24\x0c"), both, "&rsp+12"); /* lea 12(%rsp),%rdi */
	check_slot(BYTES("\x48\x8d\x04\xcc"), both, "&rsp+0");	    /* lea (%rsp,%rcx,8),%rax */
	check_slot(BYTES("\x48\x89\xe7"), both, "&rsp+0");	    /* mov %rsp,%rdi */
	check_slot(BYTES("\x48\x89\xc7"), both, "");		    /* mov %rax,%rdi */
	check_slot(BYTES("\x48\x8d\x05\x10\0\0\0"), both, "");	    /* lea 0x10(%rip),%rax */
}

/* No slot is private to the function; a fence remains a fence. */
static void test_given_away(void **state)
{
	struct arch_shared s;

	(void)state;
	assert_int_equal(arch_shared(BYTES("\x48\x8b\x44\x24\x08"), ADDR, 0, &s), 0);
	assert_true(s.reads && !s.writes && !s.atomic);
	assert_int_equal(arch_shared(BYTES("\x48\x89\x45\xf8"), ADDR, 0, &s), 0);
	assert_true(s.writes && !s.reads);
	assert_int_equal(arch_shared(BYTES("\xf0\x83\x0c\x24\x00"), ADDR, 0, &s), 0);
	assert_false(s.reads || s.writes || s.atomic);
	assert_int_equal(arch_shared(BYTES("\x50"), ADDR, 0, &s), 0);
	assert_false(s.reads || s.writes);
}

static struct arch_shared shared(const uint8_t *bytes, size_t n)
{
	struct arch_shared s;

	assert_int_equal(arch_shared(bytes, n, ADDR, ARCH_OWN_SP, &s), 0);
	return s;
}

static void test_fixed_and_pause(void **state)
{
	struct arch_shared s;

	(void)state;
	assert_true(shared(BYTES("\xf3\x90")).pauses);
	assert_false(shared(BYTES("\x90")).pauses);
	/* mov 0x10(%rip),%eax; movl $1,0x10(%rip); mov 0x1000,%eax; pushq 0x10(%rip) */
	assert_int_equal(shared(BYTES("\x8b\x05\x10\0\0\0")).fixed, ADDR + 6 + 0x10);
	assert_int_equal(shared(BYTES("\xc7\x05\x10\0\0\0\x01\0\0\0")).fixed, ADDR + 10 + 0x10);
	assert_int_equal(shared(BYTES("\x8b\x04\x25\x00\x10\0\0")).fixed, 0x1000);
	assert_int_equal(shared(BYTES("\xff\x35\x10\0\0\0")).fixed, ADDR + 6 + 0x10);
	/* mov (%rax),%ecx; mov 0x1000(,%rcx,8),%rax; movsb; lea 0x10(%rip),%rax */
	assert_int_equal(shared(BYTES("\x8b\x08")).fixed, 0);
	assert_int_equal(shared(BYTES("\x48\x8b\x04\xcd\x00\x10\0\0")).fixed, 0);
	assert_int_equal(shared(BYTES("\xa4")).fixed, 0);
	assert_int_equal(shared(BYTES("\x48\x8d\x05\x10\0\0\0")).fixed, 0);
	assert_int_equal(arch_shared(BYTES("\x06"), ADDR, ARCH_OWN_SP, &s), -1);
	assert_int_equal(arch_shared((const uint8_t *)"", 0, ADDR, ARCH_OWN_SP, &s), -1);
}

/* ---- with registers ------------------------------------------------------------------------- */

static struct arch_regs regs;

static int set_registers(void **state)
{
	(void)state;
	memset(&regs, 0, sizeof(regs));
	regs.fs_base = 0x7f0000000000;
	regs.dwarf[RAX] = 0xaaaa0000aa00;
	regs.dwarf[RBX] = 0x1000;
	regs.dwarf[RCX] = 3;
	regs.dwarf[RSI] = 0x2000;
	regs.dwarf[RDI] = 0x3000;
	regs.dwarf[RBP] = 0x8000;
	regs.dwarf[RSP] = 0x7000;
	return 0;
}

struct wanted {
	uint64_t address, size;
	const char *how;
};

static void check_all(const uint8_t *bytes, size_t n, const struct wanted *wanted, size_t count)
{
	struct arch_access found[ARCH_ACCESSES_MAX];

	assert_int_equal(
		arch_accesses(bytes, n, ADDR, own_of(true), &regs, found, ARCH_ACCESSES_MAX),
		count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(found[i].address, wanted[i].address);
		assert_int_equal(found[i].size, wanted[i].size);
		assert_int_equal(found[i].reads, strchr(wanted[i].how, 'r') != NULL);
		assert_int_equal(found[i].writes, strchr(wanted[i].how, 'w') != NULL);
	}
}

#define CHECK(text, ...)                                                                           \
	check_all(BYTES(text), (const struct wanted[]){__VA_ARGS__},                               \
		  sizeof((const struct wanted[]){__VA_ARGS__}) / sizeof(struct wanted))

static void test_addresses(void **state)
{
	(void)state;
	CHECK("\x8b\x08", {0xaaaa0000aa00, 4, "r"});	      /* mov (%rax),%ecx */
	CHECK("\x89\x4c\x8b\x08", {0x1000 + 12 + 8, 4, "w"}); /* mov %ecx,8(%rbx,%rcx,4) */
	CHECK("\x48\x8b\x04\xcc", {0x7000 + 24, 8, "r"});     /* mov (%rsp,%rcx,8),%rax */
	CHECK("\x48\x8b\x44\xcd\xf0", {0x8000 + 8, 8, "r"});  /* mov -16(%rbp,%rcx,8),%rax */
	CHECK("\xc5\xfc\x11\x07", {0x3000, 32, "w"});	      /* vmovups %ymm0,(%rdi) */
	CHECK("\x8b\x05\x10\0\0\0", {ADDR + 6 + 0x10, 4, "r"});
	CHECK("\x67\x8b\x08", {0x0000aa00, 4, "r"});	      /* mov (%eax),%ecx */
	CHECK("\x0f\xb1\x08", {0xaaaa0000aa00, 4, "rw"});     /* cmpxchg %ecx,(%rax) */
	CHECK("\xf0\x48\x0f\xc7\x0e", {0x2000, 16, "rw"});    /* lock cmpxchg16b (%rsi) */
	CHECK("\xf0\x83\x45\xfc\x01", {0x8000 - 4, 4, "rw"}); /* lock addl $1,-4(%rbp) */
	/* push (%rbx): not the pushed memory */
	CHECK("\xff\x33", {0x1000, 8, "r"});
	CHECK("\x8f\x03", {0x1000, 8, "w"});	 /* pop (%rbx) */
	CHECK("\xff\x53\x08", {0x1008, 8, "r"}); /* call *8(%rbx) */
}

static void test_strings(void **state)
{
	(void)state;
	CHECK("\xa4", {0x3000, 1, "w"}, {0x2000, 1, "r"});	     /* movsb */
	CHECK("\xf3\x48\xa5", {0x3000, 24, "w"}, {0x2000, 24, "r"}); /* rep movsq */
	CHECK("\xf3\xab", {0x3000, 12, "w"});			     /* rep stosl */
	CHECK("\x48\xad", {0x2000, 8, "r"});			     /* lodsq */
	/* repe cmpsw, repne scasb may end early: only the first element is certain. */
	CHECK("\x66\xf3\xa7", {0x2000, 2, "r"}, {0x3000, 2, "r"});
	CHECK("\xf2\xae", {0x3000, 1, "r"});
	regs.flags = DOWN;
	CHECK("\xf3\x48\xa5", {0x3000 - 16, 24, "w"}, {0x2000 - 16, 24, "r"});
	CHECK("\xa4", {0x3000, 1, "w"}, {0x2000, 1, "r"});
	CHECK("\xf2\xae", {0x3000, 1, "r"});
	regs.flags = 0;
	regs.dwarf[RCX] = 0x100000002; /* addr32 rep stosb counts in ecx */
	CHECK("\x67\xf3\xaa", {0x3000, 2, "w"});
}

static void check_none(const uint8_t *bytes, size_t n)
{
	struct arch_access found[ARCH_ACCESSES_MAX];

	assert_int_equal(
		arch_accesses(bytes, n, ADDR, own_of(true), &regs, found, ARCH_ACCESSES_MAX), 0);
}

static void test_none(void **state)
{
	(void)state;
	check_none(BYTES("\x06"));
	check_none(BYTES("\x48\x89\x45\xf8"));	       /* mov %rax,-8(%rbp) */
	check_none(BYTES("\x64\x48\x89\x03"));	       /* mov %rax,%fs:(%rbx) */
	check_none(BYTES("\x50"));		       /* push %rax */
	check_none(BYTES("\xc4\xe2\x71\x92\x04\x90")); /* vgatherdps */
	regs.dwarf[RCX] = 0;
	check_none(BYTES("\xf3\x48\xa5")); /* rep movsq, no element */
	check_none(BYTES("\xf2\xae"));
}

/* arch_shared and arch_accesses agree on any bytes, and are robust against them. */
static void test_agree(void **state)
{
	static const uint8_t starts[][2] = {{0x48, 0x8b}, {0xf0, 0x0f}, {0xf3, 0xa5}, {0x0f, 0x11},
					    {0xc5, 0xfc}, {0x62, 0xf1}, {0x64, 0x89}, {0x67, 0xf3}};
	struct arch_access found[ARCH_ACCESSES_MAX];
	uint64_t random = 0x9e3779b97f4a7c15;
	unsigned decoded = 0, with = 0;

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		uint8_t bytes[ARCH_INSN_MAX];
		struct arch_shared s;
		bool framed = i % 2, reads = false, writes = false;
		size_t n;

		for (size_t k = 0; k < sizeof(bytes); k++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			bytes[k] = (uint8_t)(random >> 56);
		}
		if (i % 3)
			memcpy(bytes, starts[i / 3 % 8], 2);
		n = arch_accesses(bytes, sizeof(bytes), ADDR, own_of(framed), &regs, found,
				  ARCH_ACCESSES_MAX);
		if (arch_shared(bytes, sizeof(bytes), ADDR, own_of(framed), &s) < 0) {
			assert_int_equal(n, 0);
			continue;
		}
		for (size_t k = 0; k < n; k++) {
			assert_true(found[k].size > 0);
			reads |= found[k].reads;
			writes |= found[k].writes;
		}
		assert_true(s.reads >= reads && s.writes >= writes);
		assert_true(!n || !s.fixed || found[0].address == s.fixed);
		decoded++;
		with += n > 0;
	}
	assert_true(decoded > 100000 && with > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_atomic),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_given_away),
		cmocka_unit_test(test_fixed_and_pause),
		cmocka_unit_test_setup(test_addresses, set_registers),
		cmocka_unit_test_setup(test_strings, set_registers),
		cmocka_unit_test_setup(test_none, set_registers),
		cmocka_unit_test_setup(test_agree, set_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
