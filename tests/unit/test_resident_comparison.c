/*
 * Executes comparisons of variables of all sizes, in registers, on the stack and at addresses, step
 * by step: results equal C's, and at each instruction the registers are those of the table.
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

/* Layout of one page: the code at 0, the two targets, a variable. */
enum { YES_AT = 512, NO_AT = 1024, DATA_AT = 2048, TRAP_FLAG = 0x100, SHOWN = 0xcd5 };
enum { FIRST_SIZE = 7, RAX_PUSHED = RESIDENT_PUSHED + 8 };

static uint8_t *page;
static greg_t begin[NGREG];
static unsigned steps, wrong;
static bool yes;

/* Index in a signal's context of each register, by DWARF number. */
static const int registers[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
				REG_R12, REG_R13, REG_R14, REG_R15};
enum { COUNT = sizeof(registers) / sizeof(*registers), RAX = 0, RBP = 6, RSP = 7 };

/* All registers have their initial values, except those that the point names. */
static void check_step(const greg_t *regs, uint64_t offset)
{
	struct resident_point point;

	resident_point_comparison(offset, true, &point);
	steps++;
	wrong += point.where != RESIDENT_BEFORE;
	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t is = (uint64_t)regs[registers[i]];

		if (i == RSP)
			is += point.pushed;
		if (i == RAX && point.pushed > RESIDENT_PUSHED)
			is = *(uint64_t *)regs[REG_RSP];
		wrong += is != (uint64_t)begin[registers[i]];
	}
	if (point.pushed >= RESIDENT_PUSHED)
		wrong += (*(uint64_t *)(regs[REG_RSP] + point.pushed - RESIDENT_PUSHED) & SHOWN) !=
			 ((uint64_t)begin[REG_EFL] & SHOWN);
}

/* At one of the two targets: resumes after the call that began the comparison. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t offset = (uint64_t)regs[REG_RIP] - (uint64_t)page;

	(void)signal, (void)info;
	if (offset == 0)
		memcpy(begin, regs, sizeof(begin));
	if (offset < RESIDENT_COMPARISON_ROOM) {
		check_step(regs, offset);
	} else if (offset == YES_AT || offset == NO_AT) {
		yes = offset == YES_AT;
		wrong += *(uint64_t *)regs[REG_RSP] != (uint64_t)begin[REG_RAX];
		regs[REG_RAX] = begin[REG_RAX];
		regs[REG_RSP] += RAX_PUSHED;
		regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		*(volatile uint8_t *)(page + offset) = 0xc3; /* ret */
	}
}

