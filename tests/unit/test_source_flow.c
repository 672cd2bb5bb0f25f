/*
 * Control flow of functions in assembler, in the shapes that compilers give to statements: starts
 * that need a trap, exits of statements, returns of functions.
 */
#include "flow_code.h"
#include "flow_definition.h"

/* clang-format off */
/* gcc -O0: for (i = 0; i < n; i++) body;   two blocks, the second is increment and condition */
CODE("ff_for", "push %rbp\n .globl ff_for_init\n ff_for_init: movl $0, -4(%rbp)\n jmp 2f\n"
     ".globl ff_for_body\n ff_for_body: call ff_leaf\n"
     ".globl ff_for_inc\n ff_for_inc: addl $1, -4(%rbp)\n"
     "2: .globl ff_for_cond\n ff_for_cond: cmpl $9, -4(%rbp)\n jle ff_for_body\n"
     ".globl ff_for_out\n ff_for_out: pop %rbp\n"
     ".globl ff_for_ret\n ff_for_ret: ret");
AT(ff_for); AT(ff_for_end); AT(ff_for_init); AT(ff_for_body); AT(ff_for_inc); AT(ff_for_cond);
AT(ff_for_out); AT(ff_for_ret);

/* gcc -O0: while (cond) body;   a jump to the condition, and the condition */
CODE("ff_while", "push %rbp\n .globl ff_while_jmp\n ff_while_jmp: jmp 2f\n"
     ".globl ff_while_body\n ff_while_body: subl $1, -4(%rbp)\n"
     "2: .globl ff_while_cond\n ff_while_cond: cmpl $0, -4(%rbp)\n jne ff_while_body\n"
     ".globl ff_while_out\n ff_while_out: pop %rbp\n ret");
AT(ff_while); AT(ff_while_end); AT(ff_while_jmp); AT(ff_while_body); AT(ff_while_cond);
AT(ff_while_out);

/* clang -O0: the condition comes first, a jump back to it after the body */
CODE("ff_top", "push %rbp\n .globl ff_top_cond\n ff_top_cond: cmpl $0, -4(%rbp)\n je 9f\n"
     ".globl ff_top_body\n ff_top_body: subl $1, -4(%rbp)\n"
     ".globl ff_top_back\n ff_top_back: jmp ff_top_cond\n"
     "9: .globl ff_top_out\n ff_top_out: pop %rbp\n ret");
AT(ff_top); AT(ff_top_end); AT(ff_top_cond); AT(ff_top_body); AT(ff_top_back); AT(ff_top_out);

/* x = c ? a : b over three lines, twice around a loop */
CODE("ff_arms", ".globl ff_arms_test\n ff_arms_test: test %edi, %edi\n je 1f\n"
     ".globl ff_arms_then\n ff_arms_then: mov $1, %eax\n jmp 2f\n"
     "1: .globl ff_arms_else\n ff_arms_else: mov $2, %eax\n"
     "2: .globl ff_arms_join\n ff_arms_join: mov %eax, -4(%rsp)\n dec %esi\n jne ff_arms_test\n"
     ".globl ff_arms_out\n ff_arms_out: ret");
AT(ff_arms); AT(ff_arms_end); AT(ff_arms_test); AT(ff_arms_then); AT(ff_arms_else);
AT(ff_arms_join); AT(ff_arms_out);

/* two copies of a statement with a common tail, and a loop around one of them */
CODE("ff_tail", "test %edi, %edi\n je 1f\n"
     ".globl ff_tail_a\n ff_tail_a: mov $1, %eax\n jmp 2f\n"
     "1: .globl ff_tail_inc\n ff_tail_inc: inc %esi\n .globl ff_tail_b\n ff_tail_b: mov $2, %eax\n"
     "2: .globl ff_tail_c\n ff_tail_c: mov %eax, -4(%rsp)\n"
     ".globl ff_tail_out\n ff_tail_out: ret");
AT(ff_tail); AT(ff_tail_end); AT(ff_tail_a); AT(ff_tail_inc); AT(ff_tail_b);
AT(ff_tail_c); AT(ff_tail_out);

