/* Analysis of one function: interfaces between the files of this folder. */
#ifndef GATECTL_AUDIT_FLOW_FLOW_H
#define GATECTL_AUDIT_FLOW_FLOW_H

#include "tracer/audit/audit.h"

/* ---- state.c: abstract state at one point ---------------------------------------------------- */

/* Signs of a value. is_stale: the value was loaded, and a new load may give another one. */
struct state_truth {
	unsigned term, signs;
	bool is_stale;
	/* is_locked: tested under a lock. is_of_section: of a critical section that has ended, and
	   not loaded again. */
	bool is_locked, is_of_section;
};

enum { SECTION_LOADS = 8 };

enum state_kind {
	/* May-events, true on some path: */
	STATE_VISIBLE, /* the object is published */
	STATE_FREED,   /* the object loaded from the address was freed */
	STATE_STORED,  /* an unpublished object was stored at the address */
	STATE_LOADED,  /* the atomic at the address was loaded */
	/* Must-events, true on all paths: */
	STATE_WRITTEN, /* the address was written; `object` equals `address` */
	/* The object was stored at an address of the caller's or of a new object. */
	STATE_OUT,
};

struct state_event {
	enum state_kind kind;
	unsigned object, address;
	unsigned lock; /* a lock that was held then; 0 if none */
	struct audit_place at;
	/* STATE_VISIBLE: the only thread function (USR) that got it, or 0. is_of_unsure: stored
	   in an object of the caller's that may not be shared. */
	unsigned thread;
	bool is_of_unsure;
	unsigned result; /* of the call that made the thread: not 0 where there is none; or 0 */
};

/* Abstract state at one point. Paths with different locksets have separate states (trace
   partitioning, Rival and Mauborgne 2007), so a lock in a state is held for certain, and flags set
   together with it stay related. */
struct state {
	unsigned *values; /* terms of the locals */
	unsigned locals;
	ARRAY(struct audit_held) held; /* sorted by lock */
	ARRAY(struct state_truth) truths;
	ARRAY(struct state_event) events;
	unsigned seen[SECTION_LOADS]; /* values that were loaded under a lock, the latest ones */
	unsigned seen_count;
	bool makes_threads, joins_threads, never; /* never: the point is unreachable */
};

/* Declares a local state that is freed at the end of its scope. */
#define STATE(name) struct state name __attribute__((cleanup(state_fini))) = {0}
/* Initializes an empty state. */
void state_init(struct state *s, unsigned locals);
/* Copies to `to`, which must not own anything. */
void state_copy(struct state *to, const struct state *from);
/* Frees what the state owns. */
void state_fini(struct state *s);

/* Returns true if both states have the same lockset. */
bool state_holds_same(const struct state *a, const struct state *b);
/* If the locksets differ only in the object that one local points to, renames that object to the
   local's TERM_JOIN in both and returns true: a hand-over-hand walk holds one lock. */
bool state_rename_locks(struct state *a, struct state *b, struct terms *t, unsigned block);
/* Joins `from` into s; differing values become TERM_JOIN of the block. Returns true if s has
   changed. */
bool state_join(struct state *s, const struct state *from, struct terms *t, unsigned block);
/* Intersects the locksets. Returns true if s has changed. */
bool state_meet_locks(struct state *s, const struct state *from);

/* Returns the new object that the call of this site makes. Objects of earlier rounds of a loop get
   another term. */
unsigned state_renew(struct state *s, struct terms *t, unsigned site, bool is_zeroed);

/* Returns the moment of the state. */
enum audit_moment state_moment(const struct state *s);

/* Returns the lock's item, or NULL. */
struct audit_held *state_held(struct state *s, unsigned lock);
/* Returns some lock that is held, or 0. */
unsigned state_any_lock(const struct state *s);
/* Adds a lock to the lockset. */
void state_take(struct state *s, const struct audit_held *h);