/* Calls the code with these registers. `pushed` is on the stack above the return address. */
static void execute(const uint64_t regs[COUNT], uint64_t pushed)
{
	struct {
		uint64_t regs[COUNT], code, pushed;
	} in = {.code = (uint64_t)page, .pushed = pushed};

	uint64_t at = (uint64_t)&in;

	memcpy(in.regs, regs, sizeof(in.regs));
	page[YES_AT] = page[NO_AT] = 0x90; /* nop: makes one step */
	steps = wrong = 0;
	__asm__ volatile(
		"push %%rbx\n push %%rbp\n push %%r12\n push %%r13\n push %%r14\n push %%r15\n"
		"pushq 128(%%rdi)\n pushq 136(%%rdi)\n"
		"mov 0(%%rdi), %%rax\n mov 8(%%rdi), %%rdx\n mov 16(%%rdi), %%rcx\n"
		"mov 24(%%rdi), %%rbx\n mov 32(%%rdi), %%rsi\n mov 48(%%rdi), %%rbp\n"
		"mov 64(%%rdi), %%r8\n mov 72(%%rdi), %%r9\n mov 80(%%rdi), %%r10\n"
		"mov 88(%%rdi), %%r11\n mov 96(%%rdi), %%r12\n mov 104(%%rdi), %%r13\n"
		"mov 112(%%rdi), %%r14\n mov 120(%%rdi), %%r15\n mov 40(%%rdi), %%rdi\n"
		"pushq $0x102\n popfq\n call *8(%%rsp)\n"
		"pop %%rdi\n pop %%rdi\n"
		"pop %%r15\n pop %%r14\n pop %%r13\n pop %%r12\n pop %%rbp\n pop %%rbx"
		: "+D"(at)
		:
		: "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

static int64_t as_integer(uint64_t value, unsigned size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (int8_t)value : (int64_t)(uint8_t)value;
	case 2:
		return is_signed ? (int16_t)value : (int64_t)(uint16_t)value;
	case 4:
		return is_signed ? (int32_t)value : (int64_t)(uint32_t)value;
	default:
		return (int64_t)value;
	}
}

static bool holds(int64_t value, enum resident_compare compare, int64_t constant)
{
	const bool all[] = {
		[RESIDENT_EQ] = value == constant,
		[RESIDENT_LT] =
			value<constant, [RESIDENT_LE] = value <= constant, [RESIDENT_GT] = value>
				constant,
		[RESIDENT_GE] = value >= constant,
	};

	return all[compare];
}

static const uint64_t values[] = {0,	     1,		 5,	    127,	128,
				  255,	     256,	 32767,	    32768,	65535,
				  65541,     INT32_MAX,	 1u << 31,  UINT32_MAX, (1ull << 32) + 5,
				  INT64_MAX, 1ull << 63, UINT64_MAX};
static const int64_t masks[] = {-1, 4, INT32_MAX, INT64_MIN, UINT32_MAX};
static const int64_t constants[] = {0,	   5,	      -1,	 127,	     255,	-128,
				    65535, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MIN, INT64_MAX};

static bool is_near(int64_t number)
{
	return number >= INT32_MIN && number <= INT32_MAX;
}

/* The table has the start of each instruction, and no other point. */
static void check_instructions(int length, const struct resident_comparison *test)
{
	struct arch_insn in;

	length -= is_near(test->mask) ? 0 : 8; /* constants */
	length -= is_near(test->constant) ? 0 : 8;
	for (int at = 0; at < length; at += in.length)
		assert_int_equal(
			arch_decode(page + at, (size_t)(length - at), (uint64_t)page + at, &in), 0);
}

/* Stores the value behind the test's pointers, each elsewhere in the page with its offset. */
static uint64_t put_behind(const struct resident_comparison *test, uint64_t value)
{
	for (unsigned i = test->hops; i-- > 0;) {
		uint64_t at = DATA_AT + 64 * (i + 1);

		memcpy(page + at, &value, sizeof(value));
		value = (uint64_t)page + at - (uint64_t)test->hop[i];
	}
	return value;
}

/*
 * True if the code may be too long: there is room for two hops, or for one with 64-bit constants.
 */
static bool may_be_long(const struct resident_comparison *test)
{
	return test->hops > (is_near(test->mask) && is_near(test->constant) ? 2 : 1);
}

static unsigned made;

static void check(struct resident_comparison test, uint64_t value)
{
	int length = resident_make_comparison(page, (uint64_t)page, true, &test,
					      (uint64_t)page + YES_AT, (uint64_t)page + NO_AT);
	int64_t integer = as_integer(value, test.size, test.is_signed) & test.mask;
	bool should = holds(integer, test.compare, test.constant);
	uint64_t regs[COUNT];

	if (length < 0 && may_be_long(&test))
		return;
	made++;
	assert_true(FIRST_SIZE + 1 <= length && length <= RESIDENT_COMPARISON_ROOM);
	check_instructions(length, &test);
	value = put_behind(&test, value);
	memcpy(page + DATA_AT, &value, sizeof(value));
	for (unsigned i = 0; i < COUNT; i++)
		regs[i] = 0x1122334455660000u + i * 0x101;
	if (test.kind == RESIDENT_IN_REGISTER)
		regs[test.reg] = value;
	if (test.kind == RESIDENT_AT_REGISTER)
		regs[test.reg] = (uint64_t)page + DATA_AT - (uint64_t)test.add;
	execute(regs, value);
	if (yes != should || wrong || steps < 5)
		fail_msg("kind %d, register %u, %u hops, %u bytes, signed %d, value %llx, compare "
			 "%d with %lld: %d, "
			 "%u wrong, %u steps",
			 test.kind, test.reg, test.hops, test.size, test.is_signed,
			 (unsigned long long)value, test.compare, (long long)test.constant, yes,
			 wrong, steps);
}

/* Compares each value with each constant. */
static void check_each(struct resident_comparison test, size_t nth)
{
	for (unsigned i = 0; i < 8; i++) {
		test.size = 1u << i / 2;
		test.is_signed = i % 2;
		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v += nth)
			for (size_t c = v % nth; c < sizeof(constants) / sizeof(*constants);
			     c += nth) {
				test.constant = constants[c];
				test.mask = masks[(v + 2 * c) % 5];
				test.compare = (enum resident_compare)((v + c) % 5);
				check(test, values[v]);
			}
	}
}

