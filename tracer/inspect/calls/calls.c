/* hit:call: puts arguments into the registers that the ABI assigns to them. */
#include "tracer/inspect/calls/calls.h"
#include "tracer/inspect/eval/eval.h"
#include "tracer/inspect/values/value_internal.h"

#include <string.h>

/* One argument that is being assigned a register. */
struct placing {
	const struct inspect_call *call;
	const struct callee *callee;
	const char *function; /* as the script wrote it */
	size_t number;	      /* of the argument, from 1 */
	const char *name;     /* of the parameter; NULL: not known */
	struct inspect_entry *out;
	struct error *err;
};

static int calls_fail(const struct placing *p, const char *what, const struct type *t)
{
	STR(type);

	if (t)
		type_spell(t, &type);
	return error_set(p->err, ERROR_STATE, "hit:call(\"%s\"): argument %zu%s%s%s: %s%s%s",
			 p->function, p->number, p->name ? " (" : "", p->name ? p->name : "",
			 p->name ? ")" : "", what, t ? " " : "", str_text(&type));
}

/* Reports the error in p->err as an error of this argument. */
static int fail_inside(const struct placing *p)
{
	return calls_fail(p, error_text(p->err), NULL);
}

static int put_integer(const struct placing *p, uint64_t value)
{
	if (p->out->integers == INSPECT_ARGS)
		return calls_fail(p, "more than six integers and pointers do not fit the registers",
				  NULL);
	p->out->integer[p->out->integers++] = value;
	return 0;
}

static int put_vector(const struct placing *p, const void *bytes, size_t n)
{
	if (p->out->vectors == INSPECT_VECTORS)
		return calls_fail(p, "more than eight floats do not fit the registers", NULL);
	memcpy(&p->out->vector[p->out->vectors++], bytes, n);
	return 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool is_number(const struct inspect_plain *arg)
{
	return arg->kind == INSPECT_BOOL || arg->kind == INSPECT_INTEGER ||
	       arg->kind == INSPECT_ENUM;
}

static int put_whole(const struct placing *p, const struct type *t, int64_t value, bool is_unsigned)
{
	if (!value_fits(t, 8 * (unsigned)t->size, value, is_unsigned))
		return calls_fail(p, "the number does not fit", t);
	if (put_integer(p, (uint64_t)value) < 0)
		return -1;
	return t->size > 8 ? put_integer(p, value < 0 && !is_unsigned ? UINT64_MAX : 0) : 0;
}

static int put_enumerator(const struct placing *p, const struct type *t, const char *name)
{
	const struct type_enumerator *e;
	STR(what);

	if (type_members(t, p->err) < 0)
		return -1;
	e = value_enumerator(t, name);
	if (e)
		return put_integer(p, (uint64_t)e->value);
	str_addf(&what, "there is no enumerator %s in", name);
	calls_fail(p, str_text(&what), t);
	return -1;
}

static int to_integer(const struct placing *p, const struct type *t,
		      const struct inspect_plain *arg)
{
	int64_t whole;

	if (is_number(arg))
		return put_whole(p, t, arg->integer, arg->is_unsigned);
	if (arg->kind == INSPECT_TEXT && t->kind == TYPE_ENUM)
		return put_enumerator(p, t, str_text(&arg->text));
	if (arg->kind != INSPECT_FLOAT)
		return calls_fail(p, "a number is expected, of type", t);
	if (!value_whole_number(arg->number, &whole))
		return calls_fail(p, "a whole number is expected, of type", t);
	return put_whole(p, t, whole, false);
}

static int to_float(const struct placing *p, const struct type *t, const struct inspect_plain *arg)
{
	uint8_t bytes[16];
	size_t n = value_real_bytes(t, plain_real(arg), bytes);

	if (!is_number(arg) && arg->kind != INSPECT_FLOAT)
		return calls_fail(p, "a number is expected, of type", t);
	if (n == 4 || n == 8)
		return put_vector(p, bytes, n);
	return calls_fail(p, "is passed on the stack, which hit:call cannot do:", t);
}

/* ---- pointers ------------------------------------------------------------------------------- */

static bool is_class(const struct type *t)
{
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION);
}

