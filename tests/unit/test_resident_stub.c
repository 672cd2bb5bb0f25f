/*
 * Executes a stub step by step: at each instruction the table gives the original state, the stack,
 * and whether the thread has arrived.
 */
#include "tracer/arch/arch.h"
#include "tracer/resident/resident.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { COUNT_AT = 2048, COPY_AT = 1024, TRAP_FLAG = 0x100, SIGN = 0x80, SHOWN = 0xcd5 };
static const uint64_t patterns[] = {0x8d5, 0x000, 0x4c1, 0x814};

static uint8_t *page;
static uint64_t wanted_flags, wanted_sp, wanted_rax;
static bool for_others; /* the stub is for all other threads */
static unsigned steps, wrong, taken, traps;

static struct resident_count *count(void)
{
	return (void *)(page + COUNT_AT);
}

/* Checks the thread's state if it were moved to the point. */
static void check_step(const greg_t *regs, uint64_t offset)
{
	uint64_t flags = (uint64_t)regs[REG_EFL], sp = (uint64_t)regs[REG_RSP];
	struct resident_point point;

	uint64_t jumps = for_others ? 43 : 25, vain = for_others ? 48 : 30,
		 branches = for_others ? 31 : 14;
	uint64_t rax = (uint64_t)regs[REG_RAX];

	steps++;
	if (!(for_others ? resident_point_for_others : resident_point)(offset, flags & SIGN,
								       &point)) {
		wrong++;
		return;
	}
	if (point.pushed >= RESIDENT_PUSHED)
		flags = *(uint64_t *)(sp + point.pushed - RESIDENT_PUSHED);
	if (point.pushed > RESIDENT_PUSHED)
		rax = *(uint64_t *)sp;
	wrong += (flags & SHOWN) != wanted_flags || rax != wanted_rax;
	wrong += sp + point.pushed != wanted_sp;
	taken += offset == jumps;
	wrong += offset == jumps && point.where != RESIDENT_TAKEN;
	wrong += (offset == vain) != (point.where == RESIDENT_VAIN) && offset != branches;
}

static uint64_t size_of_stub(void)
{
	return for_others ? RESIDENT_STUB_FOR_OTHERS : RESIDENT_STUB;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t offset = (uint64_t)regs[REG_RIP] - (uint64_t)page;

	(void)signal;
	if (info->si_code == SI_KERNEL) {
		traps++;
		wrong += offset != (for_others ? RESIDENT_AT_TRAP_FOR_OTHERS : RESIDENT_AT_TRAP) +
					   ARCH_TRAP_LEN;
		regs[REG_RIP] = (greg_t)(page + COPY_AT);
	} else if (offset < size_of_stub()) {
		if (!offset) {
			wanted_sp = (uint64_t)regs[REG_RSP];
			wanted_rax = (uint64_t)regs[REG_RAX];
		}
		check_step(regs, offset);
	}
}

/* Passes through the stub with these flags. Returns the flags after it. */
static uint64_t pass(uint64_t flags)
{
	uint64_t after;

	wanted_flags = flags & SHOWN;
	__asm__ volatile("lea -256(%%rsp), %%rsp\n push %1\n popfq\n call *%2\n pushfq\n pop %0\n"
			 "pushq $2\n popfq\n lea 256(%%rsp), %%rsp"
			 : "=&r"(after)
			 : "r"((flags & SHOWN) | 2 | TRAP_FLAG), "r"(page)
			 : "memory", "cc");
	return after & SHOWN;
}

static int setup(void **state)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	(void)state;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	page[COPY_AT] = 0xc3; /* ret */
	return sigaction(SIGTRAP, &action, NULL) ||
	       resident_make(page, (uint64_t)page, (uint64_t)page + COUNT_AT,
			     (uint64_t)page + COPY_AT);
}