static void check_all(struct resident_comparison test)
{
	check_each(test, 1);
}

static void test_in_registers(void **state)
{
	(void)state;
	for (unsigned reg = 0; reg < COUNT; reg++)
		if (reg != RSP)
			check_all((struct resident_comparison){.kind = RESIDENT_IN_REGISTER,
							       .reg = reg});
}

/* Relative to rbp, at the largest distance; and to the stack pointer, which the code has moved. */
static void test_in_a_frame(void **state)
{
	(void)state;
	check_all(
		(struct resident_comparison){.kind = RESIDENT_AT_REGISTER, .reg = RBP, .add = -24});
	check_all((struct resident_comparison){
		.kind = RESIDENT_AT_REGISTER, .reg = RBP, .add = INT32_MAX});
	check_all((struct resident_comparison){.kind = RESIDENT_AT_REGISTER, .reg = RSP, .add = 8});
}

static void test_at_an_address(void **state)
{
	(void)state;
	check_all((struct resident_comparison){.kind = RESIDENT_AT_ADDRESS,
					       .add = (int64_t)(uint64_t)page + DATA_AT});
}

/* One or several pointers from any first location; small and large offsets. */
static void test_behind_pointers(void **state)
{
	static const struct resident_comparison from[] = {
		{.kind = RESIDENT_IN_REGISTER, .reg = RAX},
		{.kind = RESIDENT_IN_REGISTER, .reg = 5},
		{.kind = RESIDENT_IN_REGISTER, .reg = 12},
		{.kind = RESIDENT_AT_REGISTER, .reg = RBP, .add = -24},
		{.kind = RESIDENT_AT_REGISTER, .reg = RSP, .add = 8},
		{.kind = RESIDENT_AT_ADDRESS},
	};
	static const int64_t hops[][RESIDENT_HOPS] = {
		{0, 0, 0, 0}, {8, 16, 24, 127}, {4000, 8, 0, 40}, {128, 1000, 4088, 500}};

	(void)state;
	made = 0;
	for (size_t i = 0; i < sizeof(from) / sizeof(*from); i++)
		for (unsigned n = 1; n <= RESIDENT_HOPS; n++)
			for (size_t k = 0; k < sizeof(hops) / sizeof(*hops); k++) {
				struct resident_comparison test = from[i];

				if (test.kind == RESIDENT_AT_ADDRESS)
					test.add = (int64_t)(uint64_t)page + DATA_AT;
				test.hops = n;
				memcpy(test.hop, hops[k], sizeof(test.hop));
				check_each(test, 4);
			}
	assert_true(made >= 5000);
}

/* Rejected: out of reach, a constant of more than 32 bits, the stack pointer itself. */
static void test_not_made(void **state)
{
	const struct resident_comparison good = {
		.kind = RESIDENT_IN_REGISTER, .reg = 1, .size = 4, .mask = -1};
	struct resident_comparison test = good;
	uint64_t at = (uint64_t)page;

	(void)state;
	assert_true(resident_make_comparison(page, at, false, &test, at, at) > 0);
	assert_int_equal(resident_make_comparison(page, at, false, &test, at + (1ull << 33), at),
			 -1);
	assert_int_equal(resident_make_comparison(page, at, false, &test, at, at + (1ull << 33)),
			 -1);
	test = good;
	test.reg = RSP;
	assert_int_equal(resident_make_comparison(page, at, false, &test, at, at), -1);
	test = good;
	test.hops = 1;
	test.hop[0] = INT64_C(1) << 32;
	assert_int_equal(resident_make_comparison(page, at, false, &test, at, at), -1);
	test = good;
	test.kind = RESIDENT_AT_ADDRESS;
	test.add = (int64_t)(at + (1ull << 33));
	assert_int_equal(resident_make_comparison(page, at, false, &test, at, at), -1);
}

static int setup(void **state)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	(void)state;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	return page == MAP_FAILED || sigaction(SIGTRAP, &action, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_registers),  cmocka_unit_test(test_in_a_frame),
		cmocka_unit_test(test_at_an_address), cmocka_unit_test(test_behind_pointers),
		cmocka_unit_test(test_not_made),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
