/* Evaluation of DWARF expressions: operations on the stack, and the resulting location or value. */
#include "tracer/dwarf/expressions/expression_internal.h"

#include <libdwarf/dwarf.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum run_answer run_broken(const struct evaluation *r, const char *what)
{
	error_set(r->err, ERROR_STATE, "a broken DWARF expression: %s", what);
	return RUN_BROKEN;
}

enum run_answer run_fails(const struct evaluation *r, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set(r->err, ERROR_STATE, "%s", text);
	return RUN_BROKEN;
}

enum run_answer run_push(struct evaluation *r, struct number n)
{
	if (r->count == MACHINE_STACK)
		return run_broken(r, "its stack overflows");
	r->stack[r->count++] = n;
	return RUN_DONE;
}

enum run_answer run_pop(struct evaluation *r, struct number *out)
{
	if (!r->count)
		return run_broken(r, "its stack is empty");
	*out = r->stack[--r->count];
	return RUN_DONE;
}

static enum run_answer push_bits(struct evaluation *r, uint64_t bits)
{
	return run_push(r, number_generic(bits));
}

/* ---- groups of operations ------------------------------------------------------------------- */

static uint64_t fixed_signed(struct cursor *c, unsigned size)
{
	uint64_t bits = cursor_fixed(c, size);

	return (uint64_t)number_make((struct number_type){NUMBER_SIGNED, (uint8_t)size}, bits).bits;
}

bool expression_constant(struct cursor *c, unsigned op, uint64_t *out)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		*out = op - DW_OP_lit0;
		return true;
	}
	switch (op) {
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
		*out = cursor_fixed(c, 1u << ((op - DW_OP_const1u) / 2));
		return true;
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
		*out = fixed_signed(c, 1u << ((op - DW_OP_const1s) / 2));
		return true;
	case DW_OP_constu:
		*out = cursor_uleb(c);
		return true;
	case DW_OP_consts:
		*out = (uint64_t)cursor_sleb(c);
		return true;
	default:
		return false;
	}
}

static enum run_answer constants(struct evaluation *r, struct cursor *c, unsigned op)
{
	uint64_t constant;

	if (expression_constant(c, op, &constant))
		return push_bits(r, constant);
	switch (op) {
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		return run_address(r, c, op);
	default:
		return RUN_NOT_MINE;
	}
}

static enum run_answer expression_pick(struct evaluation *r, uint64_t from_top)
{
	if (from_top >= r->count)
		return run_broken(r, "its stack is empty");
	return run_push(r, r->stack[r->count - 1 - from_top]);
}

/* Rotates the top n entries: the first moves below the others. */
static enum run_answer rotate(struct evaluation *r, unsigned n)
{
	struct number top;

	if (r->count < n)
		return run_broken(r, "its stack is empty");
	top = r->stack[r->count - 1];
	for (unsigned i = 1; i < n; i++)
		r->stack[r->count - i] = r->stack[r->count - i - 1];
	r->stack[r->count - n] = top;
	return RUN_DONE;
}

static enum run_answer shuffling(struct evaluation *r, struct cursor *c, unsigned op)
{
	struct number ignored;

	switch (op) {
	case DW_OP_dup:
		return expression_pick(r, 0);
	case DW_OP_over:
		return expression_pick(r, 1);
	case DW_OP_pick:
		return expression_pick(r, cursor_fixed(c, 1));
	case DW_OP_drop:
		return run_pop(r, &ignored);
	case DW_OP_swap:
		return rotate(r, 2);
	case DW_OP_rot:
		return rotate(r, 3);
	case DW_OP_nop:
	case DW_OP_GNU_uninit: /* only compilers' warnings use it */
		return RUN_DONE;
	default:
		return RUN_NOT_MINE;
	}
}

static enum run_answer one_operand(struct evaluation *r, unsigned op)
{
	struct number n;

	if (run_pop(r, &n) < 0 || number_unary(op, &n, r->err) < 0)
		return RUN_BROKEN;
	return run_push(r, n);
}

static enum run_answer two_operands(struct evaluation *r, unsigned op)
{
	struct number a, b;

	if (run_pop(r, &b) < 0 || run_pop(r, &a) < 0 || number_binary(op, &a, b, r->err) < 0)
		return RUN_BROKEN;
	return run_push(r, a);
}

static enum run_answer arithmetic(struct evaluation *r, struct cursor *c, unsigned op)
{
	struct number n;

	if (op == DW_OP_abs || op == DW_OP_neg || op == DW_OP_not)
		return one_operand(r, op);
	if (op == DW_OP_plus_uconst) {
		if (run_pop(r, &n) < 0)
			return RUN_BROKEN;
		if (n.type.kind == NUMBER_FLOAT)
			return run_broken(r, "an integer added to a float");
		return run_push(r, number_make(n.type, n.bits + cursor_uleb(c)));
	}
	if (op >= DW_OP_eq && op <= DW_OP_ne)
		return two_operands(r, op);
	if (op >= DW_OP_and && op <= DW_OP_xor) /* opcodes between these two are handled above */
		return two_operands(r, op);
	return RUN_NOT_MINE;
}

