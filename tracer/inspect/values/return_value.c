/*
 * hit.ret: the value that a function is about to return, from the registers at its return
 * instruction.
 */
#include "tracer/inspect/calls/calls.h"
#include "tracer/inspect/variables/variables.h"
#include "tracer/source/names/names.h"

enum { RAX = 0, RDX = 1 };

/* Checks that the thread is at a return instruction. At a tail call, the value is not computed
   yet. */
static int check_instruction(const struct dwarf_frame *f, struct error *err)
{
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn insn;
	size_t n = sizeof(bytes);

	while (n && f->program->read(f->program->ctx, f->pc, bytes, n) < 0)
		n--;
	if (f->level == 0 && n && arch_decode(bytes, n, f->pc, &insn) == 0) {
		if (insn.flow == ARCH_FLOW_RETURN)
			return 0;
		if (insn.flow == ARCH_FLOW_JUMP || insn.flow == ARCH_FLOW_JUMP_INDIRECT ||
		    insn.flow == ARCH_FLOW_BRANCH)
			return error_set(err, ERROR_STATE,
					 "hit.ret: the function ends in a jump to another function "
					 "here (a tail call), which has not returned yet");
	}
	error_set(err, ERROR_STATE, "hit.ret: the function is not about to return here");
	return error_hint(err, "use it at FUNC%%return");
}

static bool return_value_wants(const struct abi_place *place, enum abi_class class, unsigned nth)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < place->parts; i++) {
		if (place->part[i].class == class && seen++ == nth)
			return true;
	}
	return false;
}

static int read_registers(const struct dwarf_frame *f, const struct abi_place *place,
			  struct abi_registers *out, struct error *err)
{
	const struct dwarf_program *p = f->program;
	int answer = 0;

	out->integer[0] = f->regs[RAX];
	out->integer[1] = f->regs[RDX];
	for (unsigned i = 0; answer == 0 && i < 2 && return_value_wants(place, ABI_SSE, i); i++)
		answer = p->vector(p->ctx, f->thread, DWARF_XMM0 + i, out->vector[i], 16);
	if (answer == 0 && return_value_wants(place, ABI_X87, 0))
		answer = p->vector(p->ctx, f->thread, DWARF_ST0, out->x87, 10);
	if (answer < 0)
		return error_set(err, ERROR_STATE, "hit.ret: the vector registers cannot be read");
	return 0;
}

/* Makes the value writable if one register holds all of it. */
static void set_register(const struct dwarf_frame *f, const struct abi_place *place,
			 struct inspect_value *v)
{
	if (place->memory || place->parts != 1 || place->part[0].offset ||
	    place->part[0].class == ABI_X87)
		return;
	v->reg = place->part[0].class == ABI_INTEGER ? RAX : DWARF_XMM0;
	v->thread = f->thread;
}

/* Finds the concrete function, not a copy inlined into it. *out is NULL without DWARF. */
static int function_here(const struct dwarf_frame *f, const struct type **out, bool *rust,
			 struct error *err)
{
	struct scope_ref scope;
	struct function known;
	struct die_table *t;

	*out = NULL;
	*rust = false;
	if (!f->module)
		return 0;
	t = dies_table(f->module, err);
	if (!t || dies_function_at(t, f->lookup_pc - f->bias, &scope, err) < 0)
		return -1;
	if (!scope.scope)
		return 0;
	*out = type_get(f->module, scope.scope->offset, err);
	if (!*out || function_read(t, scope, &known, err) < 0)
		return -1;
	*rust = function_is_rust(scope.unit, known.linkage);
	return 0;
}

static int check_convention(const struct inspect_call *call, struct error *err)
{
	const struct dwarf_frame *f = &call->frame;

	if (!f->module || !call_returns_otherwise(f->module, f->lookup_pc - f->bias))
		return 0;
	error_set(err, ERROR_STATE,
		  "hit.ret: the compiler has changed how %s returns: whether there is still a "
		  "value, and where, is not known",
		  call->function ? call->function : "the function");
	return error_hint(err, "look at the variable that is returned, or build with less "
			       "optimisation (-O0, -Og)");
}

int inspect_return_value(const struct inspect_call *call, struct inspect_value *out,
			 struct error *err)
{
	const struct dwarf_frame *f = &call->frame;
	const struct type *function, *t;
	struct abi_registers regs = {0};
	struct abi_place place;
	bool rust;

	if (check_instruction(f, err) < 0 || function_here(f, &function, &rust, err) < 0)
		return -1;
	t = function && function->kind == TYPE_FUNCTION ? function->of : type_builtin("long");
	if ((!function || t->kind == TYPE_VOID) && untyped_at(f->module, f->lookup_pc - f->bias))
		return untyped_error("hit.ret", "what the function returns is not known", err);
	if (t->kind == TYPE_VOID || (rust && !t->size))
		return error_set(err, ERROR_STATE, "hit.ret: %s returns nothing",
				 call->function ? call->function : "the function");
	if (check_convention(call, err) < 0)
		return -1;
	if (abi_classify(rust, t, f->program, &place, err) < 0 ||
	    read_registers(f, &place, &regs, err) < 0 ||
	    abi_returned(f->program, t, &place, &regs, out, err) < 0)
		return -1;
	set_register(f, &place, out);
	return 0;
}