/* a switch by a jump table within a statement; padding before a loop */
CODE("ff_table", ".globl ff_table_a\n ff_table_a: mov %edi, %edi\n"
     ".globl ff_table_jmp\n ff_table_jmp: jmp *%rax\n"
     ".globl ff_table_1\n ff_table_1: mov $1, %eax\n jmp 7f\n nopl 0(%rax)\n"
     ".globl ff_table_2\n ff_table_2: mov $2, %eax\n jmp 7f\n nop\n"
     "6: dec %eax\n"
     "7: .globl ff_table_b\n ff_table_b: dec %eax\n .globl ff_table_tail\n"
     "ff_table_tail: jmp *8(%rdx)");
AT(ff_table); AT(ff_table_end); AT(ff_table_a); AT(ff_table_jmp); AT(ff_table_1); AT(ff_table_2);
AT(ff_table_b); AT(ff_table_tail);

/* a landing pad, to which no path leads; the padding after the first ret is none */
CODE("ff_pad", ".globl ff_pad_a\n ff_pad_a: call ff_leaf\n 1: dec %eax\n jne 1b\n ret\n"
     "nopw 0(%rax)\n"
     ".globl ff_pad_pad\n ff_pad_pad: mov %rax, %rdi\n .globl ff_pad_b\n ff_pad_b: call ff_leaf\n"
     "jmp 1b");
AT(ff_pad); AT(ff_pad_end); AT(ff_pad_a); AT(ff_pad_pad); AT(ff_pad_b);

/* a cold part, two returns, a tail call, a conditional tail call */
CODE("ff_parts", ".globl ff_parts_a\n ff_parts_a: test %edi, %edi\n js ff_cold\n"
     ".globl ff_parts_b\n ff_parts_b: dec %edi\n .globl ff_parts_jcc\n ff_parts_jcc: je ff_leaf\n"
     ".globl ff_parts_c\n ff_parts_c: dec %edi\n je 3f\n .globl ff_parts_ret\n ff_parts_ret: ret\n"
     "3: .globl ff_parts_tail\n ff_parts_tail: jmp ff_leaf");
AT(ff_parts); AT(ff_parts_end); AT(ff_parts_a); AT(ff_parts_b); AT(ff_parts_jcc); AT(ff_parts_c);
AT(ff_parts_ret); AT(ff_parts_tail);
/* a call that may return twice: setjmp() */
CODE("ff_again", ".globl ff_again_a\n ff_again_a: call _setjmp@plt\n "
     ".globl ff_again_b\n ff_again_b: call ff_leaf\n"
     ".globl ff_again_c\n ff_again_c: ret");
AT(ff_again); AT(ff_again_end); AT(ff_again_a); AT(ff_again_b); AT(ff_again_c);
CODE("ff_leaf", "nop\n ret");
__asm__(".section .text.unlikely,\"ax\"\n");
CODE("ff_unused", "int3");
CODE("ff_cold", ".globl ff_cold_x\n ff_cold_x: neg %edi\n .globl ff_cold_ret\n ff_cold_ret: ret");
AT(ff_cold); AT(ff_cold_end); AT(ff_cold_x); AT(ff_cold_ret);

/* a prologue; a loop that begins after it */
CODE("ff_line", "push %rbp\n mov %rsp, %rbp\n .globl ff_line_1\n ff_line_1: sub $16, %rsp\n"
     ".globl ff_line_loop\n ff_line_loop: mov %edi, -4(%rbp)\n"
     ".globl ff_line_call\n ff_line_call: call ff_leaf\n"
     ".globl ff_line_2\n ff_line_2: jne ff_line_loop\n leave\n ret");
AT(ff_line); AT(ff_line_end); AT(ff_line_1); AT(ff_line_loop); AT(ff_line_call); AT(ff_line_2);

/* bytes that are no instruction, and a loop without an entry */
CODE("ff_broken", "ret\n 1: inc %eax\n .globl ff_broken_2\n ff_broken_2: jmp 1b\n"
     ".globl ff_broken_bad\n ff_broken_bad: .byte 0x06\n nop");
AT(ff_broken); AT(ff_broken_end); AT(ff_broken_2); AT(ff_broken_bad);
/* clang-format on */

/* ---- starts --------------------------------------------------------------------------------- */

struct question {
	const char *low, *high;	  /* the function */
	const char *starts[4];	  /* starts of the statement, NULL after the last */
	const char *ranges[4][2]; /* ranges of the statement, NULL after the last */
	const char *expected[4];  /* starts that need a trap */
};