/* Puts a pointer to an object. An unrelated class is an error; a pointer to a base class may
   need an offset. */
static int put_object(const struct placing *p, const struct type *wanted, const struct type *of,
		      uint64_t address)
{
	uint64_t offset;

	if (!address || !is_class(wanted) || !is_class(of) || wanted->incomplete)
		return put_integer(p, address);
	of = type_whole(of, p->call->frame.program);
	if (!eval_base_offset(p->call->frame.program, of, wanted, &offset)) {
		if (!eval_base_offset(p->call->frame.program, wanted, of, &offset) || offset)
			return calls_fail(p, "the object is of another type than", wanted);
	}
	return put_integer(p, address + offset);
}

/* Replaces a smart pointer by the pointer that it holds, unless the function takes the smart
   pointer. */
static int see_object(const struct placing *p, const struct type *wanted, struct inspect_value *v)
{
	struct inspect_value inner;
	uint64_t offset;
	int answer;

	if (value_whole(v, p->err) < 0)
		return fail_inside(p);
	if (v->type->kind != TYPE_STRUCT ||
	    (is_class(wanted) &&
	     eval_base_offset(p->call->frame.program, v->type, wanted, &offset)))
		return 0;
	answer = pretty_pointer(v, &inner, p->err);
	if (answer < 0)
		return fail_inside(p);
	if (answer)
		*v = inner;
	return 0;
}

static int object_address(const struct placing *p, const struct type *wanted,
			  const struct inspect_plain *arg)
{
	struct inspect_value v = arg->object;
	uint64_t address;

	if (see_object(p, wanted, &v) < 0)
		return -1;
	if (v.type->kind == TYPE_POINTER) {
		if (value_address(&v, &address, p->err) < 0)
			return fail_inside(p);
		return put_object(p, wanted, v.type->of, address);
	}
	if (v.place != INSPECT_IN_MEMORY || v.bit_size)
		return calls_fail(p, "is not in memory here, so that it has no address", NULL);
	return put_object(p, wanted, v.type, v.address);
}

static int put_text(const struct placing *p, const struct inspect_plain *arg)
{
	struct inspect_entry *out = p->out;

	if (strlen(str_text(&arg->text)) != arg->text.length)
		return calls_fail(p, "a text with a zero byte in it", NULL);
	if (out->texts == INSPECT_TEXTS)
		return calls_fail(p, "too many texts", NULL);
	out->text[out->texts] = str_text(&arg->text);
	out->text_at[out->texts] = out->integers;
	if (put_integer(p, 0) < 0)
		return -1;
	out->texts++;
	return 0;
}

static bool takes_text(const struct type *of)
{
	return !of || of->kind == TYPE_VOID || of->kind == TYPE_CHAR ||
	       (of->kind == TYPE_INTEGER && of->size == 1);
}

static int to_pointer(const struct placing *p, const struct type *t,
		      const struct inspect_plain *arg)
{
	bool reference = t->kind == TYPE_REFERENCE;

	switch (arg->kind) {
	case INSPECT_OBJECT:
		return object_address(p, t->of, arg);
	case INSPECT_NULL:
		return reference ? calls_fail(p, "a reference cannot be NULL:", t)
				 : put_integer(p, 0);
	case INSPECT_TEXT:
		if (reference || !takes_text(t->of) || (t->of && t->of->size > 1))
			return calls_fail(p, "a text cannot be passed as", t);
		return put_text(p, arg);
	case INSPECT_INTEGER:
		if (!reference)
			return put_integer(p, (uint64_t)arg->integer);
		/* fall through */
	default:
		return calls_fail(p,
				  reference ? "an object in the program's memory is expected, for"
					    : "a pointer is expected, of type",
				  t);
	}
}