/* The address is written, in some object: marks what was loaded from such places as stale. */
void state_change(const struct audit *a, struct state *s, unsigned address);
/* Returns the key in audit.flags of a place (audit_lock_key()), or of some bits of it. */
unsigned state_flag(unsigned place, unsigned bits);
/* Other threads or unknown code may write: marks all that was loaded as stale, but for flags that
   decide whether locks are taken. */
void state_change_all(const struct audit *a, struct state *s);
/* Forgets stale truths of the term, which is loaded again. */
void state_load(struct state *s, const struct terms *t, unsigned term);
/* Notes a value that is loaded under a lock. */
void state_see(struct state *s, unsigned value);
/* A lock is taken: decisions by values of an earlier critical section are of that one. */
void state_begin_section(struct state *s, const struct terms *t);
/* Replaces what is known of the term; what was tested last is the last. */
void state_know(struct state *s, unsigned term, unsigned signs);
/* Returns a new value of the expression at `site`, which only this evaluation has. */
unsigned state_anything(struct state *s, struct terms *t, unsigned site);
/* Returns the result of a try of the lock, without truths of an earlier one; 0 for no lock. */
unsigned state_tried(struct state *s, struct terms *t, unsigned lock, unsigned how);
/* Forgets all truths of the term. */
void state_forget(struct state *s, const struct terms *t, unsigned term);
/* Returns the set of signs that the term may have. */
unsigned state_signs(const struct state *s, const struct terms *t, unsigned term);
/* Returns 1 if the term is zero, 0 if not, -1 if unknown. */
int state_is_zero(const struct state *s, const struct terms *t, unsigned term);

/* Returns the first event with this object and address (0 means any), or NULL. */
const struct state_event *state_find(const struct state *s, enum state_kind kind, unsigned object,
				     unsigned address);
/* Adds the event, unless there is one with its kind, object and address. */
void state_note(struct state *s, const struct state_event *e);
/* Removes events of this kind and address; with `held` only those whose lock is held. */
void state_drop(struct state *s, enum state_kind kind, unsigned address, bool held);
/* The term means another object from now on, which is not known to be shared. */
void state_forget_shared(struct state *s, unsigned object);
/* Adds STATE_WRITTEN for the address. */
void state_write(struct state *s, unsigned address);
/* Returns true if too many addresses were written to list them: all count as written. */
bool state_writes_all(const struct state *s);
/* Returns the object of STATE_OUT at the address, or 0. */
unsigned state_out(const struct state *s, unsigned address);
/* Sets STATE_OUT at the address. */
void state_put_out(struct state *s, unsigned address, unsigned object);

/* ---- one function ---------------------------------------------------------------------------- */

/* A return of the function. */
struct flow_exit {
	unsigned value, signs; /* of the returned value */
	struct audit_place at;
	struct audit_helds held;
	struct audit_conditions when;
	ARRAY(struct state_event) out; /* STATE_OUT at the caller's addresses */
};

/* A new object and its struct (+ 1). */
struct flow_new {
	unsigned object, record;
};

/* A field that is updated from its own value, like a reference count. */
struct flow_count {
	unsigned address;
	struct audit_place at;
};

/* A lock that is released in a block. */
struct flow_release {
	unsigned lock, block;
};

struct audit_flow {
	struct audit *audit;
	struct terms *t;	 /* owned by `audit` */
	struct audit_program *p; /* owned by `audit` */
	const struct audit_function *function;
	unsigned index;		 /* index of the function */
	const struct state *now; /* the state that is evaluated, or NULL */
	unsigned block;		 /* index of the block that is evaluated */
	unsigned owner;		 /* object that another one is stored in at the moment, or 0 */
	struct audit_facts *facts;
	bool records;		    /* the recording pass after the fixed point */
	bool compares;		    /* compares addresses, which orders locks */
	bool has_new_flags;	    /* some were added to audit.flags */
	unsigned constructs;	    /* object that this constructor or destructor is of, or 0 */
	struct number_map known;    /* accesses of `facts`, by hash */
	struct number_map acquired; /* acquisitions of `facts`, by lock */
	struct number_map made;	    /* objects of DEED_MADE */
	struct number_map twice;    /* locks taken while held */
	struct number_map takers;   /* locks: index + 1 of the called function that takes them */
	/* Locals (+ 1) whose address is kept somewhere: any call may change them. */
	struct number_map kept;
	ARRAY(struct flow_release) released;
	ARRAY(struct flow_exit) exits;
	ARRAY(struct flow_new) fresh;
	ARRAY(struct flow_count) counts;
};