static enum run_answer based(struct evaluation *r, uint64_t n, int64_t add)
{
	uint64_t value;

	if (run_register_value(r, n, &value) < 0)
		return RUN_BROKEN;
	return push_bits(r, value + (uint64_t)add);
}

static enum run_answer registers(struct evaluation *r, struct cursor *c, unsigned op)
{
	uint64_t value;

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return based(r, op - DW_OP_breg0, cursor_sleb(c));
	switch (op) {
	case DW_OP_bregx:
		value = cursor_uleb(c);
		return based(r, value, cursor_sleb(c));
	case DW_OP_fbreg:
		if (run_frame_base(r, &value) < 0)
			return RUN_BROKEN;
		return push_bits(r, value + (uint64_t)cursor_sleb(c));
	case DW_OP_call_frame_cfa:
		if (!r->m->frame || !r->m->unit) /* CFA rules are evaluated without a unit */
			return run_broken(r, "it needs a frame");
		if (dwarf_frame_cfa(r->m->frame, &value, r->err) < 0)
			return RUN_BROKEN;
		return push_bits(r, value);
	default:
		return RUN_NOT_MINE;
	}
}

/* clang 19 reads 16 bytes of a spilled vector register, although DWARF 5 2.5.1.3 allows only an
   address's size. */
static enum run_answer deref(struct evaluation *r, size_t size)
{
	struct number_type type = {NUMBER_GENERIC, 8};

	if (size == 16)
		type = (struct number_type){NUMBER_UNSIGNED, 16};
	return run_deref(r, size, type);
}

static enum run_answer memory(struct evaluation *r, struct cursor *c, unsigned op)
{
	switch (op) {
	case DW_OP_deref:
		return deref(r, r->m->unit ? r->m->unit->address_size : 8);
	case DW_OP_deref_size:
		return deref(r, cursor_fixed(c, 1));
	case DW_OP_push_object_address:
		if (!r->m->has_object)
			return run_broken(r, "it needs an object");
		return push_bits(r, r->m->object);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return run_tls(r);
	case DW_OP_xderef:
	case DW_OP_xderef_size:
	case DW_OP_xderef_type:
		return run_broken(r, "an unknown address space");
	default:
		return RUN_NOT_MINE;
	}
}

/* ---- locations ------------------------------------------------------------------------------ */

static enum run_answer placed(struct evaluation *r, struct piece place)
{
	if (r->placed)
		return run_broken(r, "two places at once");
	r->place = place;
	r->placed = true;
	return RUN_DONE;
}

static enum run_answer in_register(struct evaluation *r, uint64_t n)
{
	return placed(r, (struct piece){.kind = PIECE_REGISTER, .number = n});
}

static enum run_answer expression_pointee(struct evaluation *r, struct cursor *c)
{
	const struct die_unit *u = r->m->unit;
	struct piece p = {.kind = PIECE_POINTEE};

	if (!u)
		return run_broken(r, "it needs a unit");
	p.number = cursor_fixed(c, u->version <= 2 ? u->address_size : u->offset_size);
	p.add = cursor_sleb(c);
	if (!p.number) /* gcc has no name for it in a .dwo file */
		p = (struct piece){.kind = PIECE_NONE};
	p.number += p.kind == PIECE_POINTEE ? u->ref_base : 0;
	return placed(r, p);
}

static enum run_answer places(struct evaluation *r, struct cursor *c, unsigned op)
{
	struct piece p = {.kind = PIECE_BYTES};
	struct number n;

	if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
		return in_register(r, op - DW_OP_reg0);
	switch (op) {
	case DW_OP_regx:
		return in_register(r, cursor_uleb(c));
	case DW_OP_stack_value:
		if (run_pop(r, &n) < 0)
			return RUN_BROKEN;
		return placed(r, (struct piece){.kind = PIECE_VALUE,
						.number = (uint64_t)n.bits,
						.high = (uint64_t)(n.bits >> 64),
						.is_wide = n.type.size > 8});
	case DW_OP_implicit_value:
		p.size = cursor_uleb(c);
		p.bytes = c->at;
		cursor_take(c, p.size);
		return placed(r, p);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return expression_pointee(r, c);
	default:
		return RUN_NOT_MINE;
	}
}

/* Returns the location that was set, else the address on top of the stack. An empty stack means
   optimised out. */
static struct piece take_place(struct evaluation *r)
{
	struct piece p = {.kind = PIECE_NONE};
	struct number n;

	if (r->placed)
		p = r->place;
	else if (r->count && run_pop(r, &n) > 0)
		p = (struct piece){.kind = PIECE_MEMORY, .number = (uint64_t)n.bits};
	r->placed = false;
	return p;
}

static enum run_answer end_piece(struct evaluation *r, uint64_t bits, uint64_t bit_offset)
{
	struct piece p = take_place(r);

	if (!r->out || r->pieces == EXPRESSION_PIECES)
		return run_broken(r, "too many pieces");
	if (!bits || bits > UINT32_MAX || bit_offset > UINT32_MAX)
		return bits ? run_broken(r, "a piece too large") : RUN_DONE;
	p.bits = bits;
	p.bit_offset = bit_offset;
	r->out[r->pieces++] = p;
	return RUN_DONE;
}

