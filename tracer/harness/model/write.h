/* Declarations and calls, as both kinds of program write them. */
#ifndef GATECTL_HARNESS_MODEL_WRITE_H
#define GATECTL_HARNESS_MODEL_WRITE_H

#include "tracer/harness/model/model.h"

/*
 * A text that an operation gives is copied right after the call, in the thread that made it, since
 * it may not stay. quoted_text(TEXT, OUT) copies it, the same way in both kinds of program.
 */
enum { WRITE_TEXT = 1000, WRITE_TEXT_ROOM = 4 * WRITE_TEXT + 8 };

/* Something that a call gives: its result (`of` NULL), or what one of its arguments shows. */
struct gift {
	const struct harness_argument *of;
	enum harness_shown shown;
	unsigned out; /* of OUT: which of these arguments it is, from 1 */
};

enum { GIFTS = HARNESS_ARGUMENTS + 1 };

/* Returns how many there are. */
unsigned write_gifts(const struct harness_op *op, struct gift out[GIFTS]);
/* True if the operation gives a text. */
bool write_is_text(const struct harness_op *op);
bool write_has_text(const struct harness_object *o, const bool *used);
void write_text_function(struct str *out);
void write_declarations(const struct harness_object *o, const bool *used, struct str *out);
/* The memory of an object that is initialised in place; and what makes it, in a function. */
void write_memory(const struct harness_object *o, struct str *out);
void write_make(const struct harness_object *o, struct str *out);
/* "queue_push(object, 1)"; out-parameters are &o<FIRST>, &o<FIRST + 1>. */
void write_call(const struct harness_object *o, const struct harness_call *c, unsigned first,
		struct str *out);
/* The most bytes that the call takes in an outcome, with what stands between two calls. */
size_t write_room(const struct harness_object *o, unsigned call);
/* Adds what printf() prints for the n-th gift: ",%ld" to the format, ", (long)r1" to the values. */
void write_shown(const struct gift *g, unsigned n, const char *variable, struct str *format,
		 struct str *values);

#endif