/* Number of starts left. */
static size_t starts_left(const struct flow *f, uint64_t *starts, size_t count,
			  struct module_range *ranges, size_t range_count)
{
	struct flow_offsets all = {starts, count, count};

	flow_statement_starts(f, &all, NULL, false,
			      &(struct flow_ranges){ranges, range_count, range_count});
	return all.count;
}

static void check_starts(const struct question *q)
{
	struct flow *f = flow_of(q->low, q->high);
	struct module_range ranges[4];
	uint64_t starts[4];
	size_t n = 0, r = 0, expected = 0;

	for (; n < 4 && q->starts[n]; n++)
		starts[n] = offset_of(q->starts[n]);
	for (; r < 4 && q->ranges[r][0]; r++)
		ranges[r] = range_of(q->ranges[r][0], q->ranges[r][1]);
	for (; expected < 4 && q->expected[expected];)
		expected++;
	for (size_t i = 0; i < n; i++)
		assert_true(flow_is_insn(f, starts[i]));
	n = starts_left(f, starts, n, ranges, r);
	assert_int_equal(n, expected);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(starts[i], offset_of(q->expected[i]));
	flow_free(f);
}

static void test_for(void **state)
{
	struct question q = {ff_for,
			     ff_for_end,
			     {ff_for_init, ff_for_inc},
			     {{ff_for_init, ff_for_body}, {ff_for_inc, ff_for_out}},
			     {ff_for_init, ff_for_inc}};
	struct question three = q;

	(void)state;
	check_starts(&q);
	three.starts[2] = ff_for_cond; /* a row of its own: entered from the other two only */
	check_starts(&three);
}

static void test_while(void **state)
{
	struct question gcc = {ff_while,
			       ff_while_end,
			       {ff_while_jmp, ff_while_cond},
			       {{ff_while_jmp, ff_while_body}, {ff_while_cond, ff_while_out}},
			       {ff_while_cond}};
	struct question clang = {ff_top,
				 ff_top_end,
				 {ff_top_cond, ff_top_back},
				 {{ff_top_cond, ff_top_body}, {ff_top_back, ff_top_out}},
				 {ff_top_cond}};

	(void)state;
	check_starts(&gcc);
	check_starts(&clang);
}

/*
 * All starts are parts of one execution: the first dominates the others and counts once in each
 * round.
 */
static void test_dominated(void **state)
{
	struct question q = {ff_arms,
			     ff_arms_end,
			     {ff_arms_join, ff_arms_else, ff_arms_test, ff_arms_then},
			     {{NULL, NULL}},
			     {ff_arms_test}};
	/* without the dominating start each arm counts */
	struct question arms = {ff_arms,
				ff_arms_end,
				{ff_arms_then, ff_arms_else},
				{{NULL, NULL}},
				{ff_arms_then, ff_arms_else}};

	(void)state;
	check_starts(&q);
	check_starts(&arms);
}

/* The join is dominated by neither arm, but is entered from inside only. */
static void test_entered_from_inside(void **state)
{
	struct question q = {ff_tail,
			     ff_tail_end,
			     {ff_tail_a, ff_tail_b, ff_tail_c},
			     {{ff_tail_a, ff_tail_inc}, {ff_tail_b, ff_tail_out}},
			     {ff_tail_a, ff_tail_b}};
	struct question narrow = q;

	(void)state;
	check_starts(&q);
	/* the second arm belongs to another statement: the join is entered from outside, and the
	   first arm, which leads straight to it, counts there */
	narrow.starts[1] = ff_tail_c;
	narrow.starts[2] = NULL;
	narrow.ranges[1][0] = ff_tail_c;
	narrow.expected[0] = ff_tail_c;
	narrow.expected[1] = NULL;
	check_starts(&narrow);
}

static void test_jump_table(void **state)
{
	struct question around = {
		ff_table, ff_table_end, {ff_table_a, ff_table_b}, {{NULL, NULL}}, {ff_table_a}};
	struct question cases = {ff_table,
				 ff_table_end,
				 {ff_table_1, ff_table_2},
				 {{ff_table_1, ff_table_b}},
				 {ff_table_1, ff_table_2}};

	(void)state;
	check_starts(&around);
	check_starts(&cases);
}

