/* arch on bytes alone: classes, reach, refusals, and robustness against any bytes. */
#include "tracer/arch/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <time.h>

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static void check_class(const uint8_t *bytes, size_t n, enum arch_flow flow, uint64_t target)
{
	struct arch_insn in;

	assert_int_equal(arch_decode(bytes, n, 0x1000, &in), 0);
	assert_int_equal(in.length, n);
	assert_int_equal(in.flow, flow);
	assert_int_equal(in.target, target);
}

static void test_classes(void **state)
{
	(void)state;
	check_class(BYTES("\x48\x89\xe5"), ARCH_FLOW_NEXT, 0);
	check_class(BYTES("\xeb\x10"), ARCH_FLOW_JUMP, 0x1012);
	check_class(BYTES("\xe9\xfb\xff\xff\xff"), ARCH_FLOW_JUMP, 0x1000);
	check_class(BYTES("\x0f\x84\x00\x01\x00\x00"), ARCH_FLOW_BRANCH, 0x1106);
	check_class(BYTES("\x74\xfe"), ARCH_FLOW_BRANCH, 0x1000);
	check_class(BYTES("\xe2\x80"), ARCH_FLOW_BRANCH, 0xf82);
	check_class(BYTES("\xe3\x05"), ARCH_FLOW_BRANCH, 0x1007);
	check_class(BYTES("\xc7\xf8\x10\x00\x00\x00"), ARCH_FLOW_BRANCH, 0x1016); /* xbegin */
	check_class(BYTES("\xc6\xf8\x10"), ARCH_FLOW_NEXT, 0);			  /* xabort */
	check_class(BYTES("\xff\xe0"), ARCH_FLOW_JUMP_INDIRECT, 0);
	check_class(BYTES("\x3e\xff\xe0"), ARCH_FLOW_JUMP_INDIRECT, 0);
	check_class(BYTES("\xff\x2d\x00\x00\x00\x00"), ARCH_FLOW_JUMP_INDIRECT, 0); /* far */
	check_class(BYTES("\xe8\x00\x00\x00\x00"), ARCH_FLOW_CALL, 0x1005);
	check_class(BYTES("\x66\x66\x48\xe8\x00\x00\x00\x00"), ARCH_FLOW_CALL, 0x1008);
	check_class(BYTES("\xff\x15\x00\x00\x00\x00"), ARCH_FLOW_CALL_INDIRECT, 0);
	check_class(BYTES("\xc3"), ARCH_FLOW_RETURN, 0);
	check_class(BYTES("\xf3\xc3"), ARCH_FLOW_RETURN, 0);
	check_class(BYTES("\xc2\x08\x00"), ARCH_FLOW_RETURN, 0);
	check_class(BYTES("\xcb"), ARCH_FLOW_RETURN, 0);
	check_class(BYTES("\x48\xcf"), ARCH_FLOW_RETURN, 0);
	check_class(BYTES("\x0f\x0b"), ARCH_FLOW_STOP, 0);
	check_class(BYTES("\xf4"), ARCH_FLOW_STOP, 0);
	check_class(BYTES("\xcc"), ARCH_FLOW_NEXT, 0);
}

static struct arch_insn decoded(const uint8_t *bytes, size_t n)
{
	struct arch_insn in;

	assert_int_equal(arch_decode(bytes, n, 0, &in), 0);
	return in;
}

static void test_marks(void **state)
{
	struct arch_insn in;

	(void)state;
	assert_true(decoded(BYTES("\xcc")).is_trap);
	assert_false(decoded(BYTES("\xcd\x03")).is_trap);
	assert_true(decoded(BYTES("\x0f\x05")).is_syscall);
	assert_true(decoded(BYTES("\xcd\x80")).is_syscall);
	assert_false(decoded(BYTES("\xcd\x81")).is_syscall);
	assert_true(decoded(BYTES("\x90")).is_nop);
	assert_true(decoded(BYTES("\x66\x90")).is_nop);
	assert_true(decoded(BYTES("\xf3\x0f\x1e\xfa")).is_nop);
	assert_true(decoded(BYTES("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00")).is_nop);
	assert_false(decoded(BYTES("\x41\x90")).is_nop); /* xchg %eax, %r8d */
	assert_false(decoded(BYTES("\x48\x89\xc0")).is_nop);
	assert_true(decoded(BYTES("\xff\xe0")).may_be_table);
	assert_true(decoded(BYTES("\xff\x20")).may_be_table);			  /* *(%rax) */
	assert_true(decoded(BYTES("\xff\x24\xc5\x00\x10\x00\x00")).may_be_table); /* *x(,%rax,8) */
	assert_true(decoded(BYTES("\x42\xff\x24\x20")).may_be_table);		  /* *(%rax,%r12) */
	assert_false(decoded(BYTES("\xff\x60\x18")).may_be_table);		  /* *24(%rax) */
	assert_false(decoded(BYTES("\xff\x25\x00\x00\x00\x00")).may_be_table);	  /* *0(%rip) */
	assert_false(decoded(BYTES("\xff\xd0")).may_be_table);
	assert_int_equal(arch_decode(BYTES("\x06"), 0, &in), -1);	  /* not in long mode */
	assert_int_equal(arch_decode(BYTES("\xe8\x00\x00"), 0, &in), -1); /* cut off */
	assert_int_equal(arch_decode((const uint8_t *)"", 0, 0, &in), -1);
}

