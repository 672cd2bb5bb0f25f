/* The stack machine of DWARF expressions, operation by operation; and malformed expressions. */
#include "tests/unit/symbols_self.h"

#include "tracer/dwarf/expressions/expression.h"

#include <libdwarf/dwarf.h>

static struct self *self;
static struct dwarf_frame frame;
static struct expression machine;
static struct error err;

/* An expression's bytes as two arguments of a call. */
#define CODE(...)	   (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define VALUE(...)	   value_of(CODE(__VA_ARGS__))
#define BROKEN(words, ...) expect_broken(words, CODE(__VA_ARGS__))

static uint64_t value_of(const uint8_t *code, size_t size)
{
	uint64_t value = 0;

	if (expression_value(&machine, code, size, NULL, &value, &err) < 0)
		fail_msg("%s", err.text);
	return value;
}

static void expect_broken(const char *words, const uint8_t *code, size_t size)
{
	struct piece p[EXPRESSION_PIECES];

	assert_int_equal(expression_run(&machine, code, size, NULL, p, &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	if (!strstr(err.text, words))
		fail_msg("'%s' is not in '%s'", words, err.text);
}

static struct piece one_piece(const uint8_t *code, size_t size)
{
	struct piece p[EXPRESSION_PIECES];

	if (expression_run(&machine, code, size, NULL, p, &err) != 1)
		fail_msg("no single piece");
	return p[0];
}

/* ---- integers ------------------------------------------------------------------------------- */

static void constants(void **state)
{
	(void)state;
	assert_int_equal(VALUE(DW_OP_lit0), 0);
	assert_int_equal(VALUE(DW_OP_lit31), 31);
	assert_int_equal(VALUE(DW_OP_const1u, 0xff), 255);
	assert_int_equal(VALUE(DW_OP_const1s, 0xff), -1);
	assert_int_equal(VALUE(DW_OP_const2u, 0xfe, 0xff), 0xfffe);
	assert_int_equal(VALUE(DW_OP_const2s, 0xfe, 0xff), -2);
	assert_int_equal(VALUE(DW_OP_const4u, 0, 0, 0, 0x80), 0x80000000);
	assert_int_equal(VALUE(DW_OP_const4s, 0, 0, 0, 0x80), INT32_MIN);
	assert_int_equal(VALUE(DW_OP_const8u, 1, 2, 3, 4, 5, 6, 7, 0x88), 0x8807060504030201);
	assert_int_equal(VALUE(DW_OP_const8s, 255, 255, 255, 255, 255, 255, 255, 255), -1);
	assert_int_equal(VALUE(DW_OP_constu, 0x80, 1), 128);
	assert_int_equal(VALUE(DW_OP_consts, 0x80, 0x7f), -128);
	machine.bias = 0x1000;
	assert_int_equal(VALUE(DW_OP_addr, 1, 0, 0, 0, 0, 0, 0, 0), 0x1001);
	machine.bias = 0;
}

static void shuffling(void **state)
{
	(void)state;
	assert_int_equal(VALUE(DW_OP_lit3, DW_OP_dup, DW_OP_plus), 6);
	assert_int_equal(VALUE(DW_OP_lit3, DW_OP_lit4, DW_OP_drop), 3);
	assert_int_equal(VALUE(DW_OP_lit3, DW_OP_lit4, DW_OP_over), 3);
	assert_int_equal(VALUE(DW_OP_lit3, DW_OP_lit4, DW_OP_lit5, DW_OP_pick, 2), 3);
	assert_int_equal(VALUE(DW_OP_lit3, DW_OP_lit4, DW_OP_swap, DW_OP_minus), 1);
	/* The top moves to the third place. */
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot), 2);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop), 1);
	assert_int_equal(
		VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop, DW_OP_drop), 3);
}

