/* Shared by the files that build the wait graph; README.md lists them. */
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

/* Adds all living threads, not yet examined. */
void waiters_add_all(struct run *s, struct waiters *all);
/* Stops and examines each thread, finds owners and names, and describes each thread in text. */
void waiters_describe(struct waiters *all);
/* Frees the list and what it owns. */
void waiters_fini(struct waiters *all);

/* ---- edge.c --------------------------------------------------------------------------------- */

struct ends;

/* Fills in the thread's edge *w and, if `ends` is not NULL, the files whose holders outside could
 * end the wait. WAIT_NOT: the thread can move, or might. */
void judge_wait(struct run *s, struct run_thread *t, const struct tracee_block *b, struct wait *w,
		struct ends *ends);

/* ---- caller.c ------------------------------------------------------------------------------- */

/* Fills in all->placed. */
void caller_modules(struct waiters *all);
/* Appends the calls around the reported one, if they are informative: ", called from worker at
 * main.cc:12; inside uv_cond_wait at thread.c:81". */
void caller_around(const struct waiter *w, bool blocked, struct str *out);

/* ---- kinds.c -------------------------------------------------------------------------------- */

/* Certainty that only the owners found could end the wait. */
enum kind_owned {
	OWNED_BY_NONE,
	/* a thread took the semaphore, or would signal; another one may do so as well */
	OWNED_PERHAPS,
	OWNED_BY_THREAD,
};
/* Returns the certainty for a kind of object. */
enum kind_owned kinds_owned(enum waiting_kind kind);
/* Returns the noun before the object's name: "condition variable". A literal. */
const char *kinds_noun(enum waiting_kind kind);
/* Sets w->what and w->timed, by the functions on the stack. */
void kinds_find(struct waiter *w);
/* Returns the kind of object for which a function of this name waits, or WAITING_GONE. */
enum waiting_kind kinds_of(const char *function);
/* Returns the occasion of the wait, " while the process exits", or "". A literal. */
const char *kinds_occasion(const struct waiter *w);
/* True if a library function of this name is on the stack. */
bool kinds_is_in(const struct waiter *w, const char *function);

/* ---- glibc.c -------------------------------------------------------------------------------- */

/* Sets w->object (w->stream) from the futex word. */
void glibc_object(struct waiter *w);
/* Adds the owners that glibc has written into the object. */
void glibc_owners(struct waiters *all, struct waiter *w);
/* True for a mutex that its owner has locked more than once. */
bool glibc_is_recursive(const struct waiter *w);
/* True for a reader that waits behind a writer, because writers are preferred. */
bool glibc_is_behind_writer(const struct waiter *w);
/* Appends the object's state: ", where 1 of 2 threads is". */
void glibc_state(const struct waiter *w, struct str *out);

/* ---- locks_text.c: a call in a source text, as it is written --------------------------------- */

enum { LOCKS_ARGS = 4 };

struct locks_call {
	char *word;	       /* the function; in a declaration, the type without <...> */
	char *object;	       /* the object of object.word(), or NULL */
	char *arg[LOCKS_ARGS]; /* the first arguments */
	unsigned args;
	unsigned line, last; /* line of its start, and of its closing bracket */
	unsigned until;	     /* line at which its block ends; 0: after the text */
	int depth;	     /* nesting of braces */
	bool declares;	     /* TYPE NAME(args) */
	bool lambda;	     /* in the body of a lambda */
	bool guarded;	     /* follows an if or else without a brace */
	bool jumps;	     /* a return, break or other jump follows in the same block */
};

struct locks_calls {
	struct locks_call *items;
	size_t count, capacity;
};

/* Finds the calls on the lines first..last, in order, without comments and strings. The caller
 * frees them with locks_text_fini(). */
void locks_text(const char *const *lines, size_t count, unsigned first, unsigned last,
		struct locks_calls *out);
/* Frees the calls. */
void locks_text_fini(struct locks_calls *c);
/* Returns the line at which the function that begins on line `first` ends; 0: unknown. */
unsigned locks_function_end(const char *const *lines, size_t count, unsigned first);
/* Returns the line at which the outermost loop around line `inside` ends; 0: there is none. */
unsigned locks_loop_end(const char *const *lines, size_t count, unsigned first, unsigned inside);

/* ---- locks_name.c --------------------------------------------------------------------------- */

/* Names all objects: one name for an object, different names for two. */
void locks_name_all(struct waiters *all);
/* Returns the kind of object by the name of the function that is called for it: libc's own frames
 * may be missing from the stack. */
