/* C++ beyond C: interfaces between the files cxx_*.c. What a class of the standard library does is
   in the names of its functions ("std::mutex::lock", see flow/known_cxx.c); lock holders and smart
   pointers are pointers to what they hold. */
#ifndef GATECTL_AUDIT_FRONTEND_CXX_H
#define GATECTL_AUDIT_FRONTEND_CXX_H

#include "tracer/audit/frontend/reader.h"

/* ---- cxx_type.c: names and classes ----------------------------------------------------------- */

/* How a class of the standard library is read. */
enum cxx_class {
	CXX_OWN,    /* not a class, or one of the sources */
	CXX_PLAIN,  /* its functions read or write the object: containers, strings */
	CXX_SAFE,   /* threads may share it without a lock */
	CXX_LOCK,   /* a mutex */
	CXX_ATOMIC, /* std::atomic and std::atomic_flag */
	CXX_WAIT,   /* a condition variable */
	CXX_THREAD, /* std::thread and std::jthread */
	CXX_FUTURE, /* its functions wait for the end of a thread */
	/* Values that are pointers: */
	CXX_HOLDER,   /* holds a lock, and releases it in its destructor */
	CXX_POINTER,  /* smart pointers, references and iterators */
	CXX_FUNCTION, /* std::function: its value is the function */
	CXX_CLOSURE,  /* the type of a lambda expression */
};

/* Returns true if the declaration is in namespace std. */
bool cxx_is_std(const struct audit_reader *r, CXCursor declaration);
/* Returns true for a part of a template, whose types are not known. */
bool cxx_is_pattern(const struct audit_reader *r, CXCursor declaration);
/* Returns how the type, or what it refers to, is read. */
enum cxx_class cxx_class_of(const struct audit_reader *r, CXType type);
/* Returns true for a constructor call. */
bool cxx_is_construction(const struct audit_reader *r, CXCursor c);
/* Returns true for classes whose values are pointers. */
bool cxx_is_pointer(enum cxx_class is);
/* Returns true for a reference. */
bool cxx_is_reference(CXType type);
/* Returns the canonical type; of a reference, what it refers to. */
CXType cxx_bare(const struct audit_reader *r, CXType type);
/* Returns the type that a smart pointer or lock holder is for; of another type itself. */
CXType cxx_held_type(const struct audit_reader *r, CXType type);
/* Returns the class's name without namespaces; the caller frees it. */
char *cxx_class_name(const struct audit_reader *r, CXType type);
/* Returns the USR of the function; of one of the standard library its name, with the name of the
   class `of` that it is called for unless `of` is NULL. */
unsigned cxx_function_id(const struct audit_reader *r, CXCursor function, const CXType *of);
/* Returns the id of a lock's member function by name, or 0. */
unsigned cxx_lock_function(const struct audit_reader *r, CXType lock, const char *name);
/* Returns the name as it is shown: Class::function. */
unsigned cxx_shown_name(const struct audit_reader *r, CXCursor c);
/* Returns the name of the function without its class; the caller frees it. */
char *cxx_plain_name(const struct audit_reader *r, CXCursor function);

/* ---- cxx_make.c: expressions that no cursor has ---------------------------------------------- */

/* Returns an expression with a pointer or number as value. */
struct audit_expr *cxx_new(struct lower *l, enum audit_expr_kind kind, CXCursor c, unsigned count);
/* Returns the address of an lvalue. */
struct audit_expr *cxx_address(struct lower *l, CXCursor c, struct audit_expr *e);
/* Returns what the address refers to, with the type of the cursor. */
struct audit_expr *cxx_deref(struct lower *l, CXCursor c, struct audit_expr *address);
/* Returns `this`, or another value outside of member functions. */
struct audit_expr *cxx_this(struct lower *l, CXCursor c);
/* Returns the name of a function. */
struct audit_expr *cxx_function(struct lower *l, CXCursor c, unsigned id);
/* Returns the function (text of its id) called with the arguments. */
struct audit_expr *cxx_call_of(struct lower *l, CXCursor c, unsigned id, unsigned count,
			       struct audit_expr *const *arguments);
/* Returns a call of the function with this id and one argument. */
struct audit_expr *cxx_call_named(struct lower *l, CXCursor c, const char *name,
				  struct audit_expr *argument);
/* Returns a use of a whole object, as by a member function. */
struct audit_expr *cxx_touch(struct lower *l, CXCursor c, struct audit_expr *object, bool writes);
/* Adds the assignment to the block. */
void cxx_assign(struct lower *l, CXCursor c, struct audit_expr *to, struct audit_expr *value);
/* Adds a local without a name, of the type of the cursor. Returns it. */
struct audit_expr *cxx_temporary(struct lower *l, CXCursor c);
/* Returns an argument for a parameter of this type. */
struct audit_expr *cxx_argument(struct lower *l, CXCursor c, CXType parameter);
/* Returns the arguments without those by default; cursors_fini() frees them. */
struct cursors cxx_arguments(const struct lower *l, CXCursor call);
/* Returns the type of a parameter. */
CXType cxx_parameter(const struct lower *l, CXCursor function, size_t i);
/* Returns the cursor without conversions around it. */
CXCursor cxx_peel(const struct audit_reader *r, CXCursor c);
/* Returns true if the function returns a reference. */
bool cxx_returns_reference(const struct audit_reader *r, CXCursor function);