/* ---- structs by value ----------------------------------------------------------------------- */

static int put_part(const struct placing *p, const struct abi_part *part, const uint8_t *bytes)
{
	uint64_t word = 0;

	if (part->size > sizeof(word))
		return calls_fail(p, "hit:call cannot pass vectors", NULL);
	memcpy(&word, bytes + part->offset, part->size);
	return part->class == ABI_INTEGER ? put_integer(p, word)
					  : put_vector(p, &word, sizeof(word));
}

/* True if all parts fit into registers: a struct is not split between registers and stack. */
static bool has_room(const struct placing *p, const struct abi_place *place)
{
	unsigned integers = p->out->integers, vectors = p->out->vectors;

	for (unsigned i = 0; i < place->parts; i++) {
		integers += place->part[i].class == ABI_INTEGER;
		vectors += place->part[i].class == ABI_SSE;
		if (place->part[i].class == ABI_X87)
			return false;
	}
	return integers <= INSPECT_ARGS && vectors <= INSPECT_VECTORS;
}

static int to_struct(const struct placing *p, const struct type *t, const struct inspect_plain *arg)
{
	struct inspect_value v = arg->object;
	struct abi_place place;
	uint8_t bytes[16] = {0};
	uint64_t offset;

	if (arg->kind != INSPECT_OBJECT)
		return calls_fail(p, "an object is expected, of type", t);
	if (see_object(p, t, &v) < 0)
		return -1;
	if (v.type->kind == TYPE_POINTER) {
		struct inspect_value pointee;

		if (inspect_deref(&v, &pointee, p->err) < 0)
			return fail_inside(p);
		v = pointee;
	}
	if (v.type->kind != t->kind ||
	    (is_class(t) &&
	     (!eval_base_offset(p->call->frame.program, v.type, t, &offset) || offset)))
		return calls_fail(p, "the object is of another type than", t);
	if (abi_classify(p->callee->rust, t, p->call->frame.program, &place, p->err) < 0)
		return fail_inside(p);
	if (place.memory || !has_room(p, &place) || t->size > sizeof(bytes))
		return calls_fail(p, "is passed on the stack, which hit:call cannot do:", t);
	if (value_read(&v, 0, bytes, t->size, p->err) < 0)
		return fail_inside(p);
	for (unsigned i = 0; i < place.parts; i++) {
		if (put_part(p, &place.part[i], bytes) < 0)
			return -1;
	}
	return 0;
}

/* ---- one argument --------------------------------------------------------------------------- */

static int put_known(const struct placing *p, const struct type *t, const struct inspect_plain *arg)
{
	t = type_whole(t, p->call->frame.program);
	switch (t->kind) {
	case TYPE_BOOL:
	case TYPE_INTEGER:
	case TYPE_CHAR:
	case TYPE_ENUM:
		return to_integer(p, t, arg);
	case TYPE_FLOAT:
		return to_float(p, t, arg);
	case TYPE_POINTER:
	case TYPE_REFERENCE:
		return to_pointer(p, t, arg);
	case TYPE_STRUCT:
	case TYPE_UNION:
		/* Such an object is passed by a pointer to a copy, which the callee would
		   destroy. */
		if (abi_is_nontrivial(t, p->call->frame.program))
			return calls_fail(
				p, "a class that is copied by its own code cannot be passed:", t);
		return to_struct(p, t, arg);
	default:
		return calls_fail(p, "hit:call cannot pass", t);
	}
}

/* Arguments for `...` are promoted as in C. */
static int put_unknown(const struct placing *p, const struct inspect_plain *arg)
{
	switch (arg->kind) {
	case INSPECT_NULL:
		return put_integer(p, 0);
	case INSPECT_BOOL:
	case INSPECT_INTEGER:
	case INSPECT_ENUM:
		return put_integer(p, (uint64_t)arg->integer);
	case INSPECT_FLOAT:
		return put_vector(p, &arg->number, sizeof(arg->number));
	case INSPECT_TEXT:
		return put_text(p, arg);
	case INSPECT_OBJECT:
		return object_address(p, NULL, arg);
	}
	return -1;
}