static enum run_answer pieces(struct evaluation *r, struct cursor *c, unsigned op)
{
	uint64_t size;

	if (op == DW_OP_piece) {
		size = cursor_uleb(c);
		return end_piece(r, size > UINT32_MAX / 8 ? UINT64_MAX : size * 8, 0);
	}
	if (op == DW_OP_bit_piece) {
		size = cursor_uleb(c);
		return end_piece(r, size, cursor_uleb(c));
	}
	return RUN_NOT_MINE;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static enum run_answer jump(struct evaluation *r, const uint8_t *code, struct cursor *c)
{
	int16_t by = (int16_t)cursor_fixed(c, 2);

	if (by < 0 ? c->at - code < -by : c->end - c->at < by)
		return run_broken(r, "a jump to outside of it");
	c->at += by;
	return RUN_DONE;
}

static enum run_answer jumps(struct evaluation *r, const uint8_t *code, struct cursor *c,
			     unsigned op)
{
	struct number n;

	if (op == DW_OP_skip)
		return jump(r, code, c);
	if (op != DW_OP_bra)
		return RUN_NOT_MINE;
	if (run_pop(r, &n) < 0)
		return RUN_BROKEN;
	if (!number_is_zero(n))
		return jump(r, code, c);
	cursor_take(c, 2);
	return RUN_DONE;
}

static enum run_answer expression_step(struct evaluation *r, const uint8_t *code, struct cursor *c)
{
	static enum run_answer (*const groups[])(struct evaluation *, struct cursor *, unsigned) = {
		pieces, registers, constants, places,	 arithmetic,
		memory, shuffling, run_typed, run_other,
	};
	unsigned op = (unsigned)cursor_fixed(c, 1);
	enum run_answer answer = jumps(r, code, c, op);

	for (size_t i = 0; answer == RUN_NOT_MINE && i < sizeof(groups) / sizeof(*groups); i++)
		answer = groups[i](r, c, op);
	if (answer == RUN_NOT_MINE)
		return run_fails(r, "a broken DWARF expression: unknown operation 0x%x", op);
	if (answer == RUN_DONE && c->broken)
		return run_broken(r, "it ends too early");
	return answer;
}

enum run_answer run_code(struct evaluation *r, const uint8_t *code, size_t size)
{
	struct cursor c = {.at = code, .end = code + size};

	if (!size)
		return RUN_DONE;
	while (c.at < c.end) {
		if (++r->steps > MACHINE_STEPS)
			return run_broken(r, "it does not end");
		if (expression_step(r, code, &c) < 0)
			return RUN_BROKEN;
	}
	return RUN_DONE;
}

int expression_run(const struct expression *m, const uint8_t *code, size_t size,
		   const uint64_t *initial, struct piece *out, struct error *err)
{
	struct evaluation r = {.m = m, .err = err, .out = out};

	if (m->depth > MACHINE_DEPTH)
		return run_broken(&r, "expressions that are nested too deeply");
	if ((initial && push_bits(&r, *initial) < 0) || run_code(&r, code, size) < 0)
		return -1;
	if (r.pieces)
		return r.pieces;
	out[0] = take_place(&r);
	return 1;
}

int expression_value(const struct expression *m, const uint8_t *code, size_t size,
		     const uint64_t *initial, uint64_t *out, struct error *err)
{
	struct evaluation r = {.m = m, .err = err};
	struct piece p;

	if (m->depth > MACHINE_DEPTH)
		return run_broken(&r, "expressions that are nested too deeply");
	if ((initial && push_bits(&r, *initial) < 0) || run_code(&r, code, size) < 0)
		return -1;
	p = take_place(&r);
	*out = p.number;
	if (p.kind == PIECE_MEMORY || p.kind == PIECE_VALUE)
		return 0;
	if (p.kind == PIECE_REGISTER)
		return run_register_value(&r, p.number, out) < 0 ? -1 : 0;
	if (p.kind != PIECE_BYTES || p.size > sizeof(*out))
		return run_broken(&r, "it has no value");
	*out = 0;
	memcpy(out, p.bytes, p.size);
	return 0;
}

/* ---- names ---------------------------------------------------------------------------------- */

const char *expression_register_name(unsigned dwarf)
{
	static const char *const names[] = {
		"rax",	 "rdx",	  "rcx",   "rbx",   "rsi",   "rdi",   "rbp",  "rsp",  "r8",
		"r9",	 "r10",	  "r11",   "r12",   "r13",   "r14",   "r15",  "rip",  "xmm0",
		"xmm1",	 "xmm2",  "xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7", "xmm8", "xmm9",
		"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st0",  "st1",  "st2",
		"st3",	 "st4",	  "st5",   "st6",   "st7",
	};

	if (dwarf < sizeof(names) / sizeof(*names))
		return names[dwarf];
	return dwarf == DWARF_FS_BASE ? "fs_base" : NULL;
}
