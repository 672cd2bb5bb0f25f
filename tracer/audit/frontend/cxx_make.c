/* C++: expressions that no cursor has, and the arguments of calls. */
#include "tracer/audit/frontend/cxx.h"

struct audit_expr *cxx_new(struct lower *l, enum audit_expr_kind kind, CXCursor c, unsigned count)
{
	struct audit_expr *e = lower_new(l, kind, c, count);

	e->record = 0;
	e->decays = false;
	e->is_pointer = true;
	return e;
}

struct audit_expr *cxx_address(struct lower *l, CXCursor c, struct audit_expr *e)
{
	struct audit_expr *address;

	if (e->kind == EXPR_DEREF)
		return e->operands[0];
	address = cxx_new(l, EXPR_ADDRESS, c, 1);
	address->record = e->record;
	address->operands[0] = e;
	return address;
}

struct audit_expr *cxx_deref(struct lower *l, CXCursor c, struct audit_expr *address)
{
	struct audit_expr *e = lower_new(l, EXPR_DEREF, c, 1);

	address->is_pointer = true;
	address->decays = false;
	e->operands[0] = address;
	return e;
}

struct audit_expr *cxx_this(struct lower *l, CXCursor c)
{
	struct audit_expr *e = cxx_new(l, l->self ? EXPR_LOCAL : EXPR_OTHER, c, 0);

	if (l->self) {
		e->id = l->self - 1;
		e->record = l->function->locals.items[e->id].record;
	}
	return e;
}

struct audit_expr *cxx_function(struct lower *l, CXCursor c, unsigned id)
{
	struct audit_expr *e = cxx_new(l, EXPR_FUNCTION, c, 0);

	e->id = id;
	return e;
}

struct audit_expr *cxx_call_of(struct lower *l, CXCursor c, unsigned id, unsigned count,
			       struct audit_expr *const *arguments)
{
	struct audit_expr *e = lower_new(l, EXPR_CALL, c, count + 1);

	e->operands[0] = cxx_function(l, c, id);
	for (unsigned i = 0; i < count; i++)
		e->operands[i + 1] = arguments[i];
	return e;
}

struct audit_expr *cxx_call_named(struct lower *l, CXCursor c, const char *name,
				  struct audit_expr *argument)
{
	return cxx_call_of(l, c, interned_add(&l->reader->program->names, name), 1, &argument);
}

struct audit_expr *cxx_touch(struct lower *l, CXCursor c, struct audit_expr *object, bool writes)
{
	struct audit_program *p = l->reader->program;
	struct audit_expr *e;

	if (!writes) {
		if (object->kind != EXPR_LOCAL && object->kind != EXPR_GLOBAL &&
		    object->kind != EXPR_MEMBER && object->kind != EXPR_DEREF &&
		    object->kind != EXPR_INDEX)
			return object;
		e = program_alloc(p, sizeof(*e));
		*e = *object;
		e->decays = false;
		return e;
	}
	e = lower_new(l, EXPR_ASSIGN, c, 2);
	e->is_update = true;
	e->record = 0;
	e->operands[0] = object;
	e->operands[1] = cxx_new(l, EXPR_OTHER, c, 0);
	return e;
}

void cxx_assign(struct lower *l, CXCursor c, struct audit_expr *to, struct audit_expr *value)
{
	struct audit_expr *e = cxx_new(l, EXPR_ASSIGN, c, 2);

	e->is_pointer = to->is_pointer;
	e->record = to->is_pointer ? to->record : 0;
	e->operands[0] = to;
	e->operands[1] = value;
	lower_step(l, e);
}

struct audit_expr *cxx_temporary(struct lower *l, CXCursor c)
{
	struct audit_expr *e = lower_local_expr(l, lower_add_local(l, c), c);

	return e;
}

/* ---- arguments ------------------------------------------------------------------------------- */

CXCursor cxx_peel(const struct audit_reader *r, CXCursor c)
{
	for (;;) {
		const enum CXCursorKind kind = cursor_kind(r, c);
		CHILDREN(parts, r, c);

		if (!parts.count ||
		    (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr &&
		     kind != CXCursor_CXXFunctionalCastExpr && kind != CXCursor_CXXStaticCastExpr &&
		     !(kind == CXCursor_InitListExpr && parts.count == 1)))
			return c;
		c = parts.items[parts.count - 1];
	}
}

/* True for an argument by default, which stands nowhere. */
static bool is_default(const struct audit_reader *r, CXCursor c)
{
	return !cursor_place(r, c).line;
}

struct cursors cxx_arguments(const struct lower *l, CXCursor call)
{
	const struct audit_reader *r = l->reader;
	const int count = r->clang.Cursor_getNumArguments(call);
	struct cursors out = {NULL, 0, 0};

	for (int i = 0; i < count; i++) {
		CXCursor c = r->clang.Cursor_getArgument(call, (unsigned)i);

		if (!is_default(r, c))
			*array_add(&out) = c;
	}
	return out;
}

CXType cxx_parameter(const struct lower *l, CXCursor function, size_t i)
{
	const struct clang *clang = &l->reader->clang;

	return clang->getCanonicalType(
		clang->getArgType(clang->getCursorType(function), (unsigned)i));
}

bool cxx_returns_reference(const struct audit_reader *r, CXCursor function)
{
	return cxx_is_reference(r->clang.getCanonicalType(
		r->clang.getResultType(r->clang.getCursorType(function))));
}

struct audit_expr *cxx_argument(struct lower *l, CXCursor c, CXType parameter)
{
	struct audit_expr *e = lower_expr(l, c);

	if (!cxx_is_reference(parameter) || cxx_class_of(l->reader, parameter) == CXX_CLOSURE)
		return e;
	e = cxx_address(l, c, e);
	/* The callee does not change what a lock holder or a reference to const refers to. */
	e->is_pointer =
		cxx_class_of(l->reader, parameter) != CXX_HOLDER &&
		!l->reader->clang.isConstQualifiedType(l->reader->clang.getPointeeType(parameter));
	return e;
}