static void test_landing_pad(void **state)
{
	struct question q = {
		ff_pad, ff_pad_end, {ff_pad_a, ff_pad_b}, {{NULL, NULL}}, {ff_pad_a, ff_pad_b}};
	struct question first = {
		ff_pad, ff_pad_end, {ff_pad_pad}, {{ff_pad, ff_pad_end}}, {ff_pad_pad}};

	(void)state;
	check_starts(&q);
	check_starts(&first);
}

/* At least one start is left, even if all are entered from inside; no starts remain no starts. */
static void test_at_least_one(void **state)
{
	struct question q = {ff_while,
			     ff_while_end,
			     {ff_while_body},
			     {{ff_while_body, ff_while_out}},
			     {ff_while_body}};
	struct flow *f = flow_of(ff_while, ff_while_end);

	(void)state;
	check_starts(&q);
	assert_int_equal(starts_left(f, NULL, 0, NULL, 0), 0);
	flow_free(f);
}

static void test_cold_start(void **state)
{
	struct module_range ranges[2];
	uint64_t starts[2] = {offset_of(ff_cold_x), offset_of(ff_parts_a)};
	struct flow *f;

	(void)state;
	ranges[0] = range_of(ff_parts, ff_parts_end);
	ranges[1] = range_of(ff_cold, ff_cold_end);
	f = flow_of_ranges(ranges, 2);
	assert_int_equal(starts_left(f, starts, 2, NULL, 0), 1);
	assert_int_equal(starts[0], offset_of(ff_parts_a));
	flow_free(f);
	/* the cold part comes first */
	ranges[1] = ranges[0];
	ranges[0] = range_of(ff_cold, ff_cold_end);
	f = flow_of_ranges(ranges, 2);
	assert_int_equal(f->roots.count, 2);
	flow_free(f);
}

/* ---- exits, returns, straight lines --------------------------------------------------------- */

static void check_exits(const struct flow *f, const char *low, const char *high, const char *a,
			const char *b)
{
	struct module_range r = range_of(low, high);
	struct flow_offsets exits = {0};

	flow_exits(f, &(struct flow_ranges){&r, 1, 1}, &exits);
	assert_int_equal(exits.count, b ? 2 : 1);
	assert_int_equal(exits.items[0], offset_of(a));
	if (b)
		assert_int_equal(exits.items[1], offset_of(b));
	array_fini(&exits);
}

static void test_exits(void **state)
{
	struct flow *f = flow_of(ff_for, ff_for_end);

	(void)state;
	check_exits(f, ff_for_init, ff_for_body, ff_for_cond, NULL);
	check_exits(f, ff_for_body, ff_for_inc, ff_for_inc, NULL);
	check_exits(f, ff_for_inc, ff_for_out, ff_for_body, ff_for_out);
	check_exits(f, ff_for_out, ff_for_end, ff_for_ret, NULL);
	flow_free(f);
	f = flow_of(ff_table, ff_table_end);
	check_exits(f, ff_table_a, ff_table_1, ff_table_jmp, NULL);
	check_exits(f, ff_table_1, ff_table_2, ff_table_b, NULL); /* not from its padding */
	flow_free(f);
	f = flow_of(ff_parts, ff_parts_end); /* without its cold part: a tail jump */
	check_exits(f, ff_parts_b, ff_parts_c, ff_parts_jcc, ff_parts_c);
	flow_free(f);
}

static void check_return(const struct flow_return *r, const char *at, bool tail, bool check)
{
	assert_int_equal(r->offset, offset_of(at));
	assert_int_equal(r->tail, tail);
	assert_int_equal(r->check_target, check);
}

static void test_returns(void **state)
{
	struct module_range ranges[2] = {range_of(ff_parts, ff_parts_end),
					 range_of(ff_cold, ff_cold_end)};
	struct flow *f = flow_of_ranges(ranges, 2);
	struct flow_returns r = {0};
	size_t first; /* the hot part's index: the linker orders the parts */

	(void)state;
	flow_returns(f, &r);
	assert_int_equal(r.count, 4);
	first = ranges[1].low < ranges[0].low ? 1 : 0;
	check_return(&r.items[first], ff_parts_jcc, true, true);
	check_return(&r.items[first + 1], ff_parts_ret, false, false);
	check_return(&r.items[first + 2], ff_parts_tail, true, false);
	check_return(&r.items[first ? 0 : 3], ff_cold_ret, false, false);
	array_fini(&r);
	flow_free(f);
	f = flow_of(ff_table, ff_table_end);
	flow_returns(f, &r);
	assert_int_equal(r.count, 2);
	check_return(&r.items[0], ff_table_jmp, true, true);
	check_return(&r.items[1], ff_table_tail, true, true);
	array_fini(&r);
	flow_free(f);
}

