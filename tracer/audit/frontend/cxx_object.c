/* C++: construction and destruction of objects, members and variables. */
#include "tracer/audit/frontend/cxx.h"

#include <string.h>

/* ---- constructor calls ----------------------------------------------------------------------- */

static bool is_copying(const struct audit_reader *r, CXCursor constructor)
{
	return r->clang.CXXConstructor_isCopyConstructor(constructor) ||
	       r->clang.CXXConstructor_isMoveConstructor(constructor);
}

/* The expression that gives the value: not the copies of temporary objects, which are elided. */
static CXCursor initializer(const struct audit_reader *r, CXCursor c)
{
	c = cxx_peel(r, c);
	while (cxx_is_construction(r, c) && is_copying(r, r->clang.getCursorReferenced(c)) &&
	       r->clang.Cursor_getNumArguments(c) == 1) {
		CXCursor of = cxx_peel(r, r->clang.Cursor_getArgument(c, 0));

		if (cursor_kind(r, of) != CXCursor_CallExpr)
			break;
		c = of;
	}
	return c;
}

/* Calls the constructor of a class of the sources; one that the compiler defines copies, or does
   nothing. */
static void call_constructor(struct lower *l, CXCursor call, struct audit_expr *target)
{
	struct audit_reader *r = l->reader;
	const CXCursor function = r->clang.getCursorReferenced(call);
	struct cursors arguments = cxx_arguments(l, call);
	struct audit_expr *e = lower_new(l, EXPR_CALL, call, (unsigned)arguments.count + 2);

	if (r->clang.CXXMethod_isDefaulted(function)) {
		if (arguments.count == 1)
			lower_step(l, lower_expr(l, arguments.items[0]));
	} else {
		cxx_want(r, function);
		e->operands[0] = cxx_function(l, call, cxx_function_id(r, function, NULL));
		e->operands[1] = cxx_address(l, call, target);
		e->operands[1]->is_pointer = true;
		for (size_t i = 0; i < arguments.count; i++)
			e->operands[i + 2] =
				cxx_argument(l, arguments.items[i], cxx_parameter(l, function, i));
		lower_step(l, e);
	}
	cursors_fini(&arguments);
}

/* ---- construction ---------------------------------------------------------------------------- */

static void start(struct lower *l, CXCursor c, CXCursor init, struct audit_expr *target)
{
	struct cursors arguments = cxx_arguments(l, init);

	if (cxx_is_construction(l->reader, init) && arguments.count &&
	    cxx_class_of(l->reader, cursor_type(l->reader, arguments.items[0])) != CXX_THREAD)
		lower_step(l, cxx_thread(l, c, cxx_address(l, c, target), &arguments));
	else
		lower_step(l, lower_expr(l, init));
	cursors_fini(&arguments);
}

/* The value of a smart pointer or std::function: what it is made from. */
static struct audit_expr *pointer_value(struct lower *l, CXCursor c, CXCursor init)
{
	struct cursors arguments = {NULL, 0, 0};
	struct audit_expr *e;

	if (!cxx_is_construction(l->reader, init))
		return lower_expr(l, init);
	arguments = cxx_arguments(l, init);
	e = arguments.count ? lower_expr(l, arguments.items[0]) : cxx_new(l, EXPR_CONSTANT, c, 0);
	cursors_fini(&arguments);
	return e;
}

/* Reads what the constructor of a container gets. */
static struct audit_expr *plain_value(struct lower *l, CXCursor c, CXCursor init)
{
	struct cursors arguments = cxx_arguments(l, init);
	struct audit_expr *e = lower_new(l, EXPR_OTHER, c, (unsigned)arguments.count);

	for (unsigned i = 0; i < arguments.count; i++)
		e->operands[i] = cxx_touch(l, c, lower_expr(l, arguments.items[i]), false);
	cursors_fini(&arguments);
	return e;
}

