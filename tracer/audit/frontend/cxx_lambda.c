/* C++: lambda expressions are functions whose first parameters are what they capture; threads. */
#include "tracer/audit/frontend/cxx.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>

/* ---- captures -------------------------------------------------------------------------------- */

struct capturing {
	struct lower *outer;
	struct cxx_lambda *to;
	CXCursor lambda;
};

/* True if the variable's name in the capture list, or the default, has '&'. libclang does not
   expose it. */
static bool is_by_reference(const struct capturing *to, CXCursor variable)
{
	const struct audit_reader *r = to->outer->reader;
	const char *name = program_text(r->program, cursor_name(r, variable));
	struct cursor_text t = cursor_text(r, to->lambda);
	const char *end = t.at ? strchr(t.at, ']') : NULL, *at = NULL;
	OWNED(list) = NULL;

	if (!end || *t.at != '[')
		return false;
	list = base_strndup(t.at + 1, (size_t)(end - t.at - 1));
	at = *name ? word_find(list, name, strlen(name)) : NULL;
	if (!at)
		at = list + strspn(list, " ") + 1;
	while (at > list && isspace((unsigned char)at[-1]))
		at--;
	return at > list && at[-1] == '&';
}

static void capture(const struct capturing *to, CXCursor variable, bool by_reference)
{
	const struct clang *clang = &to->outer->reader->clang;

	array_each(const struct cxx_capture, known, &to->to->captures)
		if (clang->equalCursors(known->variable, variable))
			return;
	*array_add(&to->to->captures) = (struct cxx_capture){variable, by_reference};
}

static bool uses_this(const struct audit_reader *r, CXCursor c)
{
	const enum CXCursorKind kind = cursor_kind(r, c);
	enum CXCursorKind of;

	if (kind != CXCursor_MemberRefExpr)
		return kind == CXCursor_CXXThisExpr;
	CHILDREN(base, r, c);
	of = cursor_kind(r, r->clang.getCursorReferenced(c));
	return !base.count && (of == CXCursor_FieldDecl || of == CXCursor_CXXMethod);
}

static enum CXChildVisitResult find_captures(CXCursor c, CXCursor parent, CXClientData data)
{
	const struct capturing *to = data;
	const struct audit_reader *r = to->outer->reader;
	const enum CXCursorKind kind = cursor_kind(r, c);
	CXCursor variable;

	(void)parent;
	if (to->outer->self && uses_this(r, c))
		capture(to, to->outer->declared.items[to->outer->self - 1], false);
	if (kind != CXCursor_DeclRefExpr && kind != CXCursor_VariableRef)
		return CXChildVisit_Recurse;
	variable = r->clang.getCursorReferenced(c);
	if (lower_local(to->outer, variable) || kind == CXCursor_VariableRef)
		capture(to, variable, is_by_reference(to, variable));
	return CXChildVisit_Recurse;
}

static bool is_self(const struct lower *l, CXCursor variable)
{
	return l->self && l->reader->clang.equalCursors(l->declared.items[l->self - 1], variable);
}

static bool is_address(const struct audit_reader *r, const struct cxx_capture *capture)
{
	return capture->by_reference || cxx_is_reference(r->clang.getCursorType(capture->variable));
}

/* ---- the function ---------------------------------------------------------------------------- */

static void add_captures(struct lower *outer, struct lower *l, const struct cxx_lambda *lambda)
{
	array_each(const struct cxx_capture, capture, &lambda->captures) {
		const unsigned local = lower_add_local(l, capture->variable);

		if (is_self(outer, capture->variable)) {
			l->function->locals.items[local] =
				outer->function->locals.items[outer->self - 1];
			l->self = local + 1;
		} else if (is_address(l->reader, capture)) {
			*array_add(&l->references) = local;
		}
	}
}

static void lower_lambda(struct lower *outer, CXCursor c, const struct cxx_lambda *lambda)
{
	struct audit_reader *r = outer->reader;
	struct audit_function f = {.usr = lambda->usr, .is_static = true};
	struct lower l = {.reader = r, .function = &f};
	CHILDREN(parts, r, c);
	STR(name);

	str_addf(&name, "%s::(lambda)", program_text(r->program, outer->function->name));
	f.name = interned_add(&r->program->names, str_text(&name));
	f.at = cursor_place(r, c);
	f.unit = outer->function->unit;
	add_captures(outer, &l, lambda);
	for (size_t i = 0; i < parts.count; i++)
		if (cursor_kind(r, parts.items[i]) == CXCursor_ParmDecl) {
			const unsigned local = lower_add_local(&l, parts.items[i]);

			if (cxx_is_reference(r->clang.getCursorType(parts.items[i])))
				*array_add(&l.references) = local;
		}
	f.parameters = (unsigned)f.locals.count;
	if (parts.count && cursor_kind(r, parts.items[parts.count - 1]) == CXCursor_CompoundStmt)
		lower_body(&l, c, parts.items[parts.count - 1]);
	lower_done(&l);
}

