/*
 * Between the files that build the wait graph. All threads are looked at first; only then does what
 * they wait for get a name, its owners, and the place where those took it: another thread's calls
 * may be needed for that.
 *
 *	judge.c	     can any thread move?
 *	edge.c	     what one thread waits for, as /proc and memory show
 *	syscalls.c   system calls that can block: a row each, and the waits at files
 *	futexes.c    words of memory, and who can change them
 *	holders.c    who holds the other end of a file
 *	timers.c     signals that are still to come
 *	waiting.c    all threads at one stop
 *	caller.c     the calls of a thread, and which of them are the tester's
 *	kinds.c	     kinds of objects: by the names of the functions that wait
 *	glibc.c	     where the object begins, and what glibc has written into it
 *	locks_text.c calls in a piece of source text
 *	locks_name.c the object's name in the source
 *	sources.c    its owners: where they took it, who could signal it
 *	words.c	     an edge in words
 *	blocking.c   threads that block while others go on
 *	trampoline.c what a thread runs
 */
#ifndef GATECTL_FEATURES_WAITING_INTERNAL_H
#define GATECTL_FEATURES_WAITING_INTERNAL_H

#include "tracer/features/waiting/waiting.h"
#include "tracer/tracee/threads/threads.h"

#include <sys/stat.h>

struct waiters {
	struct run *run;
	struct waiter *items;
	size_t count, capacity;
	ARRAY(struct module *) placed; /* modules with places of the script */
};

/* ---- waiting.c ------------------------------------------------------------------------------ */

/* Adds all living threads, not looked at yet. */
void waiters_add_all(struct run *s, struct waiters *all);
/* Stops and examines each thread, finds owners and names, and keeps all of it in words. */
void waiters_describe(struct waiters *all);
void waiters_fini(struct waiters *all);

/* ---- edge.c --------------------------------------------------------------------------------- */

struct ends;

/* What the thread waits for, and who outside could end that; WAIT_NOT: it can move, or might. NULL:
   outsiders are of no interest. */
void judge_wait(struct run *s, struct run_thread *t, const struct tracee_block *b, struct wait *w,
		struct ends *ends);

/* ---- caller.c ------------------------------------------------------------------------------- */

void caller_modules(struct waiters *all); /* fills in `placed` */
/* ", called from worker at main.cc:12; inside uv_cond_wait at thread.c:81": the calls around the
   one that is reported, as far as they say something. */
void caller_around(const struct waiter *w, bool blocked, struct str *out);

/* ---- kinds.c -------------------------------------------------------------------------------- */

/* How sure it is that only the threads found could give an object. */
enum kind_owned {
	OWNED_BY_NONE,
	OWNED_PERHAPS, /* a thread took the semaphore, or would signal; any other may as well */
	OWNED_BY_THREAD,
};
enum kind_owned kinds_owned(enum waiting_kind kind);
const char *kinds_noun(enum waiting_kind kind); /* "condition variable" */
void kinds_find(struct waiter *w);
/* The kind of object that a function of this name waits for. */
enum waiting_kind kinds_of(const char *function);
/* Why the thread does this: " while the process exits", or "". */
const char *kinds_occasion(const struct waiter *w);
/* Is the thread inside a library's function of this name? */
bool kinds_is_in(const struct waiter *w, const char *function);

/* ---- glibc.c -------------------------------------------------------------------------------- */

void glibc_object(struct waiter *w);
void glibc_owners(struct waiters *all, struct waiter *w);
bool glibc_is_recursive(const struct waiter *w); /* a mutex that has been taken more than once */
bool glibc_is_behind_writer(const struct waiter *w);	   /* a reader, and writers are preferred */
void glibc_state(const struct waiter *w, struct str *out); /* ", where 1 of 2 threads is" */

/* ---- locks_text.c: a call in a source text, as it is written --------------------------------- */

enum { LOCKS_ARGS = 4 };

struct locks_call {
	char *word;	       /* the function; in a declaration, the type without <...> */
	char *object;	       /* object.word(): the object; or NULL */
	char *arg[LOCKS_ARGS]; /* the first ones */
	unsigned args;
	unsigned line, last; /* its start, and where its bracket closes */
	unsigned until;	     /* the line where its block ends; 0: after the text */
	int depth;	     /* of nested braces */
	bool declares;	     /* TYPE NAME(args) */
	bool lambda;	     /* it is in the body of a lambda */
	bool guarded;	     /* it follows an if or the like, without a brace */
	bool jumps;	     /* a return, break or the like follows in the same block */
};