void cxx_construct(struct lower *l, CXCursor c, CXType type, const CXCursor *init,
		   struct audit_expr *target)
{
	const enum cxx_class is = cxx_class_of(l->reader, type);
	const CXCursor from = init ? initializer(l->reader, *init) : c;

	if (!init)
		return;
	if (is == CXX_HOLDER)
		cxx_hold(l, c, type, from, target);
	else if (is == CXX_THREAD)
		start(l, c, from, target);
	else if (is == CXX_CLOSURE)
		(void)lower_expr(l, from);
	else if (cxx_is_pointer(is))
		cxx_assign(l, c, target, pointer_value(l, c, from));
	else if (is == CXX_OWN && cxx_is_construction(l->reader, from))
		call_constructor(l, from, target);
	else if (is == CXX_OWN)
		cxx_assign(l, c, target, lower_expr(l, from));
	else if (cxx_is_construction(l->reader, from))
		lower_step(l, plain_value(l, c, from));
	else
		lower_step(l, lower_expr(l, from));
}

/* ---- destructors ----------------------------------------------------------------------------- */

struct destructor_of {
	struct audit_reader *reader;
	unsigned usr;
	bool is_needed;
};

static enum CXChildVisitResult find_destructor(CXCursor c, CXCursor parent, CXClientData data)
{
	struct destructor_of *to = data;

	(void)parent;
	if (cursor_kind(to->reader, c) != CXCursor_Destructor)
		return CXChildVisit_Continue;
	to->usr = cursor_usr(to->reader, c);
	return CXChildVisit_Break;
}

static unsigned named(struct audit_reader *r, const char *name)
{
	return interned_add(&r->program->names, name);
}

/* The function that ends a member's life, or 0. `given`: the lock is not of this function. */
static unsigned end_of(struct audit_reader *r, CXType type, bool given)
{
	OWNED(class) = NULL;

	switch (cxx_class_of(r, type)) {
	case CXX_HOLDER:
		return named(r, given ? "std::unique_lock::~unique_lock(given)"
				      : "std::unique_lock::~unique_lock");
	case CXX_THREAD:
		class = cxx_class_name(r, type);
		return strcmp(class, "jthread") == 0 ? named(r, "std::jthread::~jthread") : 0;
	case CXX_OWN:
		return cxx_destructor(r, type);
	default:
		return 0;
	}
}

static enum CXVisitorResult needs_end(CXCursor field, CXClientData data)
{
	struct destructor_of *to = data;
	const CXType type = to->reader->clang.getCursorType(field);

	to->is_needed = !cxx_is_reference(type) && end_of(to->reader, type, true);
	return to->is_needed ? CXVisit_Break : CXVisit_Continue;
}

/* Calls the destructors of the members, at the end of the open block. */
struct members {
	struct lower *l;
	CXCursor c;
};

static enum CXVisitorResult end_member(CXCursor field, CXClientData data)
{
	const struct members *to = data;
	struct lower *l = to->l;
	const CXType type = l->reader->clang.getCursorType(field);
	const unsigned end = cxx_is_reference(type) ? 0 : end_of(l->reader, type, true),
		       index = end ? record_field(l->reader, field) : 0;
	struct audit_expr *e, *address;

	if (!index)
		return CXVisit_Continue;
	e = lower_new(l, EXPR_MEMBER, field, 1);
	e->at = cursor_end(l->reader, to->c);
	e->id = index - 1;
	e->is_arrow = true;
	e->operands[0] = cxx_this(l, to->c);
	address = cxx_address(l, to->c, e);
	lower_step(l, cxx_call_of(l, to->c, end, 1, &address));
	return CXVisit_Continue;
}

static void end_members(struct lower *l, CXCursor c, CXType type)
{
	struct members to = {l, c};

	l->reader->clang.Type_visitFields(type, end_member, &to);
}

static void add_self(struct lower *l, CXCursor c, CXType type)
{
	const unsigned local = lower_add_local(l, c);

	l->function->locals.items[local].name = named(l->reader, "this");
	l->function->locals.items[local].record = record_of_type(l->reader, type);
	l->self = local + 1;
}