/* ---- the call ------------------------------------------------------------------------------- */

static int check_count(const struct callee *c, const char *function, size_t count,
		       struct error *err)
{
	size_t takes;
	STR(text);

	if (!c->function || callee_takes(c->function, c->variadic, count))
		return 0;
	takes = c->function->members.count;
	type_spell(c->function, &text);
	return error_set(err, ERROR_STATE,
			 "hit:call(\"%s\"): it takes %s%zu argument%s, not %zu: %s", function,
			 c->variadic ? "at least " : "", takes, takes == 1 ? "" : "s", count,
			 str_text(&text));
}

static int check_result(const struct dwarf_program *program, const struct callee *c,
			const char *function, struct inspect_entry *out, struct error *err)
{
	struct abi_place place = {.memory = false};
	STR(name);

	out->returns = c->function ? c->function->of : NULL;
	out->rust = c->rust;
	if (!out->returns)
		return 0;
	if (abi_classify(c->rust, out->returns, program, &place, err) == 0 && !place.memory)
		return 0;
	type_spell(out->returns, &name);
	return error_set(
		err, ERROR_STATE,
		place.memory
			? "hit:call(\"%s\"): it returns %s in memory, for which there is no room"
			: "hit:call(\"%s\"): it is not known how it returns %s",
		function, str_text(&name));
}

static int put_arguments(struct placing *p, const struct inspect_plain *args, size_t count)
{
	const struct type *f = p->callee->function;

	for (size_t i = 0; i < count; i++) {
		const struct type_member *m =
			f && i < f->members.count ? &f->members.items[i] : NULL;

		p->number = i + 1;
		p->name = m ? m->name : NULL;
		if ((m ? put_known(p, m->type, &args[i]) : put_unknown(p, &args[i])) < 0)
			return -1;
	}
	return 0;
}

int inspect_entry(const struct inspect_call *call, const char *function,
		  const struct inspect_plain *args, size_t count, struct inspect_entry *out,
		  struct error *err)
{
	struct callee callee;
	struct placing p = {
		.call = call, .callee = &callee, .function = function, .out = out, .err = err};

	memset(out, 0, sizeof(*out));
	if (count > INSPECT_ARGS + INSPECT_VECTORS)
		return error_set(err, ERROR_STATE, "hit:call(\"%s\"): %zu arguments are too many",
				 function, count);
	if (callee_find(call, function, (int)count, &callee, err) < 0 ||
	    check_count(&callee, function, count, err) < 0 ||
	    check_result(call->frame.program, &callee, function, out, err) < 0)
		return -1;
	out->address = callee.address;
	return put_arguments(&p, args, count);
}

int inspect_returned(const struct dwarf_program *program, const struct inspect_entry *entry,
		     uint64_t rax, uint64_t rdx, const uint8_t xmm0[16], const uint8_t xmm1[16],
		     const uint8_t st0[10], struct inspect_value *out, struct error *err)
{
	const struct type *t = entry->returns ? entry->returns : type_builtin("long");
	struct abi_registers regs = {.integer = {rax, rdx}};
	struct abi_place place;

	memcpy(regs.vector[0], xmm0, 16);
	memcpy(regs.vector[1], xmm1, 16);
	memcpy(regs.x87, st0, 10);
	/* a null pointer, which is nil in scripts */
	if (t->kind == TYPE_VOID || (entry->rust && !t->size)) {
		regs.integer[0] = 0;
		t = type_pointer_to(type_builtin("void"));
	}
	if (abi_classify(entry->rust, t, program, &place, err) < 0)
		return -1;
	return abi_returned(program, t, &place, &regs, out, err);
}