struct locks_calls {
	struct locks_call *items;
	size_t count, capacity;
};

/* The calls on the lines first..last, in order, ignoring comments and strings. The caller frees
   them with locks_text_fini(). */
void locks_text(const char *const *lines, size_t count, unsigned first, unsigned last,
		struct locks_calls *out);
void locks_text_fini(struct locks_calls *c);
/* The line where the function that begins on line `first` ends; 0: it cannot be told. */
unsigned locks_function_end(const char *const *lines, size_t count, unsigned first);
/* The line where the outermost loop around line `inside` of a function ends; 0: there is none. */
unsigned locks_loop_end(const char *const *lines, size_t count, unsigned first, unsigned inside);

/* ---- locks_name.c --------------------------------------------------------------------------- */

/* Names all objects: one object has one name, two objects have two. */
void locks_name_all(struct waiters *all);
/* The kind of object, by the function that is called for it: libc may leave no trace of its own way
   to the system call. */
enum waiting_kind locks_kind(struct run *s, const struct waiter *w);
/* Does a call written where this call is have an argument that means the object? */
bool locks_is_argument(struct run *s, const struct inspect_call *call, uint64_t object);
/* Does the expression mean the object in this call, or point to it? If it may be a part of that,
   `inside` gets the words that lead to it; NULL: it may not. */
bool locks_means(const struct inspect_call *call, const char *expression, uint64_t object,
		 struct str *inside);

/* ---- sources.c ------------------------------------------------------------------------------ */

/* Owners of the object that `w` waits for, and where they took it; or who could signal it. */
void waiters_find_owners(struct waiters *all, struct waiter *w);

/* ---- words.c -------------------------------------------------------------------------------- */

void words_describe(struct waiters *all, struct waiter *w);

/* ---- spin.c: of the observer ------------------------------------------------------------------ */

void spin_look(struct run *s, uint64_t now, bool quiet);
bool spin_late(struct run *s, enum end_reason reason, double over_us);

/* ---- spin_state.c: has a thread been in this state before? ------------------------------------- */

/* A state that a thread was seen in, and how often. */
struct spin_seen {
	uint64_t state;
	unsigned times;
};
struct spin_states {
	struct spin_seen *items;
	size_t count, capacity;
	unsigned samples, once; /* all; states seen only once */
};

/* Does a call come back to where it is, in the same call of its function? */
enum spin_loop {
	SPIN_NO_LOOP, /* as far as its code tells */
	SPIN_ENDLESS, /* ... and nothing in the function decides what it does */
	SPIN_LOOP,
};
enum spin_loop spin_loop_of(struct run_process *p, const struct dwarf_frame *call,
			    struct spin_code *code);
/* Name of the innermost function inlined into the call that contains all of the loop, else of the
   call's function. The module owns the name. Returns NULL if the function has no name. */
const char *spin_loop_function(struct run_process *p, const struct dwarf_frame *call,
			       struct spin_code *code);

void spin_states_add(struct spin_states *states, uint64_t state);
void spin_states_clear(struct spin_states *states);
/* Do the same states recur? A state seen only once stands for progress. */
bool spin_states_repeat(const struct spin_states *states, unsigned least);
/* Too few samples to tell, up to `most`, but those so far do not speak against it. */
bool spin_states_may_repeat(const struct spin_states *states, unsigned least, unsigned most);

/* ---- trampoline.c --------------------------------------------------------------------------- */

/* Learns what it can from the calls of the thread. */
void trampoline_see(struct run_thread *t, const struct inspect_stack *stack);
/* In brackets after the id: " (worker_fn)", or " (named pool-2)" if only that is known; or "". */
void trampoline_describe(const struct run_thread *t, struct str *out);
const char *trampoline_runs(struct run *s, struct run_thread *t); /* of the observer */

/* ---- blocking.c: of the observer ------------------------------------------------------------ */

void blocking_comes(struct run *s, struct run_thread *t, struct place *place);
void blocking_decided(struct run *s, const struct decision *d);
void blocking_over(struct run *s, struct run_thread *t, bool renamed);
void blocking_look(struct run *s);
bool blocking_awaits(const struct run *s);