/* Makes the destructor that the compiler defines. */
static unsigned implicit_destructor(struct audit_reader *r, CXType type)
{
	const CXCursor declaration = r->clang.getTypeDeclaration(type);
	struct audit_function f = {.is_static = true, .at = cursor_place(r, declaration)};
	struct lower l = {.reader = r, .function = &f};
	OWNED(class) = cxx_class_name(r, type);
	STR(usr);
	STR(name);

	str_addf(&usr, "%s@F@~%s", program_text(r->program, cursor_usr(r, declaration)), class);
	str_addf(&name, "%s::~%s", class, class);
	f.usr = named(r, str_text(&usr));
	f.name = named(r, str_text(&name));
	if (number_map_get(&r->program->function_of, f.usr))
		return f.usr;
	add_self(&l, declaration, type);
	f.parameters = 1;
	l.block = lower_block_new(&l);
	end_members(&l, declaration, type);
	lower_open_block(&l)->end = END_RETURN;
	lower_open_block(&l)->at = f.at;
	lower_done(&l);
	return f.usr;
}

static unsigned find_end(struct audit_reader *r, CXType type)
{
	struct destructor_of to = {r, 0, false};

	r->clang.visitChildren(r->clang.getTypeDeclaration(type), find_destructor, &to);
	if (to.usr)
		return to.usr;
	r->clang.Type_visitFields(type, needs_end, &to);
	return to.is_needed ? implicit_destructor(r, type) : 0;
}

unsigned cxx_destructor(struct audit_reader *r, CXType type)
{
	const CXType bare = cxx_bare(r, type);
	unsigned usr, known;

	if (bare.kind != CXType_Record || cxx_class_of(r, bare) != CXX_OWN)
		return 0;
	usr = cursor_usr(r, r->clang.getTypeDeclaration(bare));
	known = number_map_get(&r->cxx_unit->destructors, usr);
	if (known)
		return known - 1;
	known = find_end(r, bare);
	number_map_set(&r->cxx_unit->destructors, usr, known + 1);
	return known;
}

/* ---- variables and temporaries --------------------------------------------------------------- */

bool cxx_variable(struct lower *l, CXCursor c)
{
	struct audit_reader *r = l->reader;
	const CXType type = r->clang.getCursorType(c);
	const bool is_reference = cxx_is_reference(r->clang.getCanonicalType(type));
	CHILDREN(parts, r, c);
	const CXCursor *init = parts.count ? &parts.items[parts.count - 1] : NULL;
	struct audit_expr *target;
	unsigned end;

	if (init && !r->clang.isExpression(cursor_kind(r, *init)))
		init = NULL;
	target = lower_local_expr(l, lower_add_local(l, c), c);
	if (is_reference) {
		*array_add(&l->references) = target->id;
		target->decays = false;
		target->is_pointer = true;
		if (init)
			cxx_assign(l, c, target,
				   cxx_address(l, c, lower_expr(l, cxx_peel(r, *init))));
		return true;
	}
	cxx_construct(l, c, type, init, target);
	end = end_of(r, type, false);
	if (end)
		lower_add_cleanup(l, target->id, end);
	return true;
}

struct audit_expr *cxx_temporary_object(struct lower *l, CXCursor c)
{
	struct audit_reader *r = l->reader;
	const CXType type = cursor_type(r, c);
	const enum cxx_class is = cxx_class_of(r, type);
	const CXCursor from = initializer(r, c);
	struct audit_expr *target;
	unsigned end;

	if (!cxx_is_construction(r, from))
		return lower_expr(l, from);
	if (is == CXX_POINTER || is == CXX_FUNCTION)
		return pointer_value(l, c, from);
	if (is != CXX_OWN && is != CXX_HOLDER && is != CXX_THREAD)
		return plain_value(l, c, from);
	target = cxx_temporary(l, c);
	cxx_construct(l, c, type, &from, target);
	end = end_of(r, type, false);
	if (end)
		lower_add_cleanup(l, target->id, end);
	return target;
}

