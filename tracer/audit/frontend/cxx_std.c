/* C++: calls of functions of the standard library. */
#include "tracer/audit/frontend/cxx.h"
#include "tracer/base/text/word.h"

#include <string.h>

/* A call of a member function. */
struct std_call {
	struct lower *l;
	CXCursor c, function;
	CXType type;		   /* of the object */
	struct audit_expr *object; /* an lvalue; NULL for a static member function */
	struct cursors arguments;  /* without the object */
	const char *name;
	bool keeps; /* keeps the functions that it gets, to be called later */
};

static bool is_any(const char *name, const char *names)
{
	return word_find(names, name, strlen(name)) != NULL;
}

/* The i-th argument's value; 0 if there is none. */
static struct audit_expr *argument_of(const struct std_call *s, size_t i)
{
	return i < s->arguments.count ? lower_expr(s->l, s->arguments.items[i])
				      : cxx_new(s->l, EXPR_CONSTANT, s->c, 0);
}

/* An argument of a function that reads what a reference to const refers to, and writes what others
   refer to. */
static struct audit_expr *used_argument(const struct std_call *s, size_t i)
{
	struct lower *l = s->l;
	const struct clang *clang = &l->reader->clang;
	const CXCursor c = s->arguments.items[i];
	const CXType parameter = cxx_parameter(l, s->function, i);
	struct audit_expr *e = lower_expr(l, c);

	if (!s->keeps && cxx_class_of(l->reader, cursor_type(l->reader, c)) == CXX_CLOSURE)
		return cxx_new(l, EXPR_OTHER, c, 0);
	if (!cxx_is_reference(parameter) || cxx_class_of(l->reader, parameter) != CXX_PLAIN)
		return cxx_touch(l, c, e, false);
	return cxx_touch(l, c, e,
			 !clang->isConstQualifiedType(clang->getPointeeType(parameter)) &&
				 parameter.kind == CXType_LValueReference);
}

static struct audit_expr *other_of(const struct std_call *s, struct audit_expr *first)
{
	const unsigned count = (unsigned)s->arguments.count;
	struct audit_expr *e = lower_new(s->l, EXPR_OTHER, s->c, count + 1);

	e->operands[0] = first ? first : cxx_new(s->l, EXPR_OTHER, s->c, 0);
	for (unsigned i = 0; i < count; i++)
		e->operands[i + 1] = used_argument(s, i);
	return e;
}

/* Calls a function that flow/known_cxx.c knows by the class and name. */
static struct audit_expr *known_call(const struct std_call *s, struct audit_expr *first)
{
	const unsigned id = cxx_function_id(s->l->reader, s->function, &s->type),
		       count = (unsigned)s->arguments.count;
	struct audit_expr *e = lower_new(s->l, EXPR_CALL, s->c, count + 2);

	e->operands[0] = cxx_function(s->l, s->c, id);
	e->operands[1] = first;
	for (unsigned i = 0; i < count; i++)
		e->operands[i + 2] = lower_expr(s->l, s->arguments.items[i]);
	return e;
}

/* ---- atomics --------------------------------------------------------------------------------- */

static struct audit_expr *atomic(const struct std_call *s)
{
	struct audit_expr *e;
	unsigned kind = ATOMIC_UPDATE;

	if (is_any(s->name, "wait notify_one notify_all is_lock_free"))
		return other_of(s, NULL);
	if (is_any(s->name, "load test") ||
	    cursor_kind(s->l->reader, s->function) == CXCursor_ConversionFunction)
		kind = ATOMIC_LOAD;
	else if (is_any(s->name, "store clear") || strcmp(s->name, "operator=") == 0)
		kind = ATOMIC_STORE;
	else if (is_any(s->name, "exchange compare_exchange_weak compare_exchange_strong "
				 "test_and_set"))
		kind = ATOMIC_EXCHANGE;
	e = lower_new(s->l, EXPR_ATOMIC, s->c, (unsigned)s->arguments.count + 1);
	e->id = kind;
	e->operands[0] = cxx_address(s->l, s->c, s->object);
	for (unsigned i = 0; i < s->arguments.count; i++)
		e->operands[i + 1] = lower_expr(s->l, s->arguments.items[i]);
	return e;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static bool is_shared_holder(const struct std_call *s)
{
	OWNED(class) = cxx_class_name(s->l->reader, s->type);

	return strcmp(class, "shared_lock") == 0;
}

/* The lock's own function for one of its holder. */
static struct audit_expr *of_lock(const struct std_call *s)
{
	const struct audit_reader *r = s->l->reader;
	STR(name);

