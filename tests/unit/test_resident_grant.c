/*
 * Executes a stub for granted arrivals step by step: at each instruction the table gives the
 * original state and the stack; the log has the registers of each arrival.
 */
#include "tracer/arch/arch.h"
#include "tracer/resident/resident.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { COPY_AT = 1024, TRAP_FLAG = 0x100, ZERO = 0x40, SHOWN = 0xcd5, OBJECT = 0x1234 };
static const uint64_t patterns[] = {0x8d5, 0x000, 0x4c1, 0x814, 0x040};
static const int shown[] = {REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_R8,	 REG_R9,
			    REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static uint8_t *page;
static struct granted *granted;
static uint64_t wanted_flags, before[NGREG], returned_to;
static unsigned steps, wrong, taken, traps, by_where[RESIDENT_TRAP + 1];

/* Checks the thread's state if it were moved to the point. */
static void check_point(const greg_t *regs, const struct resident_point *point)
{
	uint64_t sp = (uint64_t)regs[REG_RSP] + point->pushed;
	uint64_t flags = (uint64_t)regs[REG_EFL], rax = (uint64_t)regs[REG_RAX];
	uint64_t rcx = (uint64_t)regs[REG_RCX], rdx = (uint64_t)regs[REG_RDX];

	if (point->pushed >= RESIDENT_PUSHED)
		flags = *(uint64_t *)(sp - RESIDENT_PUSHED);
	if (point->pushed >= GRANTED_PUSHED)
		rax = *(uint64_t *)(sp - GRANTED_PUSHED);
	if (point->pushed >= GRANTED_PUSHED + 16)
		rcx = *(uint64_t *)(sp - GRANTED_PUSHED - 16);
	if (point->pushed >= GRANTED_PUSHED + 24)
		rdx = *(uint64_t *)(sp - GRANTED_PUSHED - 24);
	wrong += (flags & SHOWN) != wanted_flags || sp != before[REG_RSP];
	wrong += rax != before[REG_RAX] || rcx != before[REG_RCX] || rdx != before[REG_RDX];
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		wrong += (uint64_t)regs[shown[i]] != before[shown[i]];
	wrong += (point->where == RESIDENT_TAKEN) != (granted->taken > taken);
	by_where[point->where]++;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t offset = (uint64_t)regs[REG_RIP] - (uint64_t)page;
	uint64_t in_common = (uint64_t)regs[REG_RIP] - (uint64_t)granted->code;
	struct resident_point point;

	(void)signal;
	if (info->si_code == SI_KERNEL) {
		traps++;
		wrong += offset != RESIDENT_AT_TRAP + ARCH_TRAP_LEN;
		regs[REG_RIP] = (greg_t)(page + COPY_AT);
		return;
	}
	if (!offset) {
		memcpy(before, regs, sizeof(before));
		returned_to = *(uint64_t *)regs[REG_RSP];
	}
	if (granted_stub_point(offset, regs[REG_EFL] & ZERO, &point) ||
	    granted_code_point(in_common, &point)) {
		steps++;
		check_point(regs, &point);
	} else {
		wrong += offset < GRANTED_STUB || in_common < sizeof(granted->code);
	}
}

/* Passes through the stub with these flags. Returns the flags after it. */
static uint64_t pass(uint64_t flags)
{
	uint64_t after;

	taken = granted->taken;
	wanted_flags = flags & SHOWN;
	__asm__ volatile("lea -256(%%rsp), %%rsp\n push %1\n popfq\n call *%2\n pushfq\n pop %0\n"
			 "pushq $2\n popfq\n lea 256(%%rsp), %%rsp"
			 : "=&r"(after)
			 : "r"((flags & SHOWN) | 2 | TRAP_FLAG), "r"(page)
			 : "memory", "cc");
	return after & SHOWN;
}

static int make(bool own)
{
	static const uint8_t lea[] = {0x48, 0x8d, 0x05, 0, 0, 0, 0}; /* rax = address after it */
	uint8_t code[sizeof(lea)];
	int32_t distance = OBJECT - (GRANTED_AT_LEA + (int)sizeof(lea));

	memcpy(code, lea, sizeof(lea));
	memcpy(code + 3, &distance, sizeof(distance));
	return granted_make(page, (uint64_t)page, (uint64_t)granted, (uint64_t)page + COPY_AT, code,
			    sizeof(code), own);
}

static int setup(void **state)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	(void)state;
	page = mmap(NULL, 4096 + GRANTED_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	granted = (void *)(page + 4096);
	page[COPY_AT] = 0xc3; /* ret */
	granted_code(granted);
	return sigaction(SIGTRAP, &action, NULL) || make(true);
}

static void begin(unsigned n)
{
	steps = wrong = traps = 0;
	memset(by_where, 0, sizeof(by_where));
	memset(granted->others, 0, sizeof(granted->others));
	granted->taken = 0;
	granted->elsewhere = n;
	granted->granted = n;
}

static void assert_written(const struct granted_arrival *a)
{
	assert_ptr_equal(a->returns, page + GRANTED_RETURNS);
	assert_ptr_equal(a->object, page + OBJECT);
	assert_int_equal(a->flags & SHOWN, wanted_flags);
	assert_int_equal(a->rsp, before[REG_RSP]);
	assert_int_equal(a->rax, before[REG_RAX]);
	assert_int_equal(a->rbx, before[REG_RBX]);
	assert_int_equal(a->rcx, before[REG_RCX]);
	assert_int_equal(a->rdx, before[REG_RDX]);
	assert_int_equal(a->rsi, before[REG_RSI]);
	assert_int_equal(a->rdi, before[REG_RDI]);
	assert_int_equal(a->rbp, before[REG_RBP]);
	assert_int_equal(a->r8, before[REG_R8]);
	assert_int_equal(a->r9, before[REG_R9]);
	assert_int_equal(a->r10, before[REG_R10]);
	assert_int_equal(a->r11, before[REG_R11]);
	assert_int_equal(a->r12, before[REG_R12]);
	assert_int_equal(a->r13, before[REG_R13]);
	assert_int_equal(a->r14, before[REG_R14]);
	assert_int_equal(a->r15, before[REG_R15]);
	assert_int_equal(a->top, returned_to);
}

/* Two arrivals are granted, the third traps. */
static void test_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		begin(2);
		for (unsigned n = 0; n < 3; n++) {
			assert_int_equal(pass(patterns[i]), patterns[i] & SHOWN);
			if (n < 2)
				assert_written(&granted->arrivals[n]);
		}
		assert_int_equal(wrong, 0);
		assert_int_equal(granted->taken, 2);
		assert_int_equal(traps, 1);
		assert_true(by_where[RESIDENT_BEFORE] > 90 && by_where[RESIDENT_TAKEN] > 15);
	}
}

