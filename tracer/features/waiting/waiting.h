/* The wait graph: which thread waits for which object, and which threads could end the wait. It is
 * built at one stop, from /proc, the program's memory and its source. Verdicts, reports, crashes
 * and the REPL read the text and edges kept with each thread. */
#ifndef GATECTL_FEATURES_WAITING_WAITING_H
#define GATECTL_FEATURES_WAITING_WAITING_H

#include "tracer/arch/arch.h"
#include "tracer/run/run.h"
#include "tracer/tracee/threads/threads.h"

/* Activity of a thread, or kind of the object that it waits for (kinds.c). */
enum waiting_kind {
	WAITING_GONE, /* the thread has exited; for an object: the kind is not known */
	WAITING_EXITED,
	WAITING_RUNNING, /* this and the following kinds are of living threads */
	WAITING_STOPPED,
	WAITING_BLOCKED, /* in another system call */
	WAITING_GATE,
	WAITING_PROCESS,
	WAITING_PIPE,
	WAITING_FUTEX, /* unknown kind, or a futex call of the tester's own */
	WAITING_MUTEX,
	WAITING_READ, /* for a rwlock */
	WAITING_WRITE,
	WAITING_CONDITION,
	WAITING_DESTROY, /* pthread_cond_destroy(), which waits for the condition's waiters */
	WAITING_SEMAPHORE,
	WAITING_BARRIER,
	WAITING_ONCE,
	WAITING_GUARD,	/* the initialisation of a static variable */
	WAITING_STREAM, /* the lock of a FILE (stdio) */
	WAITING_JOIN,
	WAITING_FUTURE,
	WAITING_LATCH,
	WAITING_ATOMIC,	 /* std::atomic::wait */
	WAITING_CRASHED, /* a signal is about to end the process */
};
/* Returns the word for a kind in reports: "mutex". A literal. */
const char *waiting_word(enum waiting_kind kind);
/* True if a thread owns an object of this kind. */
bool waiting_is_lock(enum waiting_kind kind);

/* A thread's activity when the run ends. Names and files are owned by modules. */
struct waiting {
	enum waiting_kind kind;
	struct str text; /* "waits for mutex bob held by teller#2"; without the place */
	/* name of the gate, or of the lock in the source; NULL if unknown; owned */
	char *object;
	/* threads that could end the wait, as far as known */
	ARRAY(const struct engine_thread *) on;
	const char *func, *file; /* position in the tester's code; NULL if unknown */
	unsigned line;
	const char *taken_file; /* line at which the owner took the lock; NULL if unknown */
	unsigned taken_line;
	struct str note;   /* follows the position: " (//inside)"; may be empty */
	struct str around; /* outer calls: ", called from main at calc.c:30"; may be empty */
	long call;	   /* number of a system call that no thread of the program can end, or 0 */
	bool is_deep;	   /* no signal ends `call`: state D of proc(5) */
	bool held;	   /* held at a gate, or by a function of the script */
	bool spins;	   /* samples found the thread running, only in the same few functions */
	bool in_cycle;	   /* the first line of the verdict is about this thread */
	/* the lock will not be released: its owner has exited, or a fork has left the owner
	 * in the other process */
	bool gone;
};

/* Returns the record of the thread, owned by the thread; never NULL. */
struct waiting *waiting_of(const struct run_thread *t);
static inline bool waiting_is_alive(const struct waiting *w)
{
	return w->kind >= WAITING_RUNNING;
}
/* Describes all threads; called before the program is killed. */
void waiting_look_all(struct run *s);
/* Describes all threads; waiting_cycle() then names those that can never move again,
 * whatever the others do. */
void waiting_explain(struct run *s);
/* Returns the text of the cycle of the wait graph; empty if there is none. The run owns it. */
const struct str *waiting_cycle(const struct run *s);
/* Appends "worker#1 waits for ... at F:L". */
void waiting_sentence(const struct run_thread *t, struct str *out);
/* Appends the sentence without the thread: "waits for ... at F:L". */
void waiting_says(const struct run_thread *t, struct str *out);
/* Appends "FILE:LINE: ", the begin of a compiler message, or two blanks if
 * the line is not known. */
void waiting_begin_line(const char *file, unsigned line, struct str *out);
/* Returns the name of a system call that may block, "read", or NULL if it is not in
 * the table. A literal. */
const char *waiting_call_name(long number);
/* True for system calls that only a signal can end. */
bool waiting_call_is_for_signal(long number);
/* Frees the members and clears *w. */
void waiting_fini(struct waiting *w);
/* True if no thread moves, except threads for which `aside` returns true. A thread with an unknown
 * wait does not move either. A blocked thread still moves until orders have been told of it. */
bool waiting_rests(struct run *s, bool (*aside)(const struct run *s, const struct run_thread *t));
/* True if the kernel has data of the program's TCP sockets that no peer has acknowledged: it may
   come although all threads wait. */
bool holders_in_flight(struct run *s);
/* True if for a second threads have returned to a few states, and all others wait for them or are
 * held at gates. */
bool waiting_goes_round(struct run *s);
/* Appends what to try about a thread that spins. Returns false if none is known to spin. */
bool waiting_spin_try(const struct run *s, struct str *out);

/* Per-thread data: a state from before the thread was stopped, which is to be described. */
struct judged {
	bool on;
	/* the scheduler has not resumed the thread: it runs no more than a waiting one */
	bool ready;
	struct tracee_block look;
};
/* Returns the data of the thread, owned by the thread. */
struct judged *judged_of(const struct run_thread *t);