static void arithmetic(void **state)
{
	(void)state;
	assert_int_equal(VALUE(DW_OP_lit7, DW_OP_lit2, DW_OP_minus), 5);
	assert_int_equal(VALUE(DW_OP_lit7, DW_OP_lit2, DW_OP_mul), 14);
	assert_int_equal(VALUE(DW_OP_const1s, 0xf9, DW_OP_lit2, DW_OP_div), -3);
	assert_int_equal(VALUE(DW_OP_lit7, DW_OP_lit2, DW_OP_mod), 1);
	assert_int_equal(VALUE(DW_OP_const1s, 0xf9, DW_OP_neg), 7);
	assert_int_equal(VALUE(DW_OP_const1s, 0xf9, DW_OP_abs), 7);
	assert_int_equal(VALUE(DW_OP_lit0, DW_OP_not), -1);
	assert_int_equal(VALUE(DW_OP_lit12, DW_OP_lit10, DW_OP_and), 8);
	assert_int_equal(VALUE(DW_OP_lit12, DW_OP_lit10, DW_OP_or), 14);
	assert_int_equal(VALUE(DW_OP_lit12, DW_OP_lit10, DW_OP_xor), 6);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit4, DW_OP_shl), 16);
	assert_int_equal(VALUE(DW_OP_const1s, 0xf0, DW_OP_lit4, DW_OP_shra), -1);
	assert_int_equal(VALUE(DW_OP_const1s, 0xf0, DW_OP_lit4, DW_OP_shr), UINT64_MAX >> 4);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_const1u, 64, DW_OP_shl), 0);
	assert_int_equal(VALUE(DW_OP_const1s, 0xf0, DW_OP_const1u, 200, DW_OP_shra), -1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_plus_uconst, 0x80, 1), 129);
	/* INT64_MIN / -1 does not trap. */
	assert_int_equal(
		VALUE(DW_OP_const8u, 0, 0, 0, 0, 0, 0, 0, 0x80, DW_OP_const1s, 0xff, DW_OP_div),
		INT64_MIN);
	assert_int_equal(VALUE(DW_OP_const1s, 0xff, DW_OP_lit1, DW_OP_lt), 1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit1, DW_OP_ge), 1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit1, DW_OP_gt), 0);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit1, DW_OP_ne), 0);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit1, DW_OP_eq), 1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit1, DW_OP_le), 1);
}

static void jumps(void **state)
{
	(void)state;
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_skip, 1, 0, DW_OP_lit2, DW_OP_lit3, DW_OP_plus),
			 4);
	assert_int_equal(VALUE(DW_OP_lit7, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit2), 7);
	assert_int_equal(VALUE(DW_OP_lit7, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit2), 2);
	/* Counts down from 5. */
	assert_int_equal(
		VALUE(DW_OP_lit5, DW_OP_lit1, DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xfa, 0xff), 0);
	BROKEN("does not end", DW_OP_skip, 0xfd, 0xff);
	BROKEN("outside of it", DW_OP_skip, 0xfc, 0xff);
	BROKEN("outside of it", DW_OP_skip, 1, 0);
}

/* ---- the frame and the program -------------------------------------------------------------- */

static uint64_t in_memory[2] = {0x8877665544332211, 42};
static __thread int of_thread = 77;

static void registers_and_memory(void **state)
{
	struct piece wide;

	(void)state;
	frame.known = 1u << 3 | 1u << 16;
	frame.regs[3] = (uint64_t)in_memory;
	assert_int_equal(VALUE(DW_OP_breg3, 0x78), (uint64_t)in_memory - 8);
	assert_int_equal(VALUE(DW_OP_bregx, 3, 8, DW_OP_deref), 42);
	assert_int_equal(VALUE(DW_OP_breg3, 0, DW_OP_deref_size, 2), 0x2211);
	assert_int_equal(VALUE(DW_OP_breg3, 0, DW_OP_deref), in_memory[0]);
	wide = one_piece(CODE(DW_OP_breg3, 0, DW_OP_deref_size, 16, DW_OP_stack_value));
	assert_int_equal(wide.kind, PIECE_VALUE);
	assert_true(wide.is_wide);
	assert_int_equal(wide.number, in_memory[0]);
	assert_int_equal(wide.high, in_memory[1]);
	BROKEN("cannot read memory at 0x1", DW_OP_lit1, DW_OP_deref);
	BROKEN("rdi is not known", DW_OP_breg5, 0);
	BROKEN("no word", DW_OP_breg3, 0, DW_OP_deref_size, 9);
	BROKEN("no word", DW_OP_breg3, 0, DW_OP_deref_size, 0);
	BROKEN("unknown register", DW_OP_bregx, 0xff, 0xff, 3, 0);
	self->xmm = 0x4045000000000000;
	assert_int_equal(VALUE(DW_OP_bregx, 17, 0), self->xmm);
	frame.level = 1;
	BROKEN("xmm0 is not known", DW_OP_bregx, 17, 0);
	frame.level = 0;
	machine.frame = NULL;
	BROKEN("no thread", DW_OP_breg3, 0);
	BROKEN("no thread", DW_OP_entry_value, 1, DW_OP_reg5);
	assert_int_equal(VALUE(DW_OP_lit4), 4);
	machine.frame = &frame;
}