	str_add(&name, s->name);
	if (is_shared_holder(s)) {
		str_clear(&name);
		str_add(&name, strncmp(s->name, "try_lock", 8) == 0 ? "try_lock_shared"
			       : *s->name == 'l'		    ? "lock_shared"
								    : "unlock_shared");
	}
	return cxx_call_of(s->l, s->c,
			   cxx_lock_function(r, cxx_held_type(r, s->type), str_text(&name)), 1,
			   &s->object);
}

static struct audit_expr *holder(const struct std_call *s)
{
	struct audit_expr *was;

	if (is_any(s->name, "lock unlock try_lock try_lock_for try_lock_until"))
		return of_lock(s);
	if (strcmp(s->name, "operator=") == 0 && s->arguments.count == 1) {
		cxx_assign(s->l, s->c, s->object, argument_of(s, 0));
		return s->object;
	}
	if (strcmp(s->name, "release") == 0) {
		was = cxx_temporary(s->l, s->c);
		cxx_assign(s->l, s->c, was, s->object);
		cxx_assign(s->l, s->c, s->object, cxx_new(s->l, EXPR_CONSTANT, s->c, 0));
		return was;
	}
	if (strcmp(s->name, "mutex") == 0)
		return s->object;
	if (is_any(s->name, "owns_lock bool"))
		return cxx_call_named(s->l, s->c, "std::unique_lock::owns_lock", s->object);
	return other_of(s, NULL);
}

/* ---- condition variables --------------------------------------------------------------------- */

struct cxx_wait {
	const struct std_call *call;
	struct audit_expr *lock;
};

static struct audit_expr *one_wait(const struct cxx_wait *w)
{
	const struct std_call *s = w->call;
	struct audit_expr *operands[] = {cxx_address(s->l, s->c, s->object), w->lock};

	return cxx_call_of(s->l, s->c, cxx_function_id(s->l->reader, s->function, &s->type), 2,
			   operands);
}

static void wait_round(struct lower *l, void *data)
{
	const struct cxx_wait *w = data;
	CXCursor last = w->call->arguments.items[w->call->arguments.count - 1];

	lower_step(l, one_wait(w));
	lower_step(l, cxx_invoke(l, w->call->c, last, 0, NULL));
}

/* wait() with a predicate evaluates it before each wait and after the last. */
static struct audit_expr *wait(const struct std_call *s)
{
	struct cxx_wait w = {s, NULL};
	const size_t count = s->arguments.count;

	if (strncmp(s->name, "wait", 4) != 0 || !count)
		return known_call(s, cxx_address(s->l, s->c, s->object));
	w.lock = lower_expr(s->l, s->arguments.items[0]);
	if (!cxx_is_callable(s->l, s->arguments.items[count - 1]))
		return one_wait(&w);
	lower_step(s->l, cxx_invoke(s->l, s->c, s->arguments.items[count - 1], 0, NULL));
	lower_rounds(s->l, false, wait_round, &w);
	return cxx_new(s->l, EXPR_OTHER, s->c, 0);
}

/* ---- pointers and functions ------------------------------------------------------------------ */

static struct audit_expr *pointer(const struct std_call *s)
{
	struct lower *l = s->l;
	struct audit_expr *e;

	if (strcmp(s->name, "operator*") == 0)
		return cxx_deref(l, s->c, s->object);
	if (is_any(s->name, "get lock bool") || strcmp(s->name, "operator->") == 0)
		return s->object;
	if (strcmp(s->name, "operator[]") == 0) {
		e = lower_new(l, EXPR_INDEX, s->c, 2);
		e->operands[0] = s->object;
		e->operands[1] = argument_of(s, 0);
		return e;
	}
	if (strcmp(s->name, "reset") == 0 || strcmp(s->name, "operator=") == 0) {
		cxx_assign(l, s->c, s->object, argument_of(s, 0));
		return s->object;
	}
	if (strcmp(s->name, "release") == 0)
		return s->object;
	if (strcmp(s->name, "operator==") == 0 || strcmp(s->name, "operator!=") == 0) {
		e = lower_new(l, s->name[8] == '=' ? EXPR_EQUAL : EXPR_UNEQUAL, s->c, 2);
		e->operands[0] = s->object;
		e->operands[1] = argument_of(s, 0);
		return e;
	}
	/* An iterator's step stays in its container. */
	return other_of(s, s->object);
}

static struct audit_expr *function(const struct std_call *s)
{
	struct audit_expr *e;