static void test_straight(void **state)
{
	struct module_range parts[] = {range_of(ff_line, ff_line_1),
				       range_of(ff_line_call, ff_line_end)};
	struct flow *f = flow_of(ff_line, ff_line_end);
	uint64_t from = offset_of(ff_line);

	(void)state;
	assert_true(flow_is_straight(f, from, from));
	assert_true(flow_is_straight(f, from, offset_of(ff_line_1)));
	/* in the middle of an instruction */
	assert_false(flow_is_straight(f, from, offset_of(ff_line_1) + 1));
	assert_false(flow_is_straight(f, from, offset_of(ff_line_loop))); /* a jump target */
	assert_true(flow_is_straight(f, offset_of(ff_line_loop), offset_of(ff_line_call)));
	assert_false(flow_is_straight(f, offset_of(ff_line_loop), offset_of(ff_line_2)));
	assert_false(flow_is_straight(f, offset_of(ff_line_1), from));
	assert_false(flow_is_straight(f, from, offset_of(ff_line_end)));
	flow_free(f);
	f = flow_of_ranges(parts, 2);
	/* a cold part may jump there */
	assert_false(flow_is_straight(f, from, offset_of(ff_line_call)));
	flow_free(f);
}

/* ---- odd input ------------------------------------------------------------------------------ */

static void test_broken(void **state)
{
	struct flow *f = flow_of(ff_broken, ff_broken_end);
	uint64_t starts[2] = {offset_of(ff_broken), offset_of(ff_broken_2)};

	(void)state;
	assert_true(flow_is_insn(f, offset_of(ff_broken_2)));
	assert_false(flow_is_insn(f, offset_of(ff_broken_bad)));
	assert_false(flow_is_insn(f, offset_of(ff_broken_bad) + 1));
	assert_int_equal(starts_left(f, starts, 2, NULL, 0), 2);
	flow_free(f);
}

static void test_odd_ranges(void **state)
{
	struct module_range far = {UINT64_MAX - 16, UINT64_MAX}, overlap[3], reversed = {64, 32};
	struct flow *f = flow_of_ranges(NULL, 0), *one = flow_of(ff_for, ff_for_end);
	uint64_t starts[2] = {1, 2};

	(void)state;
	assert_false(flow_is_insn(f, 0));
	assert_int_equal(starts_left(f, starts, 2, NULL, 0), 2);
	assert_false(flow_is_straight(f, 0, 0));
	flow_free(f);
	f = flow_of_ranges(&far, 1);
	assert_int_equal(f->insns.count, 0);
	flow_free(f);
	f = flow_of_ranges(&reversed, 1);
	assert_int_equal(f->insns.count, 0);
	flow_free(f);
	overlap[0] = range_of(ff_for_body, ff_for_end);
	overlap[1] = range_of(ff_for, ff_for_inc);
	overlap[2] = range_of(ff_for, ff_for_end);
	f = flow_of_ranges(overlap, 3);
	assert_int_equal(f->insns.count, one->insns.count);
	flow_free(f);
	flow_free(one);
	flow_free(NULL);
}

/* ---- comparison with the definition --------------------------------------------------------- */

static void compare_with_definition(const struct flow *f, unsigned *seed, size_t *dropped)
{
	uint32_t at[4];
	uint64_t starts[4], left[4];
	bool drop[4] = {false};
	size_t n = 2 + (size_t)rand_r(seed) % 3, kept = 0, got;

	for (size_t i = 0; i < n; i++) {
		at[i] = (uint32_t)((size_t)rand_r(seed) % f->insns.count);
		for (size_t k = 0; k < i; k++)
			if (at[k] == at[i])
				at[i] = (at[i] + 1) % (uint32_t)f->insns.count, k = (size_t)-1;
		if (f->insns.items[at[i]].flow == ARCH_FLOW_JUMP_INDIRECT)
			return; /* paths through a table are covered by other tests */
		starts[i] = f->insns.items[at[i]].offset;
	}
	drop_by_definition(f, at, n, drop);
	for (size_t b = 0; b < n; b++)
		if (!drop[b])
			left[kept++] = starts[b];
	got = starts_left(f, starts, n, NULL, 0);
	assert_int_equal(got, kept);
	assert_memory_equal(starts, left, kept * sizeof(*left));
	*dropped += n - kept;
}

