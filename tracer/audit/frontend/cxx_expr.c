/* C++: names, members, calls and operators of expressions. */
#include "tracer/audit/frontend/cxx.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_reference_local(const struct lower *l, unsigned local)
{
	array_each(const unsigned, known, &l->references)
		if (*known == local)
			return true;
	return false;
}

static bool is_function(enum CXCursorKind kind)
{
	return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
	       kind == CXCursor_ConversionFunction || kind == CXCursor_Constructor ||
	       kind == CXCursor_Destructor;
}

/* A variable outside of the function: a global, or one that no lambda captures. */
static struct audit_expr *outer_variable(struct lower *l, CXCursor c, CXCursor to)
{
	const struct clang *clang = &l->reader->clang;
	const bool is_automatic = clang->getCursorLinkage(to) == CXLinkage_NoLinkage &&
				  clang->Cursor_getStorageClass(to) != CX_SC_Static &&
				  clang->Cursor_getStorageClass(to) != CX_SC_Extern;
	struct audit_expr *e;

	if (is_automatic && clang->getCursorTLSKind(to) == CXTLS_None)
		return lower_new(l, EXPR_OTHER, c, 0);
	if (!cxx_is_reference(clang->getCursorType(to)))
		return NULL;
	lower_global(l->reader, to);
	e = cxx_new(l, EXPR_GLOBAL, c, 0);
	e->id = cursor_usr(l->reader, to);
	return cxx_deref(l, c, e);
}

static struct audit_expr *name(struct lower *l, CXCursor c)
{
	CXCursor to = l->reader->clang.getCursorReferenced(c);
	const enum CXCursorKind kind = cursor_kind(l->reader, to);
	const unsigned local = lower_local(l, to);
	struct audit_expr *e;

	if (cxx_class_of(l->reader, cursor_type(l->reader, c)) == CXX_CLOSURE)
		return cxx_closure(l, c);
	if (local && is_reference_local(l, local - 1)) {
		e = cxx_new(l, EXPR_LOCAL, c, 0);
		e->id = local - 1;
		return cxx_deref(l, c, e);
	}
	if (!local && kind == CXCursor_VarDecl)
		return outer_variable(l, c, to);
	if (!is_function(kind))
		return NULL;
	cxx_want(l->reader, to);
	return cxx_function(l, c, cxx_function_id(l->reader, to, NULL));
}

/* The object of a member expression, as an lvalue. */
static struct audit_expr *base_object(struct lower *l, CXCursor c, const struct cursors *parts)
{
	struct audit_expr *e;

	if (!parts->count)
		return cxx_deref(l, c, cxx_this(l, c));
	e = lower_expr(l, parts->items[0]);
	if (cursor_type(l->reader, parts->items[0]).kind == CXType_Pointer)
		return cxx_deref(l, parts->items[0], e);
	return e;
}

static struct audit_expr *field(struct lower *l, CXCursor c, CXCursor to,
				const struct cursors *parts)
{
	const unsigned index = record_field(l->reader, to);
	const CXType type = l->reader->clang.getCursorType(to);
	struct audit_expr *object = base_object(l, c, parts),
			  *e = index ? lower_new(l, EXPR_MEMBER, c, 1)
				     : lower_new(l, EXPR_INDEX, c, 2);

	/* The fields of std::pair and others are parts of the whole. */
	e->operands[0] = cxx_address(l, c, object);
	if (!index)
		e->operands[1] = cxx_new(l, EXPR_OTHER, c, 0);
	else
		e->id = index - 1;
	e->is_arrow = true;
	if (!cxx_is_reference(type))
		return e;
	e->record = record_of_type(l->reader, l->reader->clang.getPointeeType(type));
	return cxx_deref(l, c, e);
}

static struct audit_expr *member(struct lower *l, CXCursor c, const struct cursors *parts)
{
	CXCursor to = l->reader->clang.getCursorReferenced(c);
	const enum CXCursorKind kind = cursor_kind(l->reader, to);
	struct audit_expr *e;

