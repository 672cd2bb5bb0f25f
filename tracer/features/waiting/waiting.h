/*
 * The wait graph: which thread waits for which object, which threads could end the wait, and how
 * sure that is. The graph is built at one stop, from /proc, the program's memory and its source,
 * and judged (can any thread move?); what each thread does is kept with it in words. The verdict,
 * the reports, crashes and the REPL read these words and edges, and build nothing themselves.
 */
#ifndef GATECTL_FEATURES_WAITING_WAITING_H
#define GATECTL_FEATURES_WAITING_WAITING_H

#include "tracer/arch/arch.h"
#include "tracer/run/run.h"
#include "tracer/tracee/threads/threads.h"

/* What a thread does, or the kind of object that it waits for: see kinds.c. */
enum waiting_kind {
	WAITING_GONE, /* it had exited; of an object: not known */
	WAITING_EXITED,
	WAITING_RUNNING, /* from here on: it is alive */
	WAITING_STOPPED,
	WAITING_BLOCKED, /* in some other system call */
	WAITING_GATE,
	WAITING_PROCESS,
	WAITING_PIPE,
	WAITING_FUTEX, /* of unknown kind, or one of the tester's own system call */
	WAITING_MUTEX,
	WAITING_READ, /* a rwlock's */
	WAITING_WRITE,
	WAITING_CONDITION,
	WAITING_DESTROY, /* pthread_cond_destroy, which waits for the waiters of the condition */
	WAITING_SEMAPHORE,
	WAITING_BARRIER,
	WAITING_ONCE,
	WAITING_GUARD,	/* of a static variable's initialisation */
	WAITING_STREAM, /* stdio's lock of a FILE */
	WAITING_JOIN,
	WAITING_FUTURE,
	WAITING_LATCH,
	WAITING_ATOMIC,	 /* std::atomic::wait */
	WAITING_CRASHED, /* a signal is about to end it, and its process */
};
const char *waiting_word(enum waiting_kind kind); /* in reports: "mutex" */
bool waiting_is_lock(enum waiting_kind kind);	  /* a thread owns it */

/* What a thread does when the run ends. Names and files are owned by modules. */
struct waiting {
	enum waiting_kind kind;
	struct str text; /* "waits for mutex bob held by teller#2"; without the place */
	char *object;	 /* the gate, or what names the lock in the source; or NULL; owned */
	ARRAY(const struct engine_thread *) on; /* who could end it, as far as known */
	const char *func, *file;		/* position in the tester's code; NULL unknown */
	unsigned line;
	const char *taken_file; /* where its owner took the lock; NULL unknown */
	unsigned taken_line;
	struct str note;   /* after the position: " (//inside)", "" */
	struct str around; /* ... and the calls around it: ", called from main at calc.c:30", "" */
	long call;	   /* a system call that no thread of the program can end; or 0 */
	bool is_deep;	   /* ... in which no signal ends the thread: state D of proc(5) */
	bool held;	   /* at a gate, or by a function of the script */
	bool spins;	   /* it was seen to run, but only in the same few functions */
	bool in_cycle;	   /* part of what the verdict's first line is about */
	bool gone;	   /* nobody can give the lock: its owner is no more, or a fork has left the
			      owner in the other process */
};

/* Kept with the thread: there is one for every thread. */
struct waiting *waiting_of(const struct run_thread *t);
static inline bool waiting_is_alive(const struct waiting *w)
{
	return w->kind >= WAITING_RUNNING;
}
/* Before the tree is killed: describes all threads. */
void waiting_look_all(struct run *s);
/* The same; waiting_cycle() names those that can never move again, whatever the others do. */
void waiting_explain(struct run *s);
const struct str *waiting_cycle(const struct run *s);		    /* in words; or empty */
void waiting_sentence(const struct run_thread *t, struct str *out); /* "T waits for ... at F:L" */
void waiting_says(const struct run_thread *t, struct str *out);	    /* ... without the T */
/* "FILE:LINE: ", as a compiler's message begins, or a blank margin if the line is not known. */
void waiting_begin_line(const char *file, unsigned line, struct str *out);
/* "read" of a system call that may block; NULL: it has no row. */
const char *waiting_call_name(long number);
bool waiting_call_is_for_signal(long number);
void waiting_fini(struct waiting *w);
/* Does no thread move, apart from those that are `aside`? A thread that waits for something unknown
   does not move either. */
bool waiting_rests(struct run *s, bool (*aside)(const struct run *s, const struct run_thread *t));
/* What to try if a thread goes round in circles; false: none is known to */
bool waiting_spin_try(const struct run *s, struct str *out);

/* Kept with a thread: describe it as it was at this look, though it has been stopped since. */
struct judged {
	bool on;
	bool ready; /* the scheduler has not let it go on: it runs no more than those that wait */
	struct tracee_block look;
};
struct judged *judged_of(const struct run_thread *t);