static const struct cxx_lambda *known_lambda(const struct audit_reader *r, CXCursor closure)
{
	array_each(const struct cxx_lambda, known, &r->cxx_unit->lambdas)
		if (r->clang.equalCursors(known->closure, closure))
			return known;
	return NULL;
}

static CXCursor closure_of(const struct audit_reader *r, CXType type)
{
	return r->clang.getTypeDeclaration(cxx_bare(r, type));
}

struct audit_expr *cxx_lambda(struct lower *l, CXCursor c)
{
	struct audit_reader *r = l->reader;
	struct cxx_lambda lambda = {.closure = closure_of(r, cursor_type(r, c))};
	const struct cxx_lambda *known = known_lambda(r, lambda.closure);
	struct capturing to = {l, &lambda, c};
	const struct audit_place at = cursor_place(r, c);
	STR(usr);

	if (known)
		return cxx_function(l, c, known->usr);
	r->clang.visitChildren(c, find_captures, &to);
	str_addf(&usr, "%s@lambda:%u:%u", program_text(r->program, l->function->usr), at.line,
		 at.column);
	lambda.usr = interned_add(&r->program->names, str_text(&usr));
	*array_add(&r->cxx_unit->lambdas) = lambda;
	if (!number_map_get(&r->program->function_of, lambda.usr))
		lower_lambda(l, c, &lambda);
	return cxx_function(l, c, lambda.usr);
}

struct audit_expr *cxx_closure(struct lower *l, CXCursor c)
{
	const struct cxx_lambda *known =
		known_lambda(l->reader, closure_of(l->reader, cursor_type(l->reader, c)));

	return known ? cxx_function(l, c, known->usr) : cxx_new(l, EXPR_OTHER, c, 0);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* True if `this` of the function may be the one that the lambda captures. */
static bool has_this(const struct lower *l, const struct cxx_lambda *lambda)
{
	const unsigned index = number_map_get(&l->reader->program->function_of, lambda->usr);
	const struct audit_function *f =
		index ? &l->reader->program->functions.items[index - 1] : NULL;
	const struct audit_local *self = l->self ? &l->function->locals.items[l->self - 1] : NULL;

	if (self && f)
		for (unsigned i = 0; i < f->parameters; i++)
			if (f->locals.items[i].name == self->name &&
			    f->locals.items[i].record == self->record)
				return true;
	return false;
}

/* The value of a capture such as [n = f()], which is a variable of its own. */
static struct audit_expr *initial(struct lower *l, CXCursor c, CXCursor variable)
{
	CHILDREN(parts, l->reader, variable);

	if (parts.count &&
	    l->reader->clang.isExpression(cursor_kind(l->reader, parts.items[parts.count - 1])))
		return lower_expr(l, parts.items[parts.count - 1]);
	return cxx_new(l, EXPR_OTHER, c, 0);
}

static struct audit_expr *captured(struct lower *l, CXCursor c, const struct cxx_lambda *lambda,
				   const struct cxx_capture *capture)
{
	const unsigned local = lower_local(l, capture->variable);
	const CXCursor variable = capture->variable;
	struct audit_expr *e;

	if (is_self(l, variable))
		return cxx_this(l, c);
	if (cursor_kind(l->reader, variable) != CXCursor_VarDecl &&
	    cursor_kind(l->reader, variable) != CXCursor_ParmDecl)
		return has_this(l, lambda) ? cxx_this(l, c) : cxx_new(l, EXPR_OTHER, c, 0);
	if (!local)
		return initial(l, c, variable);
	e = lower_local_expr(l, local - 1, variable);
	e->at = cursor_place(l->reader, c);
	array_each(const unsigned, known, &l->references)
		if (*known == local - 1)
			e = cxx_deref(l, variable, e);
	return is_address(l->reader, capture) ? cxx_address(l, c, e) : e;
}

struct audit_expr *cxx_lambda_call(struct lower *l, CXCursor c, CXType closure, unsigned count,
				   struct audit_expr *const *arguments)
{
	const struct cxx_lambda *is = known_lambda(l->reader, closure_of(l->reader, closure));
	const unsigned captures = is ? (unsigned)is->captures.count : 0;
	struct audit_expr *e = lower_new(l, is ? EXPR_CALL : EXPR_OTHER, c, 1 + captures + count);