/* Returns the facts of a function, analysing it if needed. Facts of a function whose analysis has
   begun are incomplete (recursion). */
const struct audit_facts *audit_facts_of(struct audit *a, unsigned function);

/* ---- evaluate.c: expressions ----------------------------------------------------------------- */

/* Evaluates the expression. Returns its value. */
unsigned evaluate(struct audit_flow *w, struct state *s, const struct audit_expr *e);
/* Evaluates a condition: the values of both sides of a comparison, or the value of the
   condition. */
void evaluate_condition(struct audit_flow *w, struct state *s, const struct audit_expr *e,
			unsigned values[2]);
/* Adds that the term has one of the signs; sets s->never if that is impossible. */
void evaluate_known(struct audit_flow *w, struct state *s, unsigned term, unsigned signs,
		    struct audit_place at);
/* Adds what is known where the condition with these values holds (or not); sets s->never if that is
   impossible. */
void evaluate_branch(struct audit_flow *w, struct state *s, const struct audit_expr *e,
		     const unsigned values[2], bool holds);

/* ---- signs.c: signs of values and of results of comparisons ---------------------------------- */

/* Returns the sign of the number. */
unsigned signs_of_number(long number);
/* Returns the signs after a minus sign. */
unsigned signs_negated(unsigned signs);
/* Returns the signs of the comparison's result, 0 or 1, for a left side with these signs. */
unsigned signs_compared(enum audit_expr_kind kind, unsigned signs, long with);
/* Returns the signs of left sides for which the comparison may hold, or may not hold. */
unsigned signs_where(enum audit_expr_kind kind, long with, bool holds);
/* Returns the result of the comparison. */
bool signs_compare_numbers(enum audit_expr_kind kind, long a, long b);
/* Returns the comparison with its sides exchanged. */
enum audit_expr_kind signs_mirrored(enum audit_expr_kind kind);
/* Returns the result of a try after a comparison with a number. */
unsigned signs_tried_compared(struct terms *t, struct term tried, enum audit_expr_kind kind,
			      long with);
/* Returns the result of a try after a minus sign. */
unsigned signs_tried_negated(struct terms *t, struct term tried);
/* Returns `tried ? yes : no`. */
unsigned signs_tried_chosen(struct terms *t, struct term tried, long yes, long no);

/* ---- calls.c --------------------------------------------------------------------------------- */

/* Evaluates a call. Returns its value. */
unsigned evaluate_call(struct audit_flow *w, struct state *s, const struct audit_expr *e);

/* ---- known.c: functions known by name -------------------------------------------------------- */