static void check_refused(const uint8_t *bytes, size_t n)
{
	struct arch_copy copy;
	const char *why = NULL;

	assert_int_equal(arch_relocate(bytes, n, 0x1000, 0x2000, &copy, &why), ARCH_CANNOT);
	assert_non_null(why);
}

static void test_refusals(void **state)
{
	(void)state;
	check_refused(BYTES("\x06"));
	check_refused(BYTES("\xff\x2d\x00\x00\x00\x00"));     /* far jmp */
	check_refused(BYTES("\xff\x18"));		      /* far call */
	check_refused(BYTES("\xcb"));			      /* far ret */
	check_refused(BYTES("\x48\xcf"));		      /* iretq */
	check_refused(BYTES("\x0f\x34"));		      /* sysenter */
	check_refused(BYTES("\x67\x8b\x05\x00\x00\x00\x00")); /* mov 0(%eip), %eax */
	check_refused(BYTES("\x66\xe8\x00\x00\x00\x00"));
	check_refused(BYTES("\x66\xc3"));
}

/* Relocates an instruction whose displacement or target may just fit. */
static enum arch_answer relocate(const uint8_t *bytes, size_t n, uint64_t from, uint64_t to,
				 struct arch_copy *copy)
{
	const char *why;

	return arch_relocate(bytes, n, from, to, copy, &why);
}

static void test_reach_of_operand(void **state)
{
	static const uint8_t lea[] = "\x48\x8d\x05\x10\x00\x00\x00"; /* lea 0x10(%rip), %rax */
	const uint64_t from = 0x7f0000000000;
	struct arch_copy c;
	int32_t disp;

	(void)state;
	/* to is lower: the displacement grows up to 0x7fffffff */
	assert_int_equal(relocate(lea, 7, from, from - 0x7fffffef, &c), ARCH_DONE);
	memcpy(&disp, c.code + 3, 4);
	assert_int_equal(disp, INT32_MAX);
	assert_int_equal(relocate(lea, 7, from, from - 0x7ffffff0, &c), ARCH_TOO_FAR);
	assert_int_equal(relocate(lea, 7, from, from + 0x80000010, &c), ARCH_DONE);
	memcpy(&disp, c.code + 3, 4);
	assert_int_equal(disp, INT32_MIN);
	assert_int_equal(relocate(lea, 7, from, from + 0x80000011, &c), ARCH_TOO_FAR);
	assert_int_equal(relocate(lea, 7, 0, (uint64_t)1 << 63, &c), ARCH_TOO_FAR);
	assert_int_equal(relocate(lea, 7, (uint64_t)1 << 63, 0, &c), ARCH_TOO_FAR);
}

/* Target of the copy's jump, which goes through a constant beyond 2 GiB. */
static uint64_t jump_in(const struct arch_copy *c, size_t at, uint64_t to)
{
	uint64_t target;
	struct arch_insn in;

	assert_int_equal(arch_decode(c->code + at, c->length - at, to + at, &in), 0);
	if (in.flow == ARCH_FLOW_JUMP)
		return in.target;
	assert_memory_equal(c->code + at, "\xff\x25\0\0\0\0", 6);
	memcpy(&target, c->code + at + 6, sizeof(target));
	return target;
}