	e->operands[0] = is ? cxx_function(l, c, is->usr) : cxx_new(l, EXPR_OTHER, c, 0);
	for (unsigned i = 0; i < captures; i++) {
		const struct cxx_lambda lambda = *is;

		e->operands[1 + i] = captured(l, c, &lambda, &lambda.captures.items[i]);
		is = known_lambda(l->reader, lambda.closure);
	}
	for (unsigned i = 0; i < count; i++)
		e->operands[1 + captures + i] = arguments[i];
	return e;
}

/* The function or lambda within std::function objects and copies. */
static CXCursor callable(const struct lower *l, CXCursor c)
{
	const struct audit_reader *r = l->reader;

	for (;;) {
		c = cxx_peel(r, c);
		if (cursor_kind(r, c) != CXCursor_CallExpr ||
		    cursor_kind(r, r->clang.getCursorReferenced(c)) != CXCursor_Constructor ||
		    r->clang.Cursor_getNumArguments(c) < 1)
			return c;
		c = r->clang.Cursor_getArgument(c, 0);
	}
}

bool cxx_is_callable(const struct lower *l, CXCursor argument)
{
	const struct audit_reader *r = l->reader;
	const CXType type = cxx_bare(r, cursor_type(r, callable(l, argument)));
	const enum cxx_class is = cxx_class_of(r, type);

	return is == CXX_CLOSURE || is == CXX_FUNCTION || type.kind == CXType_FunctionProto ||
	       type.kind == CXType_MemberPointer ||
	       (type.kind == CXType_Pointer &&
		r->clang.getPointeeType(type).kind == CXType_FunctionProto);
}

struct audit_expr *cxx_invoke(struct lower *l, CXCursor c, CXCursor argument, unsigned count,
			      struct audit_expr *const *arguments)
{
	const CXCursor is = callable(l, argument);
	struct audit_expr *e, *function = lower_expr(l, is);

	if (cxx_class_of(l->reader, cursor_type(l->reader, is)) == CXX_CLOSURE)
		return cxx_lambda_call(l, c, cursor_type(l->reader, is), count, arguments);
	e = lower_new(l, EXPR_CALL, c, count + 1);
	e->operands[0] = function;
	for (unsigned i = 0; i < count; i++)
		e->operands[i + 1] = arguments[i];
	return e;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* The function that a thread runs; of an object of a class its operator(). */
static struct audit_expr *thread_function(struct lower *l, CXCursor is)
{
	const CXType type = cxx_bare(l->reader, cursor_type(l->reader, is));
	unsigned usr = 0;

	if (type.kind == CXType_Record && cxx_class_of(l->reader, type) == CXX_OWN)
		usr = cxx_lock_function(l->reader, type, "operator()");
	return usr ? cxx_function(l, is, usr) : lower_expr(l, is);
}

struct audit_expr *cxx_thread(struct lower *l, CXCursor c, struct audit_expr *handle,
			      const struct cursors *arguments)
{
	static const char name[] = "std::thread::thread";
	const CXCursor is = callable(l, arguments->items[0]);
	struct audit_expr *function = thread_function(l, is), *e;
	const struct cxx_lambda *lambda =
		known_lambda(l->reader, closure_of(l->reader, cursor_type(l->reader, is)));
	const unsigned captures = lambda ? (unsigned)lambda->captures.count : 0,
		       rest = (unsigned)arguments->count - 1;
	unsigned at = 3;

	e = lower_new(l, EXPR_CALL, c, at + captures + rest);
	e->operands[0] = cxx_function(l, c, interned_add(&l->reader->program->names, name));
	e->operands[1] = handle ? handle : cxx_new(l, EXPR_CONSTANT, c, 0);
	e->operands[2] = function;
	for (unsigned i = 0; i < captures; i++) {
		const struct cxx_lambda known = *lambda;

		e->operands[at++] = captured(l, c, &known, &known.captures.items[i]);
		lambda = known_lambda(l->reader, known.closure);
	}
	for (unsigned i = 0; i < rest; i++)
		e->operands[at++] = lower_expr(l, arguments->items[i + 1]);
	return e;
}