enum call_effect {
	DOES_NOTHING, /* unknown function */
	DOES_LOCK,
	DOES_LOCK_SHARED,
	DOES_LOCK_RECURSIVE, /* a lock that may be taken twice */
	DOES_TRY,	     /* the lock is taken if the result is 0 */
	DOES_TRY_SHARED,
	DOES_TRY_TRUE, /* the lock is taken if the result is not 0 */
	DOES_UNLOCK,
	DOES_SEM_WAIT, /* if the semaphore is a lock */
	DOES_SEM_POST,
	DOES_INIT,
	DOES_INIT_RECURSIVE,
	DOES_DESTROY,
	DOES_ALLOCATE,
	DOES_ALLOCATE_ZEROED,
	DOES_FREE,
	DOES_THREAD,	 /* arguments 3 and 4 are function and its argument */
	DOES_C11_THREAD, /* arguments 2 and 3 are function and its argument */
	DOES_JOIN,
	DOES_WAIT, /* waits for a condition */
	DOES_ONCE,
	DOES_WRITE, /* writes what argument 1 points to */
	DOES_COPY,  /* copies what argument 2 points to there */
	DOES_END,
	DOES_SUCCEED,  /* the result is 0: with valid arguments it cannot fail */
	DOES_SET_JUMP, /* its second return has the lockset of the longjmp() */
	/* Effects that only C++ has (effects_cxx.c): */
	DOES_CXX_THREAD,      /* argument 2 is the function; those from 3 on are given to it */
	DOES_TRY_SHARED_TRUE, /* the lock is taken if the result is not 0 */
	DOES_LOCK_ALL,	      /* takes all locks that it gets, in no order */
	DOES_MAKE,	      /* constructor or destructor of the object */
	/* End of a lock holder at the address: its lock is released if it is held here, or if a
	   caller may hold it. */
	DOES_RELEASE,
	DOES_RELEASE_GIVEN,
	DOES_OWNS, /* whether the lock is held */
};

/* Returns the effect of a function by name; DOES_NOTHING if unknown. */
enum call_effect call_effect_of(const struct audit_options *o, const char *name);
/* Returns the effect of a function of C++ (known_cxx.c): "std::CLASS::FUNCTION", and what the
   frontend calls "operator-new" and the like. */
enum call_effect call_effect_cxx(const char *name);
/* Returns the name in a USR, after the last "@F@"; in C++ the parameters' types follow it. */
const char *known_name_in_usr(const char *usr);
/* Returns true for functions of libraries of threads, which order their own accesses, and of
   C++. */
bool call_synchronizes(const char *name);
/* Returns true if the name looks like a library's function to create a thread. */
bool call_may_make_thread(const char *name);

/* ---- effects_cxx.c --------------------------------------------------------------------------- */

/* A call in one state: its place, and the values of its arguments. */
struct call_state {
	struct audit_flow *w;
	struct state *s;
	const struct audit_expr *e;
	const unsigned *arguments;
	unsigned count;
};

/* Applies an effect that only C++ has, apart from a thread's start. Returns the value. */
unsigned effect_cxx(const struct call_state *c, enum call_effect effect);

/* ---- threads.c ------------------------------------------------------------------------------- */

/* The object is given to a new thread with this function (a term); `is_own`: to the only thread
   that it has. */
void thread_give(struct audit_flow *w, struct state *s, unsigned given, unsigned function,
		 bool is_own, struct audit_place at);
/* Returns true if the thread's handle is part of the object passed to it: each object has one
   thread. */
bool thread_is_of(const struct terms *t, unsigned handle, unsigned given);
/* A thread starts with the function (USR); `how` is as in enum audit_own_thread. */
void thread_note(struct audit_flow *w, unsigned usr, unsigned how);

struct thread_started {
	unsigned function, given, handle; /* terms */
};
/* A thread starts. */
void thread_start(struct audit_flow *w, struct state *s, const struct thread_started *thread,
		  struct audit_place at);

/* ---- fields.c: fields of addresses ----------------------------------------------------------- */

/* Parameters of a function whose use is known. */
enum { FIELD_PARAMETERS = 32 };

/* Returns the innermost field (+ 1) of a shared struct in the address, or the variable that it is
   part of; 0 if there is none or it is a lock. */
unsigned field_of(const struct audit_flow *w, unsigned address);
/* Returns the innermost field (+ 1) of a struct without a lock in the address, or 0. */
unsigned field_of_plain(const struct audit_flow *w, unsigned address);
/* Returns true for a part of a shared struct, or of a variable, that has no lock of its own. */
bool field_is_part(const struct audit_flow *w, unsigned address);
/* Returns true for the address of a field that is no struct of the program's own. */
bool field_is_simple(const struct audit_flow *w, unsigned address);