/* ---- nodes of the graph ----------------------------------------------------------------------- */

/* A thread that owns what another one waits for, and where it took that; or that could signal it,
   and where. */
struct owner {
	struct run_thread *thread;
	const char *file; /* NULL: not known */
	unsigned line;
	const struct inspect_call *call; /* the one that took it, if it is known */
};

struct waiter {
	struct run_thread *thread;
	struct tracee_block block;
	struct wait wait; /* as gates/engine.h judges it */
	struct inspect_stack stack;
	struct waiters *all; /* which it is one of; NULL: examined alone */
	size_t own;	     /* the tester's innermost call; stack.count: there is none */
	size_t told;	     /* the call that is reported: the same, or further out */
	enum waiting_kind what;
	uint64_t object;       /* address of the mutex, semaphore ...; 0 unknown */
	uint64_t stream;       /* STREAM: the FILE; 0 unknown */
	char *name;	       /* of the object; NULL: it has none */
	unsigned rank;	       /* how good the name is */
	char *mutex;	       /* CONDITION: the mutex that goes with it, or NULL */
	uint64_t mutex_object; /* ... and its address; 0 unknown */
	ARRAY(struct owner) owners;
	unsigned readers; /* how many threads hold a rwlock for reading */
	uint32_t tid;	  /* of an owner that no longer exists */
	bool gone;	  /* see struct waiting */
	bool timed;
	bool by_lock; /* CONDITION: waited for with a std::unique_lock, whose mutex is not written */
	bool loops;   /* the reported call goes round, now and then further in */
	bool known;   /* `block` and `wait` are those of the judgement: look no more */
	bool stopped; /* ... for the look, so the thread cannot have changed */
};

/* True for a library of the system, which a tester does not look at. */
bool caller_is_system(const struct module *m);
/* Is the call in the tester's own code? */
bool caller_is_own(const struct waiter *w, const struct inspect_call *call);
/* Reads the calls of a thread, which is stopped for a moment if need be. The caller frees
   w->stack. */
void caller_look(struct run *s, struct waiter *w);
/* The next call in the tester's own code from `i` on; stack.count: there is none. */
size_t caller_own(const struct waiter *w, size_t i);

/* ---- trampolines ------------------------------------------------------------------------------ */

/*
 * What a thread runs whose start routine is a trampoline: a routine of a library (or of the
 * tester's own) that calls the function it was passed. The thread keeps its id
 * (linux_pthread_proxy#3), and is also called by that function. It is known once the thread is
 * stopped inside the function: at its first arrival there, or when all threads are examined.
 */
struct trampoline {
	const char *runs;  /* the function that it was passed, or NULL. Owned by a module */
	bool known;	   /* ... and that is final */
	bool from_library; /* its start routine is a library's */
	unsigned looks;
};
/* Kept with a thread. */
struct trampoline *trampoline_of(const struct run_thread *t);

/* ---- threads that go round in circles --------------------------------------------------------- */

/*
 * While nothing happens, threads that move are sampled: in which of the tester's functions they
 * are, and whether they make progress. Threads are sampled that have a processor, or sleep briefly
 * again and again. Others wait, which the graph says.
 */

/* A place in the tester's code where a thread was seen; names and files are owned by modules. */
struct spin_place {
	const char *func, *file; /* NULL unknown */
	unsigned line;
	unsigned times;
};

struct spin {
	struct spin_place place; /* of the loop; if none was found, where it was seen most often */
	uint64_t since_us; /* as run_now_us(): from then on it was seen in the same few functions,
			       and has reached no place */
	unsigned samples;  /* how often it was sampled since then, having run in between */
	bool loops;	   /* `place` is in the function that has the loop */
	bool sleeps; /* it sleeps briefly in between (usleep, a time-out); else it only runs */
};

/* What is known of the thread. False: it was not seen to run since it last arrived somewhere. */
bool spin_of(const struct run *s, const struct run_thread *t, struct spin *out);
double spin_seconds(const struct run *s, uint64_t since_us); /* until the verdict, or now */
/* Does the thread, which is stopped in a sleep, go round in a loop in which nothing decides
   anything? */
bool spin_only_sleeps(struct run *s, struct run_thread *t);

/* Which values decide at an address of the program's code; found out once, also for its copies. */
struct spin_decides {
	const struct module *module; /* at the same address in all processes; NULL: of this one: */
	int pid;
	uint64_t pc;
	uint32_t known;
	struct arch_decides decides;
};
struct spin_code {
	struct spin_decides *items;
	size_t count, capacity;
};
/* The state of a stopped thread as one number: where it is in each of its calls, and all values
   that decide where it goes from there. From equal states a thread goes the same way, apart from
   what others do. */
uint64_t spin_state(struct run_thread *t, struct spin_code *code);

#endif