	if (strcmp(s->name, "operator()") == 0) {
		e = lower_new(s->l, EXPR_CALL, s->c, (unsigned)s->arguments.count + 1);
		e->operands[0] = s->object;
		for (unsigned i = 0; i < s->arguments.count; i++)
			e->operands[i + 1] = lower_expr(s->l, s->arguments.items[i]);
		return e;
	}
	return pointer(s);
}

/* ---- containers and strings ------------------------------------------------------------------ */

/* Functions that do not count as writes: C++20 [container.requirements.dataraces]. */
static bool is_read(const struct std_call *s)
{
	return s->l->reader->clang.CXXMethod_isConst(s->function) ||
	       is_any(s->name, "begin end rbegin rend front back data find lower_bound "
			       "upper_bound equal_range at cbegin cend top") ||
	       strcmp(s->name, "operator[]") == 0 || strcmp(s->name, "operator->") == 0 ||
	       strcmp(s->name, "operator*") == 0;
}

/* An element of the container, as an lvalue. */
static struct audit_expr *element(const struct std_call *s)
{
	struct audit_expr *e = lower_new(s->l, EXPR_INDEX, s->c, 2);

	e->operands[0] = cxx_address(s->l, s->c, s->object);
	e->operands[1] = argument_of(s, 0);
	return e;
}

/* emplace() of a thread makes one. */
static struct audit_expr *emplaced_thread(const struct std_call *s)
{
	const struct audit_reader *r = s->l->reader;
	CXType bare = cxx_bare(r, s->type), of;

	if (strncmp(s->name, "emplace", 7) != 0 || !s->arguments.count ||
	    r->clang.Type_getNumTemplateArguments(bare) < 1)
		return NULL;
	of = r->clang.Type_getTemplateArgumentAsType(bare, 0);
	return cxx_class_of(r, of) == CXX_THREAD ? cxx_thread(s->l, s->c, NULL, &s->arguments)
						 : NULL;
}

static struct audit_expr *plain(const struct std_call *s)
{
	const enum cxx_class result = cxx_class_of(
		s->l->reader,
		s->l->reader->clang.getResultType(s->l->reader->clang.getCursorType(s->function)));
	struct audit_expr *e = emplaced_thread(s);

	if (e)
		return e;
	if (strcmp(s->name, "operator=") == 0 && s->arguments.count == 1) {
		e = lower_new(s->l, EXPR_ASSIGN, s->c, 2);
		e->record = 0;
		e->operands[0] = s->object;
		e->operands[1] = used_argument(s, 0);
		return e;
	}
	if (!is_read(s))
		return other_of(s, cxx_touch(s->l, s->c, s->object, true));
	if (cxx_returns_reference(s->l->reader, s->function))
		return element(s);
	if (result != CXX_POINTER)
		return other_of(s, cxx_touch(s->l, s->c, s->object, false));
	lower_step(s->l, cxx_touch(s->l, s->c, s->object, false));
	return cxx_address(s->l, s->c, element(s));
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static struct audit_expr *thread(const struct std_call *s)
{
	CXCursor from;

	if (strcmp(s->name, "join") == 0)
		return known_call(s, cxx_address(s->l, s->c, s->object));
	if (strcmp(s->name, "operator=") != 0 || s->arguments.count != 1)
		return other_of(s, NULL);
	from = cxx_peel(s->l->reader, s->arguments.items[0]);
	if (cursor_kind(s->l->reader, from) == CXCursor_CallExpr &&
	    cursor_kind(s->l->reader, s->l->reader->clang.getCursorReferenced(from)) ==
		    CXCursor_Constructor) {
		cxx_construct(s->l, s->c, s->type, &from, s->object);
		return cxx_new(s->l, EXPR_OTHER, s->c, 0);
	}
	return lower_expr(s->l, from);
}

static struct audit_expr *call_std(const struct std_call *s)
{
	switch (s->object ? cxx_class_of(s->l->reader, s->type) : CXX_SAFE) {
	case CXX_ATOMIC:
		return atomic(s);
	case CXX_LOCK:
	case CXX_FUTURE:
		return known_call(s, cxx_address(s->l, s->c, s->object));
	case CXX_HOLDER:
		return holder(s);
	case CXX_WAIT:
		return wait(s);
	case CXX_THREAD:
		return thread(s);
	case CXX_POINTER:
		return pointer(s);
	case CXX_FUNCTION:
		return function(s);
	case CXX_PLAIN:
		return plain(s);
	default:
		return other_of(s, NULL);
	}
}

struct audit_expr *cxx_std_method(struct lower *l, CXCursor c, const struct cxx_call *called)
{
	const bool converts =
		cursor_kind(l->reader, called->function) == CXCursor_ConversionFunction;
	OWNED(name) = cxx_plain_name(l->reader, called->function);
	struct std_call s = {
		l,    c,   called->function, called->type, called->object, called->arguments,
		name, true};