/* Returning a local object, or a temporary one, does not end its life. */
struct audit_expr *cxx_result(struct lower *l, CXCursor value)
{
	struct audit_reader *r = l->reader;
	const CXType type = cursor_type(r, value);
	CXCursor from = initializer(r, value);
	struct audit_expr *e;

	if (l->returns_reference)
		return cxx_address(l, value, lower_expr(l, value));
	if (type.kind != CXType_Record)
		return NULL;
	if (cxx_is_construction(r, from) && is_copying(r, r->clang.getCursorReferenced(from)) &&
	    r->clang.Cursor_getNumArguments(from) == 1)
		from = cxx_peel(r, r->clang.Cursor_getArgument(from, 0));
	e = lower_expr(l, from);
	for (size_t i = 0; e->kind == EXPR_LOCAL && i < lower_scope(l); i++)
		if (l->cleanups.items[i].local == e->id) {
			l->returned = e->id + 1;
			return e;
		}
	/* A copy reads the whole. */
	return e->kind == EXPR_LOCAL ? e : cxx_touch(l, value, e, false);
}

/* ---- member functions ------------------------------------------------------------------------ */

static bool is_member(const struct audit_reader *r, CXCursor c)
{
	const enum CXCursorKind kind = cursor_kind(r, c);

	return kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
	       kind == CXCursor_ConversionFunction ||
	       (kind == CXCursor_CXXMethod && !r->clang.CXXMethod_isStatic(c));
}

/* True if the declaration has the attribute of -Wthread-safety that callers hold a lock. */
static bool requires_lock(const struct audit_reader *r, CXCursor declaration)
{
	const struct clang *clang = &r->clang;
	bool has_attribute = false;
	CXPrintingPolicy policy;
	OWNED(text) = NULL;
	CHILDREN(parts, r, declaration);

	for (size_t i = 0; i < parts.count; i++)
		has_attribute |= cursor_kind(r, parts.items[i]) == CXCursor_UnexposedAttr;
	if (!has_attribute)
		return false;
	policy = clang->getCursorPrintingPolicy(declaration);
	text = clang_take(clang, clang->getCursorPrettyPrinted(declaration, policy));
	clang->PrintingPolicy_dispose(policy);
	return strstr(text, "locks_required(") || strstr(text, "requires_capability(");
}

void cxx_begin(struct lower *l, CXCursor definition)
{
	struct audit_reader *r = l->reader;
	const enum CX_CXXAccessSpecifier access = r->clang.getCXXAccessSpecifier(definition);

	l->function->name = cxx_shown_name(r, definition);
	/* A virtual function is called through its base class, too. */
	if (access == CX_CXXPrivate && !r->clang.CXXMethod_isVirtual(definition))
		l->function->is_static = true;
	l->function->wants_lock |= requires_lock(r, r->clang.getCanonicalCursor(definition));
	l->returns_reference = cxx_returns_reference(r, definition);
	if (is_member(r, definition))
		add_self(l, definition,
			 r->clang.getCursorType(r->clang.getCursorSemanticParent(definition)));
}

static void initialise_member(struct lower *l, CXCursor field, CXCursor init)
{
	struct audit_reader *r = l->reader;
	const CXType type = r->clang.getCanonicalType(r->clang.getCursorType(field));
	const unsigned index = record_field(r, field);
	struct audit_expr *target = lower_new(l, EXPR_MEMBER, field, 1);

	if (!index)
		return;
	target->at = cursor_place(r, init);
	target->id = index - 1;
	target->is_arrow = true;
	target->operands[0] = cxx_this(l, init);
	if (!cxx_is_reference(type)) {
		cxx_construct(l, init, type, &init, target);
		return;
	}
	target->decays = false;
	target->is_pointer = true;
	cxx_assign(l, init, target, cxx_address(l, init, lower_expr(l, init)));
}