/* ---- parts.c: parts of objects that are passed to a function --------------------------------- */

/* Writes what the first argument points to, and reads what the second does if it is copied. A whole
   object that is overwritten is not published; a copy of a whole one makes it escape. */
void parts_copy(const struct call_state *c, bool copies);
/* Parts of objects whose address is passed are accessed here, as by list_add(&x->link); `reads` and
   `writes` are bits of parameters. */
void parts_use(const struct call_state *c, unsigned reads, unsigned writes);
/* An unknown function may write what it gets the address of, unless it asks for const. */
void parts_use_unknown(const struct call_state *c);

/* ---- objects.c: accesses and publication ----------------------------------------------------- */

/* Records a read of the address. */
void object_read(struct audit_flow *w, struct state *s, unsigned address,
		 const struct audit_expr *e, bool is_atomic);
/* Records a write and its effects on the state. */
void object_write(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  const struct audit_expr *e, bool is_atomic, bool is_update);
/* Stores the value, without an access. is_part: only the address of a part of the object. */
void object_store(struct audit_flow *w, struct state *s, unsigned address, unsigned value,
		  bool is_part, struct audit_place at);
/* The value is kept: if it is the address of a local, any later call may change that local. */
void object_keep_local(struct audit_flow *w, unsigned value);
/* Keeps a pointer in an object that no other thread has: a load from there gives it again. */
void object_keep(struct audit_flow *w, struct state *s, unsigned address, unsigned value);
/* Publishes the object: other threads can reach it from now on; `thread` is the function (USR) of
   the only one that can, or 0. */
void object_show(struct audit_flow *w, struct state *s, unsigned object, unsigned thread,
		 struct audit_place at);
/* The object is destroyed: it must not be reachable from where it was loaded. */
void object_end(struct audit_flow *w, struct state *s, unsigned object, struct audit_place at);
/* The object is freed; `always`: on every path of a called function. */
void object_free(struct audit_flow *w, struct state *s, unsigned object, bool always,
		 struct audit_place at);
/* The field at the address is updated from its own value. */
void object_count(struct audit_flow *w, unsigned address, struct audit_place at);
/* The object is initialized or destroyed: no other thread has it. */
void object_make(struct audit_flow *w, unsigned object);
/* Returns true after object_make() of the object. */
bool object_is_made(const struct audit_flow *w, unsigned object);
/* The address of a part of the object escapes to other code; `how` is for the message. */
void object_escape(struct audit_flow *w, unsigned address, const char *how, bool is_for_call,
		   struct audit_place at);
/* A whole shared object is copied. is_to_own: into an object that no other thread has. */
void object_copy(struct audit_flow *w, unsigned object, bool is_to_own, struct audit_place at);
/* Returns true if the object is not published. */
bool object_is_own(const struct audit_flow *w, const struct state *s, unsigned object);
/* Notes an access to the object of a parameter. */
void object_note_use(struct audit_flow *w, const struct state *s, unsigned address, bool writes);
/* Adds an access by a function that gets the address; `flags` as in struct audit_access. */
void object_pass(struct audit_flow *w, const struct state *s, unsigned address, unsigned flags,
		 struct audit_place at);
/* Adds an access of a function that is called at the place, with this lockset. */
void object_access_inside(struct audit_flow *w, struct state *s, const struct audit_access *inner,
			  struct audit_helds held, const struct term_binding *b,
			  struct audit_place at);
/* The function returns the value. */
void object_leave(struct audit_flow *w, struct state *s, unsigned value, struct audit_place at);
/* Adds a suspicion in the recording pass, unless it is known. */
void suspect(struct audit_flow *w, const struct suspicion *s);

/* ---- locks.c --------------------------------------------------------------------------------- */

/* Acquires the lock, unconditionally. */
void lock_take(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
	       struct audit_place at);