static void test_each_instruction_has_its_point(void **state)
{
	struct resident_point point;
	struct arch_insn in;
	bool begins[RESIDENT_STUB] = {false};

	(void)state;
	for (unsigned at = 0; at < RESIDENT_STUB; at += in.length) {
		assert_int_equal(arch_decode(page + at, RESIDENT_STUB - at, at, &in), 0);
		begins[at] = true;
	}
	for (unsigned at = 0; at < RESIDENT_STUB; at++)
		assert_int_equal(resident_point(at, false, &point), begins[at]);
}

/*
 * The named thread traps, whatever is left; all other threads take from the counter while it lasts.
 */
static void test_for_others(void **state)
{
	uint32_t me = (uint32_t)(uintptr_t)pthread_self(); /* glibc: the word at %fs:0 */
	struct resident_point point;
	struct arch_insn in;

	(void)state;
	for_others = true;
	assert_int_equal(resident_make_for_others(page, (uint64_t)page, (uint64_t)page + COUNT_AT,
						  (uint64_t)page + COPY_AT),
			 0);
	for (unsigned at = 0; at < RESIDENT_STUB_FOR_OTHERS; at += in.length) {
		assert_int_equal(arch_decode(page + at, RESIDENT_STUB_FOR_OTHERS - at, at, &in), 0);
		assert_true(resident_point_for_others(at, false, &point));
	}
	/* comparisons of variables continue at RESIDENT_TAKES */
	assert_true(resident_point_for_others(RESIDENT_TAKES, false, &point));
	assert_true(point.where == RESIDENT_BEFORE && point.pushed == RESIDENT_PUSHED + 8);
	assert_true(resident_point_for_others(RESIDENT_TRAPS, false, &point));
	assert_true(point.where == RESIDENT_TRAP && point.pushed == RESIDENT_PUSHED + 8);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		steps = wrong = taken = traps = 0;
		assert_true(resident_give(count(), 2));
		count()->only = me;
		assert_int_equal(pass(patterns[i]), patterns[i] & SHOWN);
		assert_int_equal(resident_left(count()), 2);
		assert_int_equal(traps, 1);
		count()->only = me + 64;
		for (int n = 0; n < 3; n++)
			assert_int_equal(pass(patterns[i]), patterns[i] & SHOWN);
		assert_int_equal(wrong, 0);
		assert_int_equal(taken, 2);
		assert_int_equal(traps, 2);
		assert_int_equal(steps, 11 + 14 + 14 + 15);
		assert_int_equal(resident_left(count()), 0);
	}
	for_others = false;
	assert_int_equal(setup(state), 0);
}

static void test_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		steps = wrong = taken = traps = 0;
		assert_true(resident_give(count(), 2));
		for (int n = 0; n < 3; n++)
			assert_int_equal(pass(patterns[i]), patterns[i] & SHOWN);
		assert_int_equal(wrong, 0);
		assert_int_equal(taken, 2);
		assert_int_equal(traps, 1);
		assert_int_equal(steps, 7 + 7 + 8);
		assert_int_equal(resident_left(count()), 0);
	}
}

static void test_count(void **state)
{
	struct resident_count c = {0};

	(void)state;
	assert_true(resident_give(&c, 5));
	assert_int_equal(resident_left(&c), 5);
	assert_int_equal(resident_reclaim(&c), 5);
	assert_int_equal(resident_reclaim(&c), 0);
	c.left = -1; /* a thread found the counter empty and is still inside */
	assert_false(resident_give(&c, 5));
	assert_int_equal(resident_left(&c), 0);
	assert_int_equal(resident_reclaim(&c), 0);
	resident_put_back(&c);
	assert_true(resident_give(&c, 5));
	assert_int_equal(resident_left(&c), 5);
}

static void test_out_of_reach(void **state)
{
	uint8_t code[RESIDENT_STUB];

	(void)state;
	assert_int_equal(resident_jump(code, 0x1000, 0x1000 + (1ull << 31)), 0);
	assert_int_equal(resident_jump(code, 0x1000, 0x1010 + (1ull << 31)), -1);
	assert_int_equal(resident_make(code, 0x1000, 1ull << 33, 0x2000), -1);
	assert_int_equal(resident_make(code, 0x1000, 0x3000, 1ull << 33), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_instruction_has_its_point),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_for_others),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_out_of_reach),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