/* ---- nodes of the graph ------------------------------------------------------------------ */

/* A thread that owns the object for which another one waits, and the line at which it took it; or
 * that could signal it, and where. */
struct owner {
	struct run_thread *thread;
	const char *file; /* NULL if unknown */
	unsigned line;
	const struct inspect_call *call; /* call frame in which it was taken, or NULL */
};

struct waiter {
	struct run_thread *thread;
	struct tracee_block block;
	struct wait wait; /* edge of the wait graph, as in gates/engine.h */
	struct inspect_stack stack;
	struct waiters *all; /* list that contains this waiter; NULL if it is examined alone */
	size_t own;	     /* the tester's innermost call; stack.count if there is none */
	size_t told;	     /* the call to report: the same, or an outer one */
	enum waiting_kind what;
	uint64_t object;       /* address of the mutex, semaphore, ...; 0 if unknown */
	uint64_t stream;       /* for WAITING_STREAM: address of the FILE; 0 if unknown */
	char *name;	       /* name of the object, or NULL; owned */
	unsigned rank;	       /* quality of the name, an enum rank */
	char *mutex;	       /* for WAITING_CONDITION: name of its mutex, or NULL; owned */
	uint64_t mutex_object; /* address of that mutex; 0 if unknown */
	ARRAY(struct owner) owners;
	unsigned readers; /* number of threads that hold the rwlock for reading */
	uint32_t tid;	  /* id of an owner that has exited, or 0 */
	bool gone;	  /* see struct waiting */
	bool timed;
	/* for WAITING_CONDITION: waits with a std::unique_lock, whose mutex is not in the text */
	bool by_lock;
	bool loops;   /* the reported call contains a loop in which the thread spins */
	bool known;   /* `block` and `wait` are from the judgement and final */
	bool stopped; /* the thread was stopped at the look, so `block` cannot have changed */
};

/* True for a library of the system, which is not the tester's code. */
bool caller_is_system(const struct module *m);
/* True if the call is in the tester's own code. */
bool caller_is_own(const struct waiter *w, const struct inspect_call *call);
/* Reads the calls of a thread, stopping it if necessary. The caller frees w->stack. */
void caller_look(struct run *s, struct waiter *w);
/* Returns the index of the next call in the tester's own code from i on, or
 * stack.count if there is none. */
size_t caller_own(const struct waiter *w, size_t i);

/* A mutex that a thread has taken by a call in its functions, and owns. */
struct waiting_owned {
	uint64_t mutex;	  /* address */
	char *name;	  /* as the call names it: "m", "q->lock" */
	const char *file; /* of the call; owned by the module */
	unsigned line;
};
struct waiting_owns {
	struct waiting_owned *items;
	size_t count, capacity;
};
/* Adds the mutexes that the stopped thread owns, as far as the source text of its functions shows
 * their calls. waiting_owns_fini() frees them. */
void waiting_owns_read(struct run *s, struct run_thread *t, struct waiting_owns *out);
/* Frees the items. */
void waiting_owns_fini(struct waiting_owns *owns);

/* ---- trampolines ------------------------------------------------------------------------- */

/* The function that a thread runs if its start routine is a trampoline: a routine, of a library or
 * the tester's, that calls the function it was passed. Known once the thread has stopped inside
 * that function. The thread keeps its id (linux_pthread_proxy#3). */
struct trampoline {
	const char *runs;  /* the passed function, or NULL; owned by a module */
	bool known;	   /* `runs` is final */
	bool from_library; /* the start routine is in a library */
	unsigned looks;
};
/* Returns the record of the thread, owned by the thread. */
struct trampoline *trampoline_of(const struct run_thread *t);

/* ---- spinning threads -------------------------------------------------------------------- */

/* While no event comes, threads that run, or sleep briefly again and again, are sampled: the
 * tester's function that they are in, and whether they make progress. */

/* A place in the tester's code at which a thread was seen; names and files are owned by modules. */
struct spin_place {
	const char *func, *file; /* NULL if unknown */
	unsigned line;
	unsigned times;
};

struct spin {
	struct spin_place place; /* place of the loop, else the most frequent place */
	/* start of spinning, by run_now_us(): since then the thread was in the same few functions
	 * and has arrived at no place */
	uint64_t since_us;
	unsigned samples; /* number of samples since then between which the thread has run */
	bool loops;	  /* `place` is in the function that contains the loop */
	bool sleeps;	  /* the thread sleeps briefly in between (usleep, a time-out) */
};

/* Fills in *out. Returns false if the thread was not seen running since its last arrival. */
bool spin_of(const struct run *s, const struct run_thread *t, struct spin *out);
/* Returns the seconds from since_us to the verdict, or until now. */
double spin_seconds(const struct run *s, uint64_t since_us);
/* True if the thread, stopped in a sleep, is in a loop without a condition. */
bool spin_only_sleeps(struct run *s, struct run_thread *t);

/* Values that decide branches at an address of code; computed once for all copies of it. */
struct spin_decides {
	/* the address is valid in all processes; NULL: only in process `pid` */
	const struct module *module;
	int pid;
	uint64_t pc;
	uint32_t known;
	struct arch_decides decides;
};
struct spin_code {
	struct spin_decides *items;
	size_t count, capacity;
};
/* Returns a hash of the thread's state: pc of each call frame, and all values on which
 * its further path depends. From equal states a thread takes the same path, except for
 * effects of other threads. */
uint64_t spin_state(struct run_thread *t, struct spin_code *code);

#endif