static void test_reach_of_jumps(void **state)
{
	static const uint8_t jmp[] = "\xeb\x10", je[] = "\x74\x10", call[] = "\xe8\x10\0\0\0";
	const uint64_t from = 0x7f0000000000, target = from + 0x12;
	struct arch_copy c;

	(void)state;
	for (int64_t d = -2; d <= 2; d++) {
		uint64_t up = target - 0x80000000 + d, down = target + 0x80000000 + d;

		for (int i = 0; i < 2; i++) {
			uint64_t to = i ? up : down, push;
			int32_t skip;

			assert_int_equal(relocate(jmp, 2, from, to, &c), ARCH_DONE);
			assert_int_equal(jump_in(&c, 0, to), target);
			assert_int_equal(relocate(je, 2, from, to, &c), ARCH_DONE);
			assert_int_equal(c.point_count, 3);
			assert_int_equal(c.code[1], c.points[2].at - 2);
			assert_int_equal(jump_in(&c, 2, to), from + 2);
			assert_int_equal(jump_in(&c, c.points[2].at, to), target);
			assert_int_equal(relocate(call, 5, from, to, &c), ARCH_DONE);
			assert_int_equal(jump_in(&c, 6, to), from + 0x15);
			memcpy(&skip, c.code + 2, 4);
			memcpy(&push, c.code + 6 + skip, 8);
			assert_int_equal(push, from + 5);
		}
	}
	assert_int_equal(relocate(jmp, 2, from, target - 5 + 0x80000000, &c), ARCH_DONE);
	assert_int_equal(c.length, 5); /* -0x80000000 fits */
	assert_int_equal(relocate(jmp, 2, from, target - 5 + 0x80000001, &c), ARCH_DONE);
	assert_int_equal(c.length, 14);
	assert_int_equal(relocate(jmp, 2, from, target - 5 - 0x7fffffff, &c), ARCH_DONE);
	assert_int_equal(c.length, 5);
	assert_int_equal(relocate(jmp, 2, from, target - 5 - 0x80000000, &c), ARCH_DONE);
	assert_int_equal(c.length, 14);
}

static void test_body(void **state)
{
	struct arch_copy c;

	(void)state;
	assert_int_equal(relocate(BYTES("\x48\x89\xe5"), 0x1000, 0x2000, &c), ARCH_DONE);
	assert_int_equal(c.body, 3);
	assert_int_equal(c.insn_length, 3);
	assert_int_equal(arch_copy_point(&c, 0)->pc, 0x1000);
	assert_int_equal(arch_copy_point(&c, 3)->pc, 0x1003);
	assert_null(arch_copy_point(&c, 1));
	assert_int_equal(relocate(BYTES("\xcc"), 0x1000, 0x2000, &c), ARCH_DONE);
	assert_true(c.is_trap);
	assert_int_equal(relocate(BYTES("\xc3"), 0x1000, 0x2000, &c), ARCH_DONE);
	assert_int_equal(c.body, 0);
	assert_int_equal(c.insn_length, 1);
	assert_int_equal(relocate(BYTES("\xe8\x00\x00\x00\x00"), 0x1000, 0x2000, &c), ARCH_DONE);
	assert_int_equal(c.body, 0);
	assert_int_equal(arch_copy_point(&c, 6)->pc, 0x1005);
	/* xbegin: the abort handler is in the copy and jumps on */
	assert_int_equal(relocate(BYTES("\xc7\xf8\x10\x00\x00\x00"), 0x1000, 0x2000, &c),
			 ARCH_DONE);
	assert_int_equal(jump_in(&c, 6, 0x2000), 0x1006);
	assert_int_equal(decoded(c.code, 6).target, c.points[2].at);
	assert_int_equal(jump_in(&c, c.points[2].at, 0x2000), 0x1016);
}

static int no_memory(void *ctx, uint64_t addr, void *buf, size_t n)
{
	(void)ctx, (void)addr, (void)buf, (void)n;
	return -1;
}

static int no_write(void *ctx, uint64_t addr, const void *buf, size_t n)
{
	(void)ctx, (void)addr, (void)buf, (void)n;
	return -1;
}

static int wild_read(void *ctx, uint64_t addr, void *buf, size_t n)
{
	(void)ctx, (void)addr;
	memset(buf, 0xff, n);
	return 0;
}

static void check_not_emulated(const uint8_t *bytes, size_t n, const struct arch_memory *m)
{
	struct arch_regs regs, before;

	memset(&regs, 0x5a, sizeof(regs));
	before = regs;
	assert_false(arch_emulate(bytes, n, 0x1000, &regs, m));
	assert_memory_equal(&regs, &before, sizeof(regs));
}