/* ---- files and memory ------------------------------------------------------------------------ */

enum { LINK_BYTES = 512 };

/* An open file, as it was seen at descriptor `fd` of thread `tid`. */
struct opened {
	pid_t tid;
	int fd;
	dev_t dev;
	ino_t ino;
	mode_t type;	       /* S_IFMT */
	bool reads, writes;    /* what it is open for */
	char link[LINK_BYTES]; /* what /proc shows: "pipe:[17]", a path */
};

enum end_kind {
	END_FILE,      /* the file `dev`, `ino`, open for what is wanted */
	END_ANONYMOUS, /* the same open file: eventfds and the like share one inode number */
	END_LOCK,      /* a lock of the class `lock` held at the file */
	END_MAPPING,   /* the file is mapped */
};

/* Its holders could end a wait: at a pipe, a socket of a pair, an eventfd or a file lock, whoever
   holds the other end; at a word of memory, whoever can reach it. A process that is not traced
   could do so at any time. */
struct end {
	enum end_kind kind;
	bool readers, writers; /* FILE: those that have it open for this; both: for either */
	const char *lock;      /* LOCK: "FLOCK", or "" for those of fcntl */
	struct opened file;
};

struct ends {
	struct end *items;
	size_t count, capacity;
};

/* syscalls.c: WAIT_FILE with `by` and the ends filled in; or WAIT_NOT: not known who could end
   it. */
void syscalls_wait(struct run *s, struct run_thread *t, const struct tracee_block *b,
		   struct wait *w, struct ends *ends);
/* Is it a system call that waits at files without a time-out? */
bool syscalls_is_at_file(struct run_thread *t, const struct tracee_block *b);
/* Can a thread make another call in it, without the program noticing an interruption? */
bool syscalls_can_be_asked(const struct tracee_block *b);
bool syscalls_is_for_time(long number);
/* "reads from a pipe (fd 3), whose other end is held by main", "sleeps" */
void syscalls_describe(const struct waiter *w, struct waiting *out);

/* Who could wake a waiter at this memory? */
enum reach {
	REACH_OWN,     /* those that share the address space */
	REACH_TRACED,  /* processes that we trace */
	REACH_OUTSIDE, /* anybody */
};

/* futexes.c: who could change this memory. Memory of a file without a name belongs to those who
   hold it: they are added to `ends`; if that is NULL, it counts as anybody's. */
enum reach futexes_reach(const struct run *s, struct run_process *p, uint64_t address,
			 struct ends *ends);
/* Did a thread of another process take the lock, and a fork copy it? Then nobody will ever give it
   back. */
bool futexes_left_behind(const struct wait *w, const struct run_process *p,
			 const struct run_thread *owner);
/* The thread waits at a word (futex(2) or futex_waitv); WAIT_NOT: there is a time-out, or somebody
   outside could wake it. */
void futexes_wait(struct run *s, struct run_thread *t, const struct tracee_block *b, struct wait *w,
		  struct ends *ends);

/* holders.c */
int opened_look(pid_t tid, int fd, struct opened *out); /* 0, or -1: not open */
/* Calls `want` with each line of its fdinfo until that returns true; did it? */
bool opened_info(const struct opened *f, bool (*want)(void *ctx, const char *line), void *ctx);
/* The inode of the socket's peer. False: not known, or a wait at it ends by itself. */
bool sockets_peer(pid_t pid, const struct opened *f, ino_t *peer);
/* Adds the traced processes that hold the end. False: there are none. */
bool holders_traced(struct run *s, const struct end *end, struct wait *w);
/* Does any other process hold one of the ends, or does the kernel itself write to files for the
   program? */
bool holders_outside(struct run *s, const struct ends *ends);
/* Does the program have a file that sends it a signal when input comes (O_ASYNC)? */
bool holders_async(struct run *s);

/* timers.c: is a signal to come that could wake somebody? Threads that were stopped for the
   question are added to `asked` and stay stopped until timers_let_go(). */
struct timers_asked {
	struct run_thread **items;
	size_t count, capacity;
};
bool timers_ask(struct run *s, struct timers_asked *asked);
bool timers_has_asked(const struct timers_asked *asked, const struct run_thread *t);
void timers_let_go(struct run *s, struct timers_asked *asked);
bool timers_is_helper(const struct run_thread *t, const struct tracee_block *b);

#endif
