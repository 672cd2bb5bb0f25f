/* Classic concurrency bugs as made-up programs, each with the test whether a run fails. */
#ifndef EXPLORE_CLASSICS_H
#define EXPLORE_CLASSICS_H

#include "explore_program.h"

#include <stdio.h>

struct classic {
	const char *name;
	struct program program;
	bool (*fails)(const struct world *w, enum ended ended);
	char texts[THREADS][80];
};

/* Index of the first such step of the thread (THREADS: of any thread), or the number of steps. */
static inline size_t first_step(const struct world *w, size_t thread, enum strategy_op op,
				char object)
{
	size_t i = 0;

	while (i < w->moves && !((thread == THREADS || w->moved[i].thread == thread) &&
				 w->moved[i].op == op && w->moved[i].object == (uint64_t)object))
		i++;
	return i;
}

static inline size_t checker_of(const struct world *w)
{
	size_t last = 0;

	for (size_t t = 0; t < THREADS; t++)
		if (w->program->threads[t])
			last = t;
	return last;
}

/* The last thread read `a` after it was written and `b` before it was written. */
static inline bool reorder_fails(const struct world *w, enum ended ended)
{
	size_t checker = checker_of(w);

	(void)ended;
	return first_step(w, THREADS, STRATEGY_WRITE, 'a') <
		       first_step(w, checker, STRATEGY_READ, 'a') &&
	       first_step(w, THREADS, STRATEGY_WRITE, 'b') >
		       first_step(w, checker, STRATEGY_READ, 'b');
}

/* The last thread ran after stage one (under m) of a thread and before any stage two (under n). */
static inline bool twostage_fails(const struct world *w, enum ended ended)
{
	size_t checker = checker_of(w);

	(void)ended;
	return first_step(w, THREADS, STRATEGY_UNLOCK, 'm') <
		       first_step(w, checker, STRATEGY_LOCK, 'm') &&
	       first_step(w, THREADS, STRATEGY_LOCK, 'n') ==
		       first_step(w, checker, STRATEGY_LOCK, 'n');
}

static inline bool deadlock_fails(const struct world *w, enum ended ended)
{
	(void)w;
	return ended == DEADLOCK;
}

/* All steps of thread 2 on x fall between the read and the write of x by thread 1. */
static inline bool between_fails(const struct world *w, enum ended ended)
{
	size_t read = first_step(w, 1, STRATEGY_READ, 'x'),
	       write = first_step(w, 1, STRATEGY_WRITE, 'x');

	(void)ended;
	return read < first_step(w, 2, STRATEGY_READ, 'x') &&
	       first_step(w, 2, STRATEGY_WRITE, 'x') < write;
}

/* Thread 0 creates the others; the last one is the checker. */
static inline void classic_crowd(struct classic *c, const char *name, size_t threads,
				 const char *setter, const char *checker,
				 bool (*fails)(const struct world *w, enum ended ended))
{
	*c = (struct classic){.name = name, .fails = fails};
	for (size_t t = 1; t <= threads; t++) {
		sprintf(c->texts[0] + 2 * (t - 1), "c%c", (char)('0' + t));
		strcpy(c->texts[t], t == threads ? checker : setter);
	}
	for (size_t t = 0; t <= threads; t++)
		c->program.threads[t] = c->texts[t];
}

enum { CLASSICS = 9 };

static inline void classics(struct classic *c)
{
	classic_crowd(c++, "reorder 3", 3, "wawb", "rarb", reorder_fails);
	classic_crowd(c++, "reorder 5", 5, "wawb", "rarb", reorder_fails);
	classic_crowd(c++, "reorder 10", 10, "wawb", "rarb", reorder_fails);
	classic_crowd(c++, "reorder 20", 20, "wawb", "rarb", reorder_fails);
	classic_crowd(c++, "twostage 20", 20, "lm--umln--un", "lm--umln--un", twostage_fails);
	classic_crowd(c++, "lost update", 2, "rzwzrxwxrz", "wzrxwxwz", between_fails);
	classic_crowd(c++, "ABBA", 2, "lmlnunumrxlmum", "lnlmumunwxlnun", deadlock_fails);
	classic_crowd(c++, "ABBA late", 2, "lkuklkuklkuklkuklkuklkuklmlnunum",
		      "lkuklkuklkuklkuklkuklkuklnlmumun", deadlock_fails);
	classic_crowd(c++, "long between", 2, "rx--rz--rz--rz--rz--rz--rz--rzwx", "wzwzwzwzrxwx",
		      between_fails);
}

#endif
