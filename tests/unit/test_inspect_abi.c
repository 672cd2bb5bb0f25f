/*
 * Calls: the function of a name, the registers of its arguments, its result. The test itself loads
 * the registers and really calls the function.
 */
#include "symbols_abi.h"

static struct inspect_plain *arg(struct place *p, enum inspect_plain_kind kind)
{
	struct inspect_plain *a = &p->args[p->count++];

	*a = (struct inspect_plain){.kind = kind};
	return a;
}

static void integer(struct place *p, int64_t value)
{
	arg(p, INSPECT_INTEGER)->integer = value;
}

static void number(struct place *p, double value)
{
	arg(p, INSPECT_FLOAT)->number = value;
}

static void text(struct place *p, const char *value)
{
	str_add(&arg(p, INSPECT_TEXT)->text, value);
}

static void object(struct place *p, const char *expression)
{
	struct inspect_value v;

	if (inspect_eval(&p->call, expression, &v, &p->err) < 0 ||
	    inspect_plain(&v, &p->args[p->count++], &p->err) < 0)
		fail_msg("%s", p->err.text);
}

static int enter(struct place *p, const char *function)
{
	return inspect_entry(&p->call, function, p->args, p->count, &p->entry, &p->err);
}

static void forget(struct place *p)
{
	for (size_t i = 0; i < p->count; i++)
		inspect_plain_fini(&p->args[i]);
	p->count = 0;
}

/* ---- a call --------------------------------------------------------------------------------- */

#define INTEGERS uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define VECTORS	 double, double, double, double

struct two_integers {
	uint64_t rax, rdx;
};
struct two_vectors {
	double xmm0, xmm1;
};

/*
 * Functions of other types have their arguments in the same registers; the result is read from each
 * kind of register.
 */
static struct inspect_value run(struct place *p)
{
	const struct inspect_entry *e = &p->entry;
	uint64_t n[6];
	const double *v = e->vector;
	struct two_integers whole_ones;
	struct two_vectors vectors;
	uint8_t xmm[2][16] = {{0}}, st0[16] = {0};
	struct inspect_value out;

	memcpy(n, e->integer, sizeof(n));
	for (unsigned i = 0; i < e->texts; i++)
		n[e->text_at[i]] = (uint64_t)e->text[i];
	whole_ones = ((struct two_integers(*)(INTEGERS, VECTORS))e->address)(
		n[0], n[1], n[2], n[3], n[4], n[5], v[0], v[1], v[2], v[3]);
	vectors = ((struct two_vectors(*)(INTEGERS, VECTORS))e->address)(
		n[0], n[1], n[2], n[3], n[4], n[5], v[0], v[1], v[2], v[3]);
	if (e->returns && e->returns->kind == TYPE_FLOAT && e->returns->size == 16) {
		long double ld =
			((long double (*)(INTEGERS))e->address)(n[0], n[1], n[2], n[3], n[4], n[5]);
		memcpy(st0, &ld, 10);
	}
	memcpy(xmm[0], &vectors.xmm0, 8);
	memcpy(xmm[1], &vectors.xmm1, 8);
	if (inspect_returned(&p->self->program, e, whole_ones.rax, whole_ones.rdx, xmm[0], xmm[1],
			     st0, &out, &p->err) < 0)
		fail_msg("%s", p->err.text);
	forget(p);
	return out;
}

static struct inspect_value call(struct place *p, const char *function)
{
	if (enter(p, function) < 0)
		fail_msg("%s", p->err.text);
	return run(p);
}

static int64_t call_whole(struct place *p, const char *function)
{
	struct inspect_value v = call(p, function);

	return whole(&v);
}

static double call_real(struct place *p, const char *function)
{
	struct inspect_value v = call(p, function);
	struct inspect_plain plain;
	ERROR(err);

	assert_int_equal(inspect_plain(&v, &plain, &err), 0);
	assert_int_equal(plain.kind, INSPECT_FLOAT);
	return plain.number;
}

static double member_real(const struct inspect_value *v, const char *name)
{
	struct inspect_value m;
	struct inspect_plain plain;
	ERROR(err);

	if (inspect_field(v, name, &m, &err) < 0 || inspect_plain(&m, &plain, &err) < 0)
		fail_msg("%s", err.text);
	return plain.number;
}

/* ---- arguments ------------------------------------------------------------------------------ */

static void integers(void **state)
{
	struct place *p = *state;

	integer(p, -1);
	integer(p, -2);
	integer(p, -3);
	integer(p, -4);
	arg(p, INSPECT_BOOL)->integer = 1;
	text(p, "GREEN");
	assert_int_equal(call_whole(p, "abi_six"), 42);
	for (int i = 0; i < 4; i++)
		assert_int_equal(seen[i], -1 - i);
	assert_int_equal(seen[4], 1);
	assert_int_equal(seen[5], GREEN);
	integer(p, 1000);
	integer(p, -58);
	assert_int_equal(call_whole(p, "add"), 942);
	integer(p, 0x1ff);
	assert_int_equal(call_whole(p, "abi_char"), -1);
	integer(p, 0);
	assert_int_equal(call_whole(p, "abi_enum"), BLUE);
	seen[0] = 0;
	call(p, "abi_void");
	assert_int_equal(seen[0], 2); /* run() calls twice */
}