	/* "operator bool" and others: the type that it converts to. */
	if (converts && strncmp(name, "operator ", 9) == 0)
		s.name = name + 9;
	if (converts && called->object && cxx_class_of(l->reader, called->type) == CXX_POINTER)
		s.name = "get";
	return call_std(&s);
}

/* ---- other functions ------------------------------------------------------------------------- */

/* std::move() of a lock holder leaves it empty. */
static struct audit_expr *moved_value(const struct std_call *s)
{
	struct audit_expr *e = lower_expr(s->l, s->arguments.items[0]), *was;

	if (strcmp(s->name, "move") != 0 ||
	    cxx_class_of(s->l->reader, cursor_type(s->l->reader, s->arguments.items[0])) !=
		    CXX_HOLDER)
		return e;
	was = cxx_temporary(s->l, s->arguments.items[0]);
	cxx_assign(s->l, s->c, was, e);
	cxx_assign(s->l, s->c, e, cxx_new(s->l, EXPR_CONSTANT, s->c, 0));
	return was;
}

static struct audit_expr *lock_all(const struct std_call *s)
{
	struct audit_expr *e = lower_new(s->l, EXPR_CALL, s->c, (unsigned)s->arguments.count + 1);

	e->operands[0] = cxx_function(s->l, s->c, cxx_function_id(s->l->reader, s->function, NULL));
	for (unsigned i = 0; i < s->arguments.count; i++) {
		CXCursor c = s->arguments.items[i];
		struct audit_expr *is = lower_expr(s->l, c);

		/* The value of a lock holder is its lock. */
		e->operands[i + 1] =
			cxx_class_of(s->l->reader, cursor_type(s->l->reader, c)) == CXX_HOLDER
				? is
				: cxx_address(s->l, s->c, is);
	}
	return e;
}

static struct audit_expr *once(const struct std_call *s)
{
	struct audit_expr *operands[] = {
		cxx_address(s->l, s->c, lower_expr(s->l, s->arguments.items[0])),
		lower_expr(s->l, s->arguments.items[1]),
	};

	return cxx_call_of(s->l, s->c, cxx_function_id(s->l->reader, s->function, NULL), 2,
			   operands);
}

/* std::async() runs a function in a thread, unless it is asked not to. */
static struct audit_expr *async(const struct std_call *s)
{
	struct cursors rest = s->arguments;

	if (!cxx_is_callable(s->l, rest.items[0])) {
		rest.items++;
		rest.count--;
	}
	return cxx_thread(s->l, s->c, NULL, &rest);
}

static struct audit_expr *equal(const struct std_call *s)
{
	struct audit_expr *e =
		lower_new(s->l, s->name[8] == '=' ? EXPR_EQUAL : EXPR_UNEQUAL, s->c, 2);

	e->operands[0] = argument_of(s, 0);
	e->operands[1] = argument_of(s, 1);
	return e;
}

/* An algorithm calls the functions that it gets, with elements of its first range. */
static struct audit_expr *algorithm(const struct std_call *s)
{
	struct audit_expr *e = other_of(s, NULL), *elements[2];

	elements[0] = elements[1] = s->arguments.count ? e->operands[1] : e;
	for (size_t i = 1; i < s->arguments.count; i++)
		if (cxx_is_callable(s->l, s->arguments.items[i]))
			lower_step(s->l,
				   cxx_invoke(s->l, s->c, s->arguments.items[i], 2, elements));
	return e;
}

struct audit_expr *cxx_std_function(struct lower *l, CXCursor c, CXCursor called)
{
	OWNED(name) = cxx_plain_name(l->reader, called);
	struct std_call s = {.l = l, .c = c, .function = called, .name = name};
	struct audit_expr *e;

	if (!cxx_is_std(l->reader, called))
		return NULL;
	s.arguments = cxx_arguments(l, c);
	if (s.arguments.count == 1 && is_any(name, "move forward as_const move_if_noexcept"))
		e = moved_value(&s);
	else if (s.arguments.count == 1 && is_any(name, "ref cref addressof"))
		e = cxx_address(l, c, lower_expr(l, s.arguments.items[0]));
	else if (is_any(name, "make_unique make_shared"))
		e = cxx_call_named(l, c, "operator-new", other_of(&s, NULL));
	else if (strcmp(name, "lock") == 0)
		e = lock_all(&s);
	else if (strcmp(name, "call_once") == 0 && s.arguments.count > 1)
		e = once(&s);
	else if (strcmp(name, "async") == 0 && s.arguments.count)
		e = async(&s);
	else if ((strcmp(name, "operator==") == 0 || strcmp(name, "operator!=") == 0) &&
		 s.arguments.count == 2)
		e = equal(&s);
	else if (strcmp(name, "terminate") == 0)
		e = cxx_call_named(l, c, "std::terminate", cxx_new(l, EXPR_OTHER, c, 0));
	else
		e = algorithm(&s);
	cursors_fini(&s.arguments);
	return e;
}