	if (kind == CXCursor_FieldDecl)
		return field(l, c, to, parts);
	if (kind == CXCursor_VarDecl) {
		lower_global(l->reader, to);
		e = lower_new(l, EXPR_GLOBAL, c, 0);
		e->id = cursor_usr(l->reader, to);
		return e;
	}
	return lower_new(l, EXPR_OTHER, c, 0);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct audit_expr *own_call(struct lower *l, CXCursor c, const struct cxx_call *m)
{
	const size_t first = m->object != NULL;
	struct audit_expr *e =
		lower_new(l, EXPR_CALL, c, (unsigned)(1 + first + m->arguments.count));

	cxx_want(l->reader, m->function);
	e->operands[0] = cxx_function(l, c, cxx_function_id(l->reader, m->function, NULL));
	if (m->object) {
		e->operands[1] = cxx_address(l, c, m->object);
		e->operands[1]->is_pointer = true;
	}
	for (size_t i = 0; i < m->arguments.count; i++)
		e->operands[1 + first + i] =
			cxx_argument(l, m->arguments.items[i], cxx_parameter(l, m->function, i));
	if (!cxx_returns_reference(l->reader, m->function))
		return e;
	e->decays = false;
	e->is_pointer = true;
	return cxx_deref(l, c, e);
}

/* An assignment that the compiler defines copies the struct. */
static struct audit_expr *copied(struct lower *l, CXCursor c, const struct cxx_call *m)
{
	struct audit_expr *e = lower_new(l, EXPR_ASSIGN, c, 2);

	e->operands[0] = m->object;
	e->operands[1] = lower_expr(l, m->arguments.items[0]);
	return e;
}

static struct audit_expr *call_method(struct lower *l, CXCursor c, const struct cxx_call *m)
{
	const struct audit_reader *r = l->reader;
	const enum cxx_class is = m->object ? cxx_class_of(r, m->type) : CXX_OWN;
	OWNED(called) = cxx_plain_name(r, m->function);

	if (is == CXX_CLOSURE) {
		struct audit_expr *arguments[8];
		const unsigned count = m->arguments.count < 8 ? (unsigned)m->arguments.count : 8;

		for (unsigned i = 0; i < count; i++)
			arguments[i] = cxx_argument(l, m->arguments.items[i],
						    cxx_parameter(l, m->function, i));
		return cxx_lambda_call(l, c, m->type, count, arguments);
	}
	if (is != CXX_OWN || cxx_is_std(r, m->function))
		return cxx_std_method(l, c, m);
	if (strcmp(called, "operator=") == 0 && m->arguments.count == 1 &&
	    r->clang.CXXMethod_isDefaulted(m->function))
		return copied(l, c, m);
	return own_call(l, c, m);
}

/* True if the call names its function as a member: x.f(), or f() of this. */
static bool is_member_form(const struct lower *l, CXCursor to, const struct cursors *parts)
{
	return parts->count && cursor_kind(l->reader, parts->items[0]) == CXCursor_MemberRefExpr &&
	       l->reader->clang.equalCursors(l->reader->clang.getCursorReferenced(parts->items[0]),
					     to);
}

static struct audit_expr *method(struct lower *l, CXCursor c, CXCursor to,
				 const struct cursors *parts)
{
	const struct clang *clang = &l->reader->clang;
	struct cursors all = cxx_arguments(l, c);
	struct cxx_call m = {.function = to, .arguments = all};
	struct audit_expr *e;

	if (is_member_form(l, to, parts)) {
		CHILDREN(base, l->reader, parts->items[0]);

		if (!clang->CXXMethod_isStatic(to))
			m.object = base_object(l, parts->items[0], &base);
		m.type = base.count ? cursor_type(l->reader, base.items[0])
				    : clang->getCursorType(clang->getCursorSemanticParent(to));
		if (m.type.kind == CXType_Pointer)
			m.type = clang->getPointeeType(m.type);
	} else if (!clang->CXXMethod_isStatic(to) && all.count) {
		CXCursor object = cxx_peel(l->reader, all.items[0]);

		m.object = lower_expr(l, object);
		m.type = cursor_type(l->reader, object);
		m.arguments.items++;
		m.arguments.count--;
	}
	e = call_method(l, c, &m);
	cursors_fini(&all);
	return e;
}

/* True for a function that clang knows by name, as the C side does. */
static bool is_builtin(const struct lower *l, CXCursor to)
{
	return strncmp(program_text(l->reader->program, cursor_name(l->reader, to)), "__", 2) == 0;
}

static struct audit_expr *cxx_called(struct lower *l, CXCursor c, const struct cursors *parts)
{
	CXCursor to = l->reader->clang.getCursorReferenced(c);
	const enum CXCursorKind kind = cursor_kind(l->reader, to);
	struct cxx_call m = {.function = to};
	struct audit_expr *e;

