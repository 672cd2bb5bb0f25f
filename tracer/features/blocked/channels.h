/*
 * Shared by the files that find out who could end a wait: at a pipe, a socket of a pair, an eventfd
 * or a file lock, whoever holds the other end; at a word of memory, whoever can reach it. A process
 * that is not traced could do so at any time.
 */
#ifndef GATECTL_FEATURES_BLOCKED_CHANNELS_H
#define GATECTL_FEATURES_BLOCKED_CHANNELS_H

#include "tracer/run/state.h"

#include <sys/stat.h>

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

/* Its holders could end a wait. */
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

/* blocked.c: what the thread waits for, and who outside could end that; WAIT_NOT: it can move, or
   might. */
void blocked_judge(struct run *s, struct run_thread *t, const struct tracee_block *b,
		   struct wait *w, struct ends *ends);
/* The same, without outsiders. */
void blocked_wait_of(struct run *s, struct run_thread *t, const struct tracee_block *b,
		     struct wait *w);

/* channels.c: WAIT_FILE with `by` and the ends filled in; or WAIT_NOT: not known who could end
   it. */
void channels_wait(struct run *s, struct run_thread *t, const struct tracee_block *b,
		   struct wait *w, struct ends *ends);
/* Is it a system call that waits at files without a time-out? */
bool channels_is_call(struct run_thread *t, const struct tracee_block *b);

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
/* The thread waits at a word (futex(2) or futex_waitv); WAIT_NOT: there is a time-out, or somebody
   outside could wake it. */
void futexes_wait(struct run *s, struct run_thread *t, const struct tracee_block *b, struct wait *w,
		  struct ends *ends);

/* opened.c */
int opened_look(pid_t tid, int fd, struct opened *out); /* 0, or -1: not open */
/* Calls `want` with each line of its fdinfo until that returns true; did it? */
bool opened_info(const struct opened *f, bool (*want)(void *ctx, const char *line), void *ctx);

/* sockets.c: the inode of the socket's peer. False: not known, or a wait at it ends by itself. */
bool sockets_peer(pid_t pid, const struct opened *f, ino_t *peer);

/* holders.c: adds the traced processes that hold the end. False: there are none. */
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