enum waiting_kind locks_kind(struct run *s, const struct waiter *w);
/* True if a call, written where this call frame is, has an argument that means the object. */
bool locks_is_argument(struct run *s, const struct inspect_call *call, uint64_t object);
/* True if the expression, evaluated in this call frame, means the object or points to it. If
 * `inside` is not NULL, the object may be a part of the value: *inside gets the path to it. */
bool locks_means(const struct inspect_call *call, const char *expression, uint64_t object,
		 struct str *inside);

/* ---- sources.c ------------------------------------------------------------------------------ */

/* Finds the owners of w's object and where they took it, or the threads that could signal it. */
void waiters_find_owners(struct waiters *all, struct waiter *w);

/* ---- words.c -------------------------------------------------------------------------------- */

/* Fills in the thread's struct waiting from w. */
void words_describe(struct waiters *all, struct waiter *w);
/* Adds the member "cycle" to the JSON record of the run. */
void words_record(struct run *s, struct json *j);

/* ---- spin.c: observer hooks -------------------------------------------------------------- */

/* Samples the threads at a tick; ends the run at an expected livelock. */
void spin_look(struct run *s, uint64_t now, bool quiet);
/* At the time limit: decides whether it is a livelock. Returns true to wait for more samples. */
bool spin_late(struct run *s, enum end_reason reason, double over_us);

/* ---- spin_state.c: repeated states of a thread ------------------------------------------- */

/* A state in which a thread was seen, and how often. */
struct spin_seen {
	uint64_t state;
	unsigned times;
};
struct spin_states {
	struct spin_seen *items;
	size_t count, capacity;
	unsigned samples, once; /* number of all samples; number of states seen once */
};

/* Whether a call returns to its pc within the same activation of its function. */
enum spin_loop {
	SPIN_NO_LOOP, /* no loop found in its code */
	SPIN_ENDLESS, /* a loop without a condition in the function */
	SPIN_LOOP,
};
/* Returns the kind of loop in which the call frame is. */
enum spin_loop spin_loop_of(struct run_process *p, const struct dwarf_frame *call,
			    struct spin_code *code);
/* Returns the name of the innermost function inlined into the call that contains the whole loop,
 * else of the call's function. The module owns it. NULL if the function has no name. */
const char *spin_loop_function(struct run_process *p, const struct dwarf_frame *call,
			       struct spin_code *code);

/* Adds a sample. */
void spin_states_add(struct spin_states *states, uint64_t state);
/* Removes all samples. */
void spin_states_clear(struct spin_states *states);
/* True if at least `least` samples show recurring states. A state seen once stands for progress. */
bool spin_states_repeat(const struct spin_states *states, unsigned least);
/* True if there are too few samples, up to `most`, to tell, but those so far permit a livelock. */
bool spin_states_may_repeat(const struct spin_states *states, unsigned least, unsigned most);

/* ---- trampoline.c --------------------------------------------------------------------------- */

/* Finds from the calls of the thread what it runs. */
void trampoline_see(struct run_thread *t, const struct inspect_stack *stack);
/* Appends " (worker_fn)", or " (named pool-2)" if only that is known, or nothing. */
void trampoline_describe(const struct run_thread *t, struct str *out);
/* Observer hook: returns the function that the thread runs, or NULL. A module owns it. */
const char *trampoline_runs(struct run *s, struct run_thread *t);

/* ---- blocking.c: observer hooks ---------------------------------------------------------- */

/* A thread arrives at a place; NULL: it blocks, as the scheduler knows. */
void blocking_comes(struct run *s, struct run_thread *t, struct place *place);
/* Starts watching a thread for DECISION_WATCH. */
void blocking_decided(struct run *s, const struct decision *d);
/* Stops watching a thread that has ended. */
void blocking_over(struct run *s, struct run_thread *t, bool renamed);
/* At a tick: looks for watched threads that have blocked. */
void blocking_look(struct run *s);
/* True if a thread is watched. */
bool blocking_awaits(const struct run *s);
/* True if the thread runs or is blocked, and orders that wait for its blocking are to be told. */
bool blocking_is_untold(const struct run_thread *t);

/* ---- files and memory ------------------------------------------------------------------------ */

enum { LINK_BYTES = 512 };