	if (kind == CXCursor_Constructor)
		return cxx_temporary_object(l, c);
	if (kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction)
		return method(l, c, to, parts);
	if (kind == CXCursor_Destructor)
		return lower_new(l, EXPR_OTHER, c, 0);
	if (kind != CXCursor_FunctionDecl || is_builtin(l, to))
		return NULL;
	e = cxx_std_function(l, c, to);
	if (e)
		return e;
	m.arguments = cxx_arguments(l, c);
	e = own_call(l, c, &m);
	cursors_fini(&m.arguments);
	return e;
}

/* ---- new, delete, throw ---------------------------------------------------------------------- */

static struct audit_expr *made(struct lower *l, CXCursor c, const struct cursors *parts)
{
	CXType type = l->reader->clang.getPointeeType(cursor_type(l->reader, c));
	struct audit_expr *object = cxx_temporary(l, c), *none = cxx_new(l, EXPR_CONSTANT, c, 0),
			  *memory = cxx_call_named(l, c, "operator-new", none);

	cxx_assign(l, c, object, memory);
	if (parts->count)
		cxx_construct(l, c, type, &parts->items[parts->count - 1], cxx_deref(l, c, object));
	return object;
}

static struct audit_expr *deleted(struct lower *l, CXCursor c, const struct cursors *parts)
{
	CXType type = cursor_type(l->reader, parts->items[0]);
	struct audit_expr *object = cxx_temporary(l, parts->items[0]);
	unsigned destructor;

	cxx_assign(l, c, object, lower_expr(l, parts->items[0]));
	type = l->reader->clang.getPointeeType(type);
	destructor = cxx_destructor(l->reader, type);
	if (destructor)
		lower_step(l, cxx_call_of(l, c, destructor, 1, &object));
	return cxx_call_named(l, c, "operator-delete", object);
}

static struct audit_expr *thrown(struct lower *l, CXCursor c, const struct cursors *parts)
{
	struct audit_expr *e =
		parts->count ? lower_expr(l, parts->items[0]) : cxx_new(l, EXPR_OTHER, c, 0);

	return cxx_call_named(l, c, "std::terminate", e);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static struct audit_expr *number(struct lower *l, CXCursor c)
{
	struct audit_expr *e = lower_new(l, EXPR_CONSTANT, c, 0);
	struct cursor_text t = cursor_text(l->reader, c);

	e->value = cursor_kind(l->reader, c) == CXCursor_CXXBoolLiteralExpr && t.at && *t.at == 't';
	return e;
}

struct audit_expr *cxx_expr(struct lower *l, CXCursor c, const struct cursors *parts)
{
	switch ((unsigned)cursor_kind(l->reader, c)) {
	case CXCursor_CXXThisExpr:
		return cxx_this(l, c);
	case CXCursor_DeclRefExpr:
		return name(l, c);
	case CXCursor_MemberRefExpr:
		return member(l, c, parts);
	case CXCursor_CXXStaticCastExpr:
	case CXCursor_CXXDynamicCastExpr:
	case CXCursor_CXXReinterpretCastExpr:
	case CXCursor_CXXConstCastExpr:
	case CXCursor_CXXFunctionalCastExpr:
		return parts->count ? lower_expr(l, parts->items[parts->count - 1]) : NULL;
	case CXCursor_CXXBoolLiteralExpr:
	case CXCursor_CXXNullPtrLiteralExpr:
		return number(l, c);
	case CXCursor_LambdaExpr:
		return cxx_lambda(l, c);
	case CXCursor_CXXNewExpr:
		return made(l, c, parts);
	case CXCursor_CXXDeleteExpr:
		return parts->count ? deleted(l, c, parts) : NULL;
	case CXCursor_CXXThrowExpr:
		return thrown(l, c, parts);
	case CXCursor_CallExpr:
		return cxx_called(l, c, parts);
	default:
		return NULL;
	}
}