static void test_not_emulated(void **state)
{
	struct arch_memory none = {no_memory, no_write, NULL}, wild = {wild_read, no_write, NULL};

	(void)state;
	check_not_emulated(BYTES("\xc3"), &none);
	check_not_emulated(BYTES("\xc3"), &wild); /* returns to a non-canonical address */
	check_not_emulated(BYTES("\xcb"), &wild);
	check_not_emulated(BYTES("\x50"), &none);
	check_not_emulated(BYTES("\x66\x50"), &none);
	check_not_emulated(BYTES("\x6a\x05"), &wild);
	check_not_emulated(BYTES("\x48\x89\xe5"), &wild);
	check_not_emulated(BYTES("\xcc"), &wild);
	check_not_emulated(BYTES("\x06"), &wild);
	check_not_emulated(BYTES("\x74\x00"), &wild);
	check_not_emulated(BYTES("\xe9\x00\x00\x00\x80"), &wild); /* below zero */
}

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t rnd(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Each point begins an instruction, and exactly one instruction lies between two points. */
static void check_shape(const struct arch_copy *c, uint64_t from, uint64_t to)
{
	struct arch_insn in;

	assert_true(c->length <= ARCH_COPY_MAX && c->point_count >= 1 && c->point_count <= 5);
	assert_true(c->points[0].at == 0 && c->points[0].sp == 0 && c->points[0].pc == from);
	for (size_t i = 0; i < c->point_count; i++) {
		const struct arch_point *p = &c->points[i];

		assert_true(p->at < c->length);
		assert_int_equal(arch_decode(c->code + p->at, c->length - p->at, to + p->at, &in),
				 0);
		if (i + 1 < c->point_count && in.flow != ARCH_FLOW_JUMP &&
		    in.flow != ARCH_FLOW_JUMP_INDIRECT)
			assert_int_equal(p->at + in.length, c->points[i + 1].at);
	}
}

static void fuzz_one(const uint8_t *bytes, size_t n, size_t *done)
{
	struct arch_memory wild = {wild_read, no_write, NULL};
	uint64_t from = rnd(), to = from + (int32_t)rnd(), target;
	struct arch_regs regs = {0};
	struct arch_insn in;
	struct arch_copy copy;
	const char *why;
	bool valid = arch_decode(bytes, n, from, &in) == 0;
	enum arch_answer answer = arch_relocate(bytes, n, from, to, &copy, &why);

	if (valid)
		assert_true(in.length >= 1 && in.length <= n && in.length <= ARCH_INSN_MAX);
	else
		assert_int_equal(answer, ARCH_CANNOT);
	if (answer != ARCH_DONE)
		assert_non_null(why);
	else
		check_shape(&copy, from, to);
	*done += answer == ARCH_DONE;
	arch_jump_target(bytes, n, from, &regs, wild_read, NULL, &target);
	arch_emulate(bytes, n, from, &regs, &wild);
}

static void test_fuzz(void **state)
{
	/* starts of mutations, so that branches and prefixes are frequent */
	static const uint8_t seeds[][4] = {{0xff},	 {0xff, 0x15}, {0xe8},	     {0x0f, 0x84},
					   {0x66, 0xe9}, {0x67},       {0xf2},	     {0x48, 0xff},
					   {0xc5},	 {0x62},       {0x3e, 0xff}, {0xc7, 0xf8},
					   {0x41, 0xff}, {0xe2},       {0x67, 0xe3}};
	const size_t seed_count = sizeof(seeds) / sizeof(*seeds);
	uint8_t *end = (uint8_t *)malloc(16) + 16; /* a sanitizer sees reads after it */
	clock_t stop = clock() + 3 * CLOCKS_PER_SEC / 2;
	size_t tries = 0, done = 0;

	(void)state;
	for (; tries % 1024 || clock() < stop; tries++) {
		size_t n = 1 + rnd() % 16;
		uint64_t words[2] = {rnd(), rnd()};

		memcpy(end - n, words, n);
		if (rnd() % 2)
			memcpy(end - n, seeds[rnd() % seed_count], n < 2 ? n : 2);
		fuzz_one(end - n, n, &done);
	}
	free(end - 16);
	print_message("%zu inputs, %zu copies\n", tries, done);
	assert_true(tries > 10000 && done > tries / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),	       cmocka_unit_test(test_marks),
		cmocka_unit_test(test_refusals),       cmocka_unit_test(test_reach_of_operand),
		cmocka_unit_test(test_reach_of_jumps), cmocka_unit_test(test_body),
		cmocka_unit_test(test_not_emulated),   cmocka_unit_test(test_fuzz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