/* An open file, as seen at descriptor `fd` of thread `tid`. */
struct opened {
	pid_t tid;
	int fd;
	dev_t dev;
	ino_t ino;
	mode_t type;	       /* S_IFMT */
	bool reads, writes;    /* open for reading, for writing */
	char link[LINK_BYTES]; /* link text in /proc: "pipe:[17]", a path */
};

enum end_kind {
	END_FILE, /* the file `dev`, `ino`, open for the direction that is wanted */
	/* the same open file description: eventfds and the like share one inode number */
	END_ANONYMOUS,
	END_LOCK,    /* a lock of class `lock` held on the file */
	END_MAPPING, /* a mapping of the file */
};

/* An object whose holders could end a wait: the other end of a pipe or socket, an eventfd, a file
 * lock, or a mapping of a futex word. A process that is not traced could end it at any time. */
struct end {
	enum end_kind kind;
	/* END_FILE: holders that have it open for reading, for writing; both: for either */
	bool readers, writers;
	const char *lock; /* END_LOCK: "FLOCK", or "" for locks of fcntl(2) */
	struct opened file;
};

struct ends {
	struct end *items;
	size_t count, capacity;
};

/* syscalls.c: sets WAIT_FILE with w->by and the ends, or WAIT_NOT if it is not known
 * who could end the wait. */
void syscalls_wait(struct run *s, struct run_thread *t, const struct tracee_block *b,
		   struct wait *w, struct ends *ends);
/* True for a system call that waits at files without a time-out. */
bool syscalls_is_at_file(struct run_thread *t, const struct tracee_block *b);
/* True if the thread can be made to execute another system call without the program
 * noticing an interruption. */
bool syscalls_can_be_asked(const struct tracee_block *b);
/* True for a system call that waits for a time. */
bool syscalls_is_for_time(long number);
/* Fills in kind and text: "reads from a pipe (fd 3), whose other end is held by main", "sleeps". */
void syscalls_describe(const struct waiter *w, struct waiting *out);

/* Processes that could wake a waiter at an address. */
enum reach {
	REACH_OWN,     /* processes that share the address space */
	REACH_TRACED,  /* traced processes */
	REACH_OUTSIDE, /* any process */
};

/* futexes.c: returns the processes that could change the word. Holders of an unnamed file are added
 * to `ends`; if `ends` is NULL, such a file counts as REACH_OUTSIDE. */
enum reach futexes_reach(const struct run *s, struct run_process *p, uint64_t address,
			 struct ends *ends);
/* True if a thread of another process took the lock and a fork copied it: no thread
 * can release the copy. */
bool futexes_left_behind(const struct wait *w, const struct run_process *p,
			 const struct run_thread *owner);
/* Fills in the edge of a thread in futex(2) or futex_waitv(2). WAIT_NOT: there is a time-out, or a
 * process outside could wake it. */
void futexes_wait(struct run *s, struct run_thread *t, const struct tracee_block *b, struct wait *w,
		  struct ends *ends);

/* holders.c */
/* Reads descriptor fd of thread tid. Returns 0, or -1 if it is not open. */
int opened_look(pid_t tid, int fd, struct opened *out);
/* Calls `want` for each line of the file's fdinfo until it returns true. Returns whether it did. */
bool opened_info(const struct opened *f, bool (*want)(void *ctx, const char *line), void *ctx);
/* Finds the inode of the socket's peer. Returns false if it is unknown, or a wait at the
 * socket has a time-out. */
bool sockets_peer(pid_t pid, const struct opened *f, ino_t *peer);
/* Adds the traced processes that hold the end to w->by. Returns false if there are none. */
bool holders_traced(struct run *s, const struct end *end, struct wait *w);
/* True if another process holds one of the ends, or the kernel writes to files on
 * behalf of the program. */
bool holders_outside(struct run *s, const struct ends *ends);
/* True if the program has a file that sends a signal on input (O_ASYNC). */
bool holders_async(struct run *s);

/* timers.c: signals still to come. Threads stopped to ask for timers stay in the list
 * until timers_let_go(). */
struct timers_asked {
	struct run_thread **items;
	size_t count, capacity;
};
/* True if a signal may come that could wake a thread. */
bool timers_ask(struct run *s, struct timers_asked *asked);
/* True if the thread was stopped to ask. */
bool timers_has_asked(const struct timers_asked *asked, const struct run_thread *t);
/* Resumes the threads and frees the list. */
void timers_let_go(struct run *s, struct timers_asked *asked);
/* True for glibc's helper thread of SIGEV_THREAD. */
bool timers_is_helper(const struct run_thread *t, const struct tracee_block *b);

#endif