static bool is_closed(const struct flow *f, const char *low, const char *high, const char *other)
{
	struct module_range r = range_of(low, high);
	const struct flow_ranges code = {&r, 1, 1};
	uint64_t starts[] = {offset_of(low), offset_of(other ? other : low)};
	const struct flow_offsets begins = {starts, other ? 2 : 1, 2};
	struct flow_offsets exits = {0};
	bool closed;

	flow_exits(f, &code, &exits);
	closed = flow_is_closed(f, &code, &begins, &exits);
	array_fini(&exits);
	return closed;
}

static void test_closed(void **state)
{
	struct flow *f = flow_of(ff_for, ff_for_end);

	(void)state;
	assert_true(is_closed(f, ff_for_body, ff_for_inc, NULL));
	assert_true(is_closed(f, ff_for_cond, ff_for_out, NULL));
	/* other paths lead to its exit */
	assert_false(is_closed(f, ff_for_init, ff_for_body, NULL));
	/* other paths lead into its middle */
	assert_false(is_closed(f, ff_for_inc, ff_for_out, NULL));
	assert_false(is_closed(f, ff_for_inc, ff_for_out, ff_for_cond)); /* it begins twice */
	flow_free(f);
	f = flow_of(ff_top, ff_top_end);
	assert_true(is_closed(f, ff_top_body, ff_top_back, NULL));
	assert_false(is_closed(f, ff_top_back, ff_top_out, NULL));
	flow_free(f);
	f = flow_of(ff_arms, ff_arms_end);
	assert_true(is_closed(f, ff_arms_test, ff_arms_out, NULL));
	assert_false(is_closed(f, ff_arms_then, ff_arms_else, NULL));
	assert_false(is_closed(f, ff_arms_else, ff_arms_join, NULL));
	flow_free(f);
	f = flow_of(ff_parts, ff_parts_end);
	assert_true(is_closed(f, ff_parts_ret, ff_parts_tail, NULL)); /* at the return */
	assert_false(is_closed(f, ff_parts_tail, ff_parts_end,
			       NULL)); /* its tail call is still to be executed */
	assert_false(is_closed(f, ff_parts_b, ff_parts_c, NULL)); /* it may leave there */
	flow_free(f);
	f = flow_of(ff_table, ff_table_end); /* the table may lead anywhere */
	assert_false(is_closed(f, ff_table_b, ff_table_tail, NULL));
	flow_free(f);
	f = flow_of(ff_again, ff_again_end);
	assert_false(is_closed(f, ff_again_a, ff_again_b, NULL));
	assert_true(is_closed(f, ff_again_b, ff_again_c, NULL));
	flow_free(f);
}

/* Functions of this program, with random sets of their instructions. */
static void test_against_definition(void **state)
{
	static const char *const names[] = {"main",	    "flow_exits",   "flow_new",
					    "arch_decode",  "module_bytes", "flow_statement_starts",
					    "modules_open", "module_symbol"};
	unsigned seed = 1;
	size_t dropped = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct module_range r;
		uint64_t size;
		struct flow *f;

		if (module_symbol(module, names[i], &r.low, &size) < 0)
			continue; /* not linked in */
		r.high = r.low + (size < 900 ? size : 900);
		f = flow_of_ranges(&r, 1);
		assert_true(f->insns.count > 4);
		for (int k = 0; k < 100; k++)
			compare_with_definition(f, &seed, &dropped);
		flow_free(f);
	}
	assert_true(dropped > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_for),
		cmocka_unit_test(test_while),
		cmocka_unit_test(test_dominated),
		cmocka_unit_test(test_entered_from_inside),
		cmocka_unit_test(test_jump_table),
		cmocka_unit_test(test_landing_pad),
		cmocka_unit_test(test_at_least_one),
		cmocka_unit_test(test_cold_start),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_straight),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_odd_ranges),
		cmocka_unit_test(test_against_definition),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
