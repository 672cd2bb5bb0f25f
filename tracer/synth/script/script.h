/* Text of gate scripts: places, orders, ends, names and comments. explore, convert and the REPL
   write their scripts with these functions. */
#ifndef GATECTL_SYNTH_SCRIPT_SCRIPT_H
#define GATECTL_SYNTH_SCRIPT_SCRIPT_H

#include "tracer/base/text/str.h"

/* Lua 5.4 allows 200 local variables a function, and the user may want some: more gates than this
   are fields of a table. */
enum { SCRIPT_MOST_LOCALS = 150 };

enum script_at { SCRIPT_LOCATION, SCRIPT_THREAD_START, SCRIPT_THREAD_EXIT, SCRIPT_EXIT };

struct script_place {
	enum script_at kind;
	const char *location; /* SCRIPT_LOCATION only */
	const char *thread;   /* NULL means any thread */
	bool numbered;	      /* Lua appends its variable i to `thread` */
	unsigned long hit;    /* 0 means not given */
	bool after;
	bool optional; /* the run may end before a thread arrives */
};
/* Appends at "f", or at("f", { thread = "T", hit = 2, after = true }), without verbs. */
void script_place(const struct script_place *place, struct str *out);
/* Appends a -> b, or with `blocked` [a] -> b: a has begun and blocks. */
void script_order(const char *from, bool blocked, const char *to, struct str *out);
/* Ends that a script can expect. */
enum script_expected {
	SCRIPT_END_ANY,
	SCRIPT_END_EXIT,
	SCRIPT_END_SIGNAL,
	SCRIPT_END_DEADLOCK,
	SCRIPT_END_LIVELOCK,
	SCRIPT_END_TIME_LIMIT,
};
/* Appends expect { signal = "SIGSEGV" }, without a newline. `number` is the exit status or the
   signal. `at` (may be NULL) is the location of the signal, `output` (may be NULL) what standard
   output has to contain. Appends nothing for SCRIPT_END_ANY. */
void script_expect(enum script_expected end, int number, const char *at, const char *output,
		   struct str *out);

/* Appends a comment in lines of at most 98 columns; `indent` is the number of blanks from the
   second line on. */
void script_comment(const char *text, unsigned indent, struct str *out);
/* Appends a comment for each line of the text. */
void script_comments(const char *text, struct str *out);

/* Appends at most `most` letters and digits of the text. Runs of other characters become one '_',
   but characters of `without` are dropped. */
void script_identifier(const char *text, const char *without, size_t most, struct str *out);

#endif
