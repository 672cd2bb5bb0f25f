/*
 * The text of gate scripts: places, orders, names and comments. Whatever has recorded a run
 * (explore, convert, the REPL), its script is written with these functions.
 */
#ifndef GATECTL_SYNTH_SCRIPT_SCRIPT_H
#define GATECTL_SYNTH_SCRIPT_SCRIPT_H

#include "tracer/base/text/str.h"

/* Lua 5.4 has 200 local variables a function, and the tester may want some: more gates than this
   are fields of a table. */
enum { SCRIPT_MOST_LOCALS = 150 };

enum script_at { SCRIPT_LOCATION, SCRIPT_THREAD_START, SCRIPT_THREAD_EXIT, SCRIPT_EXIT };

struct script_place {
	enum script_at kind;
	const char *location; /* of SCRIPT_LOCATION */
	const char *thread;   /* NULL: any thread */
	bool numbered;	      /* ... Lua's variable i is to be added to it */
	unsigned long hit;    /* 0: not given */
	bool after;
	bool optional; /* the run may end before a thread arrives */
};
/* at "f", or at("f", { thread = "T", hit = 2, after = true }); without verbs. */
void script_place(const struct script_place *place, struct str *out);
/* a -> b; `blocked`: [a] -> b, a has begun and blocks. */
void script_order(const char *from, bool blocked, const char *to, struct str *out);

/* A comment in lines of at most 98 columns; the second and later lines are indented by so many
   blanks. */
void script_comment(const char *text, unsigned indent, struct str *out);
/* The same for each line of the text. */
void script_comments(const char *text, struct str *out);

/* Adds at most `most` letters and digits of the text; runs of other characters become one _, but
   those of `without` nothing. */
void script_identifier(const char *text, const char *without, size_t most, struct str *out);

#endif