/* Returns true for the address of a lock that the program makes of an atomic or a semaphore. */
bool lock_is_own(const struct audit_flow *w, unsigned address);
/* Tries to acquire such a lock, in a loop. Returns the result. */
unsigned lock_exchange(struct audit_flow *w, struct state *s, unsigned lock, bool is_done,
		       struct audit_place at);
/* Releases the lock. */
void lock_release(struct audit_flow *w, struct state *s, unsigned lock, struct audit_place at);
/* Adds the lock to the lockset without an acquisition: a successful try or a called function. */
void lock_tried(struct audit_flow *w, struct state *s, unsigned lock, bool is_shared,
		struct audit_place at);
/* A lock that is destroyed is no longer held. */
void lock_destroyed(struct state *s, unsigned lock);
/* Waits for the condition, which releases the lock meanwhile. */
void lock_wait(struct audit_flow *w, struct state *s, unsigned condition, unsigned lock,
	       struct audit_place at);
/* Returns true if control flows from one block, after its end, to the other. */
bool flow_reaches(const struct audit_function *f, unsigned from, unsigned to);
/* Drops locks that are is_unsure. */
void lock_drop_unsure(struct state *s);
/* Drops locks in an object that is NULL: a called function did not take them. */
void lock_never_was(struct state *s, const struct terms *t, unsigned object);
/* Keeps a copy, unless an acquisition of this lock with this lockset is known. */
void lock_acquired(struct audit_flow *w, const struct audit_acquisition *a);
/* Notes that the lock may be taken twice by one thread; callers note it for a parameter. */
void lock_recurses(struct audit_flow *w, unsigned lock);
/* Notes that the function initializes the lock, for its callers too. */
void lock_initialise(struct audit_flow *w, unsigned lock, bool may_recurse);
/* Returns the interned lockset of the state. */
struct audit_helds lock_helds(struct audit_flow *w, const struct state *s);
/* Returns the lockset with the places of this state, valid until the state changes. */
struct audit_helds lock_helds_now(const struct state *s);
/* Returns a copy with these places, in the program's memory. */
struct audit_helds lock_helds_keep(struct audit_flow *w, struct audit_helds held);
/* Returns the union of the caller's lockset and that inside the called function. */
struct audit_helds lock_helds_inside(struct audit_flow *w, const struct state *s,
				     const struct audit_helds *inside,
				     const struct term_binding *b);

/* ---- exits.c --------------------------------------------------------------------------------- */

/* Computes the function's effects on locks from its exits. */
void exits_effects(struct audit_flow *w);

/* ---- summary.c: facts without duplicates ----------------------------------------------------- */

/* Keeps a copy of the access, unless an equal one is known. */
void summary_access(struct audit_flow *w, struct audit_access *a);
/* Adds the effect, sorted by kind. Returns it, or the known one with its object and address. */
struct audit_deed *summary_deed(struct audit_flow *w, struct audit_deed deed);
/* Returns the path condition of the state: what it knows of parameters. */
struct audit_conditions conditions_of(const struct audit_flow *w, const struct state *s);
/* Returns false if these arguments contradict the callee's condition. */
bool conditions_hold(const struct audit_flow *w, const struct state *s,
		     const struct audit_conditions *inner, const struct term_binding *b);
/* Returns false if the function, called with these arguments, does not return. Otherwise adds the
   condition under which it does, if there is one. */
bool returns_hold(struct audit_flow *w, struct state *s, const struct audit_facts *f,
		  const struct term_binding *b);
/* Returns the conjunction of the call's condition and the callee's, in the caller's parameters. */
struct audit_conditions conditions_inside(const struct audit_flow *w, const struct state *s,
					  const struct audit_conditions *inner,
					  const struct term_binding *b);
/* Returns true if the conditions are equal. */
bool conditions_same(const struct audit_conditions *a, const struct audit_conditions *b);

#endif