static void reals(void **state)
{
	struct place *p = *state;

	number(p, 0.5);
	number(p, 0.25);
	integer(p, 3);
	assert_true(call_real(p, "abi_floats") == 3.75);
	assert_true(seen_d == 0.5);
	integer(p, 2);
	integer(p, 3);
	number(p, 4.0);
	assert_true(call_real(p, "abi_floats") == 9);
	integer(p, 6);
	assert_true(call_real(p, "abi_long_double") == 6.5);
}

/* libm's functions: without debug information their result type, double, is unknown. */
static void reals_of_a_library(void **state)
{
	struct place *p = *state;
	struct inspect_plain plain;
	struct inspect_value v;
	ERROR(err);

	number(p, 4);
	v = call(p, "sqrt");
	assert_int_equal(inspect_plain(&v, &plain, &err), 0);
	if (plain.kind == INSPECT_FLOAT)
		assert_true(plain.number == 2);
	else
		assert_int_equal(plain.kind, INSPECT_INTEGER);
}

static void texts_and_objects(void **state)
{
	struct place *p = *state;

	text(p, "a text");
	object(p, "here");
	assert_int_equal(call_whole(p, "abi_text"), 3);
	assert_string_equal(seen_text, "a text");
	arg(p, INSPECT_NULL);
	object(p, "&here");
	assert_int_equal(call_whole(p, "abi_text"), 3);
	assert_string_equal(seen_text, "NULL");
	object(p, "seen_text");
	arg(p, INSPECT_NULL);
	assert_int_equal(call_whole(p, "abi_text"), -1);
	text(p, "seven..");
	assert_int_equal(call_whole(p, "strlen"), 7); /* an IFUNC */
}

static void structs(void **state)
{
	struct place *p = *state;
	struct inspect_value v;

	object(p, "here");
	v = call(p, "abi_small");
	assert_int_equal(member(&v, "a"), 4);
	assert_int_equal(member(&v, "b"), 3);
	object(p, "mix");
	v = call(p, "abi_mixed");
	assert_int_equal(member(&v, "a"), 8);
	assert_true(member_real(&v, "b") == 0.5);
	number(p, 1.5);
	v = call(p, "abi_three");
	assert_true(member_real(&v, "x") == 1.5 && member_real(&v, "y") == 2.5);
	assert_true(member_real(&v, "z") == 3.5);
	integer(p, -5);
	assert_int_equal(call_whole(p, "abi_giant"), -15);
}

static void pointers(void **state)
{
	struct place *p = *state;

	for (int i = 0; i < 3; i++) {
		integer(p, 40);
		integer(p, 2);
		assert_int_equal(call_whole(p, i == 0	? "chosen"
					       : i == 1 ? "table.op"
							: "*chosen"),
				 42);
	}
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void refused(struct place *p, const char *function, const char *says)
{
	if (enter(p, function) == 0)
		fail_msg("%s was entered, which should say '%s'", function, says);
	if (!strstr(p->err.text, says) || p->err.code == ERROR_NONE)
		fail_msg("'%s' does not say '%s'", p->err.text, says);
	forget(p);
}

static void refusals(void **state)
{
	struct place *p = *state;

	refused(p, "abi_char", "it takes 1 argument, not 0");
	integer(p, 1);
	/* Another function of this name is in the library under test. */
	refused(p, "add", "it takes 2 arguments, not 1: add");
	integer(p, 1);
	text(p, "x");
	refused(p, "add", "argument 2 (b): a number is expected, of type int");
	integer(p, 1L << 40);
	integer(p, 1);
	refused(p, "add", "argument 1 (a): the number does not fit int");
	number(p, 1.5);
	integer(p, 1);
	refused(p, "add", "a whole number is expected");
	text(p, "MAUVE");
	refused(p, "abi_enum", "there is no enumerator MAUVE in enum colour");
	integer(p, 1);
	refused(p, "abi_large", "returns struct large in memory");
	text(p, "x");
	object(p, "mix");
	refused(p, "abi_text", "argument 2 (s): the object is of another type than struct small");
	object(p, "mix");
	refused(p, "abi_small", "another type than struct small");
	integer(p, 1);
	refused(p, "no_such_function_at_all", "no_such_function_at_all");
	refused(p, "here", "this is not a function");
	integer(p, 1);
	refused(p, "abi_smal", "abi_smal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(reals),
		cmocka_unit_test(reals_of_a_library),
		cmocka_unit_test(texts_and_objects),
		cmocka_unit_test(structs),
		cmocka_unit_test(pointers),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
