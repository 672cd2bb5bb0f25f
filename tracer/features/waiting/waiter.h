/* A thread as it was examined: its calls, and which of them are the tester's. */
#ifndef GATECTL_FEATURES_WAITING_WAITER_H
#define GATECTL_FEATURES_WAITING_WAITER_H

#include "tracer/run/state.h"

enum primitive {
	PRIMITIVE_NONE, /* not known, or a futex of the tester's own */
	PRIMITIVE_MUTEX,
	PRIMITIVE_READ, /* a rwlock's */
	PRIMITIVE_WRITE,
	PRIMITIVE_CONDITION,
	PRIMITIVE_DESTROY, /* pthread_cond_destroy, which waits for the waiters of the condition */
	PRIMITIVE_SEMAPHORE,
	PRIMITIVE_BARRIER,
	PRIMITIVE_ONCE,
	PRIMITIVE_GUARD,  /* of a static variable's initialisation */
	PRIMITIVE_STREAM, /* stdio's lock of a FILE */
	PRIMITIVE_JOIN,
	PRIMITIVE_FUTURE,
	PRIMITIVE_LATCH,
	PRIMITIVE_ATOMIC, /* std::atomic::wait */
	PRIMITIVE_SYSCALL /* the tester's own system call */
};

/* A thread that owns what another one waits for, and where it took that; or that could signal it,
   and where. */
struct owner {
	struct run_thread *thread;
	const char *file; /* NULL: not known */
	unsigned line;
	const struct inspect_call *call; /* the one that took it, if it is known */
};

/* A thread as it was examined. */
struct waiter {
	struct run_thread *thread;
	struct tracee_block block;
	struct wait wait;
	struct inspect_stack stack;
	struct waiters *all; /* which it is one of; NULL: examined alone */
	size_t own;	     /* the tester's innermost call; stack.count: there is none */
	size_t told;	     /* the call that is reported: the same, or further out */
	bool loops;	     /* ... since it goes round there, now and then further in */
	enum primitive what;
	bool timed;
	uint64_t object;       /* address of the mutex, semaphore ...; 0 unknown */
	uint64_t stream;       /* STREAM: the FILE; 0 unknown */
	char *name;	       /* of the object; NULL: it has none */
	unsigned rank;	       /* how good the name is */
	char *mutex;	       /* CONDITION: the mutex that goes with it, or NULL */
	uint64_t mutex_object; /* ... and its address; 0 unknown */
	bool by_lock; /* CONDITION: waited for with a std::unique_lock, whose mutex is not written there */
	ARRAY(struct owner) owners;
	unsigned readers; /* how many threads hold a rwlock for reading */
	bool gone;	  /* its owner is gone, or in another process: nobody can give it back */
	uint32_t tid;	  /* of the owner that no longer exists */
};

struct waiters {
	struct run *run;
	struct waiter *items;
	size_t count, capacity;
	ARRAY(struct module *) placed; /* modules with places of the script */
};

/* ---- caller.c ------------------------------------------------------------------------------- */

void caller_modules(struct run *s, struct waiters *all); /* fills in `placed` */
bool caller_is_system(const struct module *m);		 /* is it a system library? */
/* Is the call in the tester's own code? */
bool caller_is_own(const struct waiter *w, const struct inspect_call *call);

/* Reads the calls of a thread, which is stopped for a moment if need be. The caller frees
   w->stack. */
void caller_look(struct run *s, struct waiter *w);
/* The next call in the tester's own code from `i` on; stack.count: there is none. */
size_t caller_own(const struct waiter *w, size_t i);

#endif