/* ---- cxx_lambda.c: lambda expressions, threads ----------------------------------------------- */

/* Lowers the lambda expression to a function. Returns its name. */
struct audit_expr *cxx_lambda(struct lower *l, CXCursor c);
/* Returns the function of a variable that is a lambda. */
struct audit_expr *cxx_closure(struct lower *l, CXCursor c);
/* Calls a lambda with these arguments. */
struct audit_expr *cxx_lambda_call(struct lower *l, CXCursor c, CXType closure, unsigned count,
				   struct audit_expr *const *arguments);
/* Returns true if the argument can be called. */
bool cxx_is_callable(const struct lower *l, CXCursor argument);
/* Calls the argument, a function or a lambda. */
struct audit_expr *cxx_invoke(struct lower *l, CXCursor c, CXCursor callable, unsigned count,
			      struct audit_expr *const *arguments);
/* Returns the start of a thread with these arguments, the function first. `handle` is the address
   of the thread object; NULL means none. */
struct audit_expr *cxx_thread(struct lower *l, CXCursor c, struct audit_expr *handle,
			      const struct cursors *arguments);

/* ---- cxx_object.c: constructors, destructors, lock holders ----------------------------------- */

/* Makes a lock holder at the lvalue, and takes its lock (cxx_hold.c). */
void cxx_hold(struct lower *l, CXCursor c, CXType type, CXCursor init, struct audit_expr *target);
/* Constructs an object of the type at the lvalue. `init` may be NULL. */
void cxx_construct(struct lower *l, CXCursor c, CXType type, const CXCursor *init,
		   struct audit_expr *target);
/* Returns the id of the destructor of a class, or 0 if it does nothing with locks and threads. */
unsigned cxx_destructor(struct audit_reader *r, CXType type);
/* Lowers the declaration of a variable. Returns true. */
bool cxx_variable(struct lower *l, CXCursor c);
/* Returns a temporary object. */
struct audit_expr *cxx_temporary_object(struct lower *l, CXCursor c);
/* Returns the value that a return statement gives. */
struct audit_expr *cxx_result(struct lower *l, CXCursor value);
/* Names the function and adds `this`. */
void cxx_begin(struct lower *l, CXCursor definition);
/* Initializes references and members, before the body. */
void cxx_enter(struct lower *l, CXCursor definition);
/* Ends the members, after the body of a destructor. */
void cxx_leave(struct lower *l, CXCursor definition);

/* ---- cxx_std.c: functions of the standard library -------------------------------------------- */

/* A call of a member function. */
struct cxx_call {
	CXCursor function;
	CXType type;		   /* of the object */
	struct audit_expr *object; /* an lvalue; NULL for a static member function */
	struct cursors arguments;  /* without the object */
};

/* Calls a member function of a class of the standard library. */
struct audit_expr *cxx_std_method(struct lower *l, CXCursor c, const struct cxx_call *called);
/* Calls another function, or returns NULL if it is none of the standard library. */
struct audit_expr *cxx_std_function(struct lower *l, CXCursor c, CXCursor function);

/* ---- cxx_expr.c, cxx_stmt.c ------------------------------------------------------------------ */

/* Lowers an expression that C lacks, or returns NULL. */
struct audit_expr *cxx_expr(struct lower *l, CXCursor c, const struct cursors *parts);
/* Lowers a statement that C lacks, or returns false. */
bool cxx_statement(struct lower *l, CXCursor c, const struct cursors *parts);

/* ---- cxx_unit.c: a unit ---------------------------------------------------------------------- */

/* A variable that a lambda captures. */
struct cxx_capture {
	CXCursor variable; /* null: `this` */
	bool by_reference;
};

struct cxx_lambda {
	CXCursor closure; /* declaration of its class */
	unsigned usr;
	ARRAY(struct cxx_capture) captures;
};

/* State of the current unit; its cursors live as long as the unit. */
struct cxx_unit {
	ARRAY(struct cxx_lambda) lambdas;
	struct cursors wanted;	       /* functions that are called, to be lowered */
	struct number_map known;       /* USRs of `wanted` */
	struct number_map destructors; /* USR of a class to the id of its destructor + 1 */
};

extern const struct lower_language cxx_language;
/* Returns text that calls the destructors of classes that templates make, to be appended to the
   source, or NULL; the caller frees it. */
char *cxx_appendix(struct audit_reader *r);
/* Returns true for a function of that text. */
bool cxx_is_appended(const struct audit_reader *r, CXCursor c);
/* Finds the destructors that the appended text calls. */
void cxx_read_appendix(struct audit_reader *r);
/* Reads the functions that were asked for, and those that they ask for. */
void cxx_read_wanted(struct audit_reader *r);
/* Frees what is known of the unit. */
void cxx_unit_fini(struct cxx_unit *u);
/* Asks for the function to be read, if its body is known. */
void cxx_want(struct audit_reader *r, CXCursor function);
/* Returns true for the name of a file in C++. */
bool cxx_is_source(const char *file);

#endif