static void thread_local(void **state)
{
	uint64_t base, at;
	struct piece p;

	(void)state;
	assert_int_equal(self_tls(NULL, NULL, self->modules[0].module, &base), 0);
	at = (uint64_t)&of_thread - base;
	assert_true(at < 0x10000);
	machine.module = self->modules[0].module;
	p = one_piece(
		CODE(DW_OP_const2u, (uint8_t)at, (uint8_t)(at >> 8), DW_OP_GNU_push_tls_address));
	assert_int_equal(p.kind, PIECE_MEMORY);
	assert_int_equal(p.number, (uint64_t)&of_thread);
	assert_int_equal(VALUE(DW_OP_const2u, (uint8_t)at, (uint8_t)(at >> 8),
			       DW_OP_form_tls_address, DW_OP_deref_size, 4),
			 of_thread);
	machine.module = NULL;
	BROKEN("thread-local", DW_OP_lit0, DW_OP_form_tls_address);
}

static void objects(void **state)
{
	uint64_t initial = 100, value;

	(void)state;
	BROKEN("object", DW_OP_push_object_address);
	machine.has_object = true;
	machine.object = 7;
	assert_int_equal(VALUE(DW_OP_push_object_address, DW_OP_lit1, DW_OP_plus), 8);
	machine.has_object = false;
	assert_int_equal(
		expression_value(&machine, CODE(DW_OP_plus_uconst, 8), &initial, &value, &err), 0);
	assert_int_equal(value, 108);
}

/* ---- places --------------------------------------------------------------------------------- */

static void whole_places(void **state)
{
	struct piece p;

	(void)state;
	p = one_piece(CODE(DW_OP_reg6));
	assert_int_equal(p.kind, PIECE_REGISTER);
	assert_int_equal(p.number, 6);
	assert_int_equal(p.bits, 0);
	p = one_piece(CODE(DW_OP_regx, 33));
	assert_int_equal(p.number, 33);
	p = one_piece(CODE(DW_OP_lit5, DW_OP_stack_value));
	assert_int_equal(p.kind, PIECE_VALUE);
	assert_int_equal(p.number, 5);
	p = one_piece(CODE(DW_OP_implicit_value, 3, 1, 2, 3));
	assert_int_equal(p.kind, PIECE_BYTES);
	assert_int_equal(p.size, 3);
	assert_int_equal(p.bytes[2], 3);
	p = one_piece(CODE(DW_OP_const1u, 200));
	assert_int_equal(p.kind, PIECE_MEMORY);
	p = one_piece(NULL, 0);
	assert_int_equal(p.kind, PIECE_NONE);
	BROKEN("two places", DW_OP_reg6, DW_OP_reg7);
	BROKEN("too early", DW_OP_implicit_value, 3, 1, 2);
	BROKEN("unit", DW_OP_implicit_pointer, 1, 0, 0, 0, 0);
	assert_int_equal(VALUE(DW_OP_reg3), (uint64_t)in_memory);
	assert_int_equal(VALUE(DW_OP_implicit_value, 2, 1, 2), 0x201);
}