struct initialising {
	struct lower *l;
	CXCursor field;
	bool is_member, is_base;
};

/* Member initializers: the member, then its value; a base class, then its constructor call. */
static enum CXChildVisitResult initialise(CXCursor c, CXCursor parent, CXClientData data)
{
	struct initialising *to = data;
	struct audit_reader *r = to->l->reader;
	const enum CXCursorKind kind = cursor_kind(r, c);

	(void)parent;
	if (kind == CXCursor_MemberRef) {
		to->field = r->clang.getCursorReferenced(c);
		to->is_member = true;
	} else if (kind == CXCursor_TypeRef && !to->is_member) {
		to->is_base = true;
	} else if (kind != CXCursor_CompoundStmt && r->clang.isExpression(kind)) {
		const CXCursor call = cxx_peel(r, c);

		if (to->is_member)
			initialise_member(to->l, to->field, c);
		else if (cxx_is_construction(r, call) &&
			 cxx_class_of(r, cursor_type(r, call)) == CXX_OWN)
			call_constructor(to->l, call, cxx_deref(to->l, c, cxx_this(to->l, c)));
		to->is_member = to->is_base = false;
	}
	return CXChildVisit_Continue;
}

/* The locks among the members are new, or end. */
struct locks {
	struct lower *l;
	CXCursor c;
	bool ends;
};

static enum CXVisitorResult touch_lock(CXCursor field, CXClientData data)
{
	const struct locks *to = data;
	struct audit_reader *r = to->l->reader;
	const CXType type = r->clang.getCursorType(field);
	OWNED(class) = cxx_class_name(r, type);
	struct audit_expr *e;
	unsigned index;
	STR(name);

	if (cxx_class_of(r, type) != CXX_LOCK || cxx_is_reference(type))
		return CXVisit_Continue;
	index = record_field(r, field);
	e = lower_new(to->l, EXPR_MEMBER, field, 1);
	e->id = index - 1;
	e->is_arrow = true;
	e->operands[0] = cxx_this(to->l, to->c);
	str_addf(&name, "std::%s::%s%s", class, to->ends ? "~" : "", class);
	if (index)
		lower_step(to->l, cxx_call_named(to->l, to->c, str_text(&name),
						 cxx_address(to->l, to->c, e)));
	return CXVisit_Continue;
}

void cxx_enter(struct lower *l, CXCursor definition)
{
	struct audit_reader *r = l->reader;
	const enum CXCursorKind kind = cursor_kind(r, definition);
	struct initialising to = {.l = l};
	struct locks locks = {l, definition, kind == CXCursor_Destructor};
	CHILDREN(parts, r, definition);

	for (unsigned i = 0; i < l->function->locals.count; i++) {
		const CXCursor c = l->declared.items[i];

		if (cursor_kind(r, c) != CXCursor_ParmDecl || i >= l->function->parameters)
			continue;
		if (cxx_is_reference(r->clang.getCanonicalType(r->clang.getCursorType(c))))
			*array_add(&l->references) = i;
		else if (cxx_class_of(r, r->clang.getCursorType(c)) == CXX_HOLDER)
			lower_add_cleanup(l, i, end_of(r, r->clang.getCursorType(c), true));
	}
	if (kind != CXCursor_Constructor && kind != CXCursor_Destructor)
		return;
	lower_step(l, cxx_call_named(l, definition, locks.ends ? "(destructor)" : "(constructor)",
				     cxx_this(l, definition)));
	r->clang.Type_visitFields(
		r->clang.getCursorType(r->clang.getCursorSemanticParent(definition)), touch_lock,
		&locks);
	if (!locks.ends)
		r->clang.visitChildren(definition, initialise, &to);
}

void cxx_leave(struct lower *l, CXCursor definition)
{
	const struct clang *clang = &l->reader->clang;

	if (cursor_kind(l->reader, definition) == CXCursor_Destructor)
		end_members(l, definition,
			    clang->getCursorType(clang->getCursorSemanticParent(definition)));
}