/* A thread about to access another thread's next object stops, for each of the other threads. */
static void test_others(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GRANTED_OTHERS; i++) {
		begin(5);
		granted->others[i] = (uint64_t)page + OBJECT;
		pass(patterns[i % 2]);
		assert_int_equal(granted->taken, 0);
		assert_int_equal(traps, 1);
		granted->others[i]++;
		pass(patterns[i % 2]);
		assert_int_equal(granted->taken, 1);
		assert_int_equal(wrong, 0);
	}
}

/* A thread at a shared place stops if no more of those are granted. */
static void test_elsewhere(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++)
		for (unsigned elsewhere = 0; elsewhere < 3; elsewhere++) {
			assert_int_equal(make(own), 0);
			begin(5);
			granted->elsewhere = elsewhere;
			for (unsigned n = 0; n < 3; n++)
				assert_int_equal(pass(patterns[own]), patterns[own] & SHOWN);
			assert_int_equal(granted->taken, own ? 3 : elsewhere);
			assert_int_equal(granted->elsewhere, own ? elsewhere : 0);
			assert_int_equal(traps, own ? 0 : 3 - elsewhere);
			assert_int_equal(wrong, 0);
		}
}

static void test_each_instruction_of_the_stub_has_its_point(void **state)
{
	struct resident_point point;
	struct arch_insn in;

	(void)state;
	for (unsigned at = 0; at < GRANTED_STUB; at += in.length) {
		assert_int_equal(arch_decode(page + at, GRANTED_STUB - at, at, &in), 0);
		assert_true(granted_stub_point(at, false, &point));
	}
	assert_false(granted_stub_point(GRANTED_STUB, false, &point));
	assert_false(granted_code_point(sizeof(granted->code), &point));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_instruction_of_the_stub_has_its_point),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_elsewhere),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
