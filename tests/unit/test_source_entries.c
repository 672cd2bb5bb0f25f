/*
 * Entries into the middle of a statement's code, in the shapes that compilers give to statements on
 * one line.
 */
#include "flow_code.h"

/* clang-format off */
/* gcc -O0: if (a) b;  while (c) d;   the loop on one line, entered from both exits of the if */
CODE("fe_while", "push %rbp\n .globl fe_while_if\n fe_while_if: jne 2f\n addl $1, -4(%rbp)\n"
     ".globl fe_while_jmp\n fe_while_jmp: jmp 2f\n"
     ".globl fe_while_body\n fe_while_body: call fe_leaf\n"
     "2: .globl fe_while_cond\n fe_while_cond: cmpl $0, -8(%rbp)\n je fe_while_body\n"
     ".globl fe_while_out\n fe_while_out: pop %rbp\n fe_leaf: ret");
AT(fe_while); AT(fe_while_end); AT(fe_while_if); AT(fe_while_jmp); AT(fe_while_body);
AT(fe_while_cond); AT(fe_while_out);

/* gcc -O2: if (a) b;  while (c) d;   the loop begins with its body, and others jump over it */
CODE("fe_loop", ".globl fe_loop_if\n fe_loop_if: test %edi, %edi\n "
     ".globl fe_loop_jne\n fe_loop_jne: jne 2f\n inc %esi\n"
     ".globl fe_loop_jmp\n fe_loop_jmp: jmp 2f\n"
     ".globl fe_loop_body\n fe_loop_body: call fe_leaf2\n"
     "2: .globl fe_loop_cond\n fe_loop_cond: cmpl $0, -8(%rsp)\n je fe_loop_body\n"
     ".globl fe_loop_out\n fe_loop_out: nop\n fe_leaf2: ret");
AT(fe_loop); AT(fe_loop_end); AT(fe_loop_jne); AT(fe_loop_jmp); AT(fe_loop_body);
AT(fe_loop_cond); AT(fe_loop_out);

/* for (a; b; c) d;   the body, elsewhere, jumps to the increment, then comes the condition */
CODE("fe_for", ".globl fe_for_init\n fe_for_init: xor %eax, %eax\n jmp fe_for_cond\n"
     ".globl fe_for_inc\n fe_for_inc: inc %eax\n"
     ".globl fe_for_cond\n fe_for_cond: cmp %edi, %eax\n jae fe_for_out\n"
     ".globl fe_for_body\n fe_for_body: test %eax, %esi\n je fe_for_inc\n dec %esi\n "
     "jmp fe_for_inc\n"
     ".globl fe_for_out\n fe_for_out: ret");
AT(fe_for); AT(fe_for_end); AT(fe_for_init); AT(fe_for_inc); AT(fe_for_cond); AT(fe_for_body);

/* clang -O0: if (a) b; } else if (c) d;   the jump over the else, and the condition after it */
CODE("fe_else", "cmpl $0, -4(%rsp)\n jne 1f\n movl $1, -8(%rsp)\n"
     ".globl fe_else_jmp\n fe_else_jmp: jmp 9f\n"
     "1: .globl fe_else_cond\n fe_else_cond: cmpl $1, -4(%rsp)\n jne 9f\n"
     ".globl fe_else_then\n fe_else_then: movl $2, -8(%rsp)\n"
     "9: ret");
AT(fe_else); AT(fe_else_end); AT(fe_else_jmp); AT(fe_else_cond); AT(fe_else_then);
/* clang-format on */

struct way_question {
	const char *low, *high;	 /* the function */
	const char *from, *to;	 /* the statement's code */
	const char *start, *one; /* its start, and another possible entry */
	const char *at[3];	 /* the entries, NULL after the last */
	bool if_taken[3];
};

static void check_ways(const struct way_question *q)
{
	struct flow *f = flow_of(q->low, q->high);
	struct module_range range = range_of(q->from, q->to);
	uint64_t start = offset_of(q->start);
	struct flow_ways ways = {0};
	size_t n = 0;

	flow_ways_in(f, &(struct flow_ranges){&range, 1, 1}, &(struct flow_offsets){&start, 1, 1},
		     offset_of(q->one), &ways);
	for (; n < 3 && q->at[n]; n++) {
		assert_true(n < ways.count);
		assert_int_equal(ways.items[n].offset, offset_of(q->at[n]));
		assert_int_equal(ways.items[n].if_taken, q->if_taken[n]);
	}
	assert_int_equal(ways.count, n);
	array_fini(&ways);
	flow_free(f);
}

/* The head of a loop is passed in each round: entries are recognized by their jumps. */
static void test_loops(void **state)
{
	(void)state;
	check_ways(&(struct way_question){fe_while,
					  fe_while_end,
					  fe_while_jmp,
					  fe_while_out,
					  fe_while_jmp,
					  fe_while_cond,
					  {fe_while_if},
					  {true}});
	check_ways(&(struct way_question){fe_loop,
					  fe_loop_end,
					  fe_loop_body,
					  fe_loop_out,
					  fe_loop_body,
					  fe_loop_cond,
					  {fe_loop_jne, fe_loop_jmp},
					  {true, false}});
}

/*
 * No inner path leads to the increment: it is an entry itself unless the condition after it counts.
 */
static void test_increment(void **state)
{
	const struct way_question counted = {fe_for,	  fe_for_end, fe_for_init, fe_for_body,
					     fe_for_cond, fe_for_inc, {NULL},	   {false}};
	const struct way_question not = {fe_for,      fe_for_end, fe_for_init,	fe_for_body,
					 fe_for_init, fe_for_inc, {fe_for_inc}, {false}};

	(void)state;
	check_ways(&counted);
	check_ways(&not );
}

/* No entry: the start itself, an address without a jump to it, the middle of a block. */
static void test_no_way(void **state)
{
	(void)state;
	check_ways(&(struct way_question){fe_for,
					  fe_for_end,
					  fe_for_init,
					  fe_for_body,
					  fe_for_inc,
					  fe_for_inc,
					  {NULL},
					  {false}});
	check_ways(&(struct way_question){fe_while,
					  fe_while_end,
					  fe_while_jmp,
					  fe_while_out,
					  fe_while_jmp,
					  fe_while_body,
					  {NULL},
					  {false}});
}

static void test_else(void **state)
{
	struct flow *f = flow_of(fe_else, fe_else_end);
	struct module_range range = range_of(fe_else_jmp, fe_else_then);
	const struct flow_ranges code = {&range, 1, 1};
	uint64_t jump = 0;

	(void)state;
	assert_true(flow_behind_jump(f, &code, offset_of(fe_else_cond), &jump));
	assert_int_equal(jump, offset_of(fe_else_jmp));
	assert_false(flow_behind_jump(f, &code, offset_of(fe_else_jmp), &jump));
	assert_false(flow_behind_jump(f, &code, offset_of(fe_else_then), &jump));
	range.low = offset_of(fe_else_cond); /* the jump belongs to another line */
	assert_false(flow_behind_jump(f, &code, offset_of(fe_else_cond), &jump));
	flow_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_increment),
		cmocka_unit_test(test_no_way),
		cmocka_unit_test(test_else),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