static void in_pieces(void **state)
{
	uint8_t many[EXPRESSION_PIECES * 3 + 3];
	struct piece p[EXPRESSION_PIECES];

	(void)state;
	assert_int_equal(expression_run(&machine,
					CODE(DW_OP_reg3, DW_OP_piece, 4, DW_OP_piece, 2, DW_OP_lit9,
					     DW_OP_stack_value, DW_OP_bit_piece, 3, 5, DW_OP_breg3,
					     4, DW_OP_piece, 8),
					NULL, p, &err),
			 4);
	assert_int_equal(p[0].kind, PIECE_REGISTER);
	assert_int_equal(p[0].bits, 32);
	assert_int_equal(p[1].kind, PIECE_NONE);
	assert_int_equal(p[1].bits, 16);
	assert_int_equal(p[2].kind, PIECE_VALUE);
	assert_int_equal(p[2].number, 9);
	assert_int_equal(p[2].bits, 3);
	assert_int_equal(p[2].bit_offset, 5);
	assert_int_equal(p[3].kind, PIECE_MEMORY);
	assert_int_equal(p[3].number, (uint64_t)in_memory + 4);
	for (size_t i = 0; i < sizeof(many); i += 3)
		memcpy(many + i, (const uint8_t[]){DW_OP_reg3, DW_OP_piece, 1}, 3);
	expect_broken("too many pieces", many, sizeof(many));
	BROKEN("too large", DW_OP_reg3, DW_OP_piece, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
}

/* ---- types of the program ------------------------------------------------------------------- */

/* Offset in its unit of the base type with this name, as an operand of several bytes. */
static void type_of(const char *name, uint8_t out[4])
{
	struct die_table *t = dies_table(self->modules[0].module, &err);
	struct die_unit *u;
	struct entry e;
	uint64_t at;

	assert_non_null(t);
	u = dies_unit_at(t, (uint64_t)type_of - self->modules[0].bias);
	assert_non_null(u);
	machine.module = self->modules[0].module;
	machine.unit = u;
	for (at = u->first; at < u->end; at = e.next) {
		const char *found;

		assert_int_equal(entry_read(t, at, &e, &err), 0);
		found = e.tag == DW_TAG_base_type ? entry_text(&e, DW_AT_name) : NULL;
		if (found && strcmp(found, name) == 0)
			break;
	}
	assert_true(at < u->end);
	at -= u->offset;
	for (int i = 0; i < 4; i++, at >>= 7)
		out[i] = (uint8_t)((at & 0x7f) | (i < 3 ? 0x80 : 0));
}

#define TYPE(t) (t)[0], (t)[1], (t)[2], (t)[3]

static volatile float a_float = 1.5f;
static volatile double a_double = 2.25;
static volatile signed char a_char = -3;

static void typed_numbers(void **state)
{
	uint8_t f[4], d[4], c[4], u[4];
	double two = a_double, sum = 2.25 + 1.5;
	float single = a_float;
	uint8_t b[8], s[4];
	uint64_t bits;

	(void)state;
	type_of("float", f);
	type_of("double", d);
	type_of("signed char", c);
	type_of("unsigned int", u);
	memcpy(b, &two, 8);
	memcpy(s, &single, 4);
	memcpy(&bits, &sum, 8);
	assert_int_equal(VALUE(DW_OP_const_type, TYPE(d), 8, b[0], b[1], b[2], b[3], b[4], b[5],
			       b[6], b[7], DW_OP_GNU_const_type, TYPE(f), 4, s[0], s[1], s[2], s[3],
			       DW_OP_convert, TYPE(d), DW_OP_plus, DW_OP_stack_value),
			 bits);
	/* Rounds towards zero; a char keeps its sign. */
	assert_int_equal(VALUE(DW_OP_const_type, TYPE(d), 8, b[0], b[1], b[2], b[3], b[4], b[5],
			       b[6], b[7], DW_OP_GNU_convert, TYPE(u), DW_OP_stack_value),
			 2);
	assert_int_equal(VALUE(DW_OP_const1u, 0xfd, DW_OP_convert, TYPE(c), DW_OP_convert, 0),
			 a_char);
	assert_int_equal(VALUE(DW_OP_const1s, 0xff, DW_OP_convert, TYPE(u), DW_OP_stack_value),
			 UINT32_MAX);
	assert_int_equal(VALUE(DW_OP_const1s, 0xff, DW_OP_convert, TYPE(u), DW_OP_lit1,
			       DW_OP_convert, TYPE(u), DW_OP_gt),
			 1);
	assert_int_equal(VALUE(DW_OP_regval_type, 3, TYPE(u)), (uint32_t)(uint64_t)in_memory);
	assert_int_equal(VALUE(DW_OP_breg3, 0, DW_OP_deref_type, 1, TYPE(c)), 0x11);
	assert_int_equal(VALUE(DW_OP_const_type, TYPE(f), 4, s[0], s[1], s[2], s[3],
			       DW_OP_reinterpret, TYPE(u)),
			 0x3fc00000);
	BROKEN("different types", DW_OP_lit1, DW_OP_convert, TYPE(u), DW_OP_lit1, DW_OP_plus);
	BROKEN("zero", DW_OP_lit1, DW_OP_convert, TYPE(d), DW_OP_lit0, DW_OP_convert, TYPE(d),
	       DW_OP_div);
	BROKEN("floating", DW_OP_lit1, DW_OP_convert, TYPE(d), DW_OP_not);
	machine.unit = NULL;
	BROKEN("unit", DW_OP_lit1, DW_OP_convert, 5);
	machine.module = NULL;
}

/* ---- malformed expressions ------------------------------------------------------------------- */

static void broken_expressions(void **state)
{
	static const uint8_t high[] = {DW_OP_lit1, DW_OP_skip, 0xfc, 0xff};

	(void)state;
	BROKEN("stack is empty", DW_OP_plus);
	BROKEN("stack is empty", DW_OP_lit1, DW_OP_plus);
	BROKEN("stack is empty", DW_OP_lit1, DW_OP_rot);
	BROKEN("stack is empty", DW_OP_pick, 3);
	BROKEN("stack is empty", DW_OP_deref);
	BROKEN("stack is empty", DW_OP_stack_value);
	BROKEN("zero", DW_OP_lit1, DW_OP_lit0, DW_OP_div);
	BROKEN("zero", DW_OP_lit1, DW_OP_lit0, DW_OP_mod);
	BROKEN("too early", DW_OP_const8u, 1, 2);
	BROKEN("too early", DW_OP_constu, 0x80);
	BROKEN("too early", DW_OP_entry_value, 200, DW_OP_reg5);
	BROKEN("overflows", high[0], high[1], high[2], high[3]);
	BROKEN("0xff", 0xff);
	BROKEN("address space", DW_OP_lit1, DW_OP_lit1, DW_OP_xderef);
	BROKEN("depends on a frame", DW_OP_fbreg, 0);
	BROKEN("needs a frame", DW_OP_call_frame_cfa);
	BROKEN(".debug_addr", DW_OP_addrx, 0);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

/* Any bytes: pieces, or an error with a text. */
static void any_bytes(void **state)
{
	uint64_t random = 88172645463325252u, initial = 3, value;
	size_t good = 0, rounds = 200000;
	uint8_t code[24], ignored[4];

	(void)state;
	type_of("double", ignored); /* with a unit, every operation can be executed */
	machine.function = machine.unit->first;
	for (size_t i = 0; i < rounds; i++) {
		struct piece p[EXPRESSION_PIECES];
		size_t size = next_random(&random) % sizeof(code) + 1;
		int n;

		for (size_t k = 0; k < size; k++)
			code[k] = next_random(&random) % 3 ? (uint8_t)(next_random(&random))
							   : DW_OP_lit0 + (uint8_t)k;
		n = expression_run(&machine, code, size, &initial, p, &err);
		assert_true(n >= -1 && n <= EXPRESSION_PIECES && n != 0);
		assert_true(n > 0 || (err.code != ERROR_NONE && err.text[0]));
		good += n > 0;
		expression_value(&machine, code, size, NULL, &value, &err);
	}
	assert_true(good > rounds / 100 && good < rounds);
	machine.unit = NULL;
	machine.module = NULL;
	machine.function = 0;
}

static void names_of_registers(void **state)
{
	(void)state;
	assert_string_equal(expression_register_name(0), "rax");
	assert_string_equal(expression_register_name(5), "rdi");
	assert_string_equal(expression_register_name(7), "rsp");
	assert_string_equal(expression_register_name(17), "xmm0");
	assert_string_equal(expression_register_name(40), "st7");
	assert_null(expression_register_name(41));
	assert_null(expression_register_name(100000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(shuffling),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(jumps),
		cmocka_unit_test(registers_and_memory),
		cmocka_unit_test(thread_local),
		cmocka_unit_test(objects),
		cmocka_unit_test(whole_places),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(typed_numbers),
		cmocka_unit_test(broken_expressions),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(names_of_registers),
	};
	int failed;

	self = self_new();
	frame.program = &self->program;
	machine = (struct expression){.frame = &frame, .program = &self->program};
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	self_free(self);
	return failed;
}
