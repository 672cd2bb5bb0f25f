/* C programs that call the operations. */
#ifndef GATECTL_HARNESS_MODEL_WRITE_H
#define GATECTL_HARNESS_MODEL_WRITE_H

#include "tracer/harness/model/outcome.h"
#include "tracer/harness/model/schema.h"

/*
 * One program for all harnesses. Calls go by their numbers in object->calls:
 *
 *	PROG orders [UNTIL]			each line of its input is a sequence of calls: they are made one
 *						after the other on a new object, in a child process, and a line
 *						says what came of it (harness/check/orders.h); nothing more is done
 *						when the monotonic clock is past UNTIL, in seconds
 *	PROG run FINAL CALLS CALLS... = SUM...	a thread for each CALLS ("3 1"; FINAL: behind them, "" none);
 *						prints the outcome; 1 if it has none of these outcome_sum()s
 */
void write_program(const struct harness_object *o, struct str *out);

/* What is wanted of a test of one harness. */
struct write_test {
	const struct harness_object *object;
	const struct schema *schema;
	const unsigned *final; /* calls behind the threads */
	size_t final_count;
	const struct outcomes *atomic;
	const char *command; /* that compiles it */
};

/* A program without arguments that a person would have written: 1 if the outcome is not atomic. */
void write_test(const struct write_test *t, struct str *out);

/* Of both, in order of use; between the files of this room. */
void write_declarations(const struct harness_object *o, const bool *used, struct str *out);
/* "queue_push(object, 1)"; out-parameters go to NAMEn, which counts on. */
void write_call_text(const struct harness_object *o, const struct harness_call *c, const char *name,
		     unsigned first, struct str *out);
/*
 * Texts that operations give are copied right after the call, in the thread that made it: nobody knows how long they
 * stand there. quoted_text(TEXT, OUT) does it, in both kinds of program: so equal texts are equal everywhere.
 */
enum { WRITE_TEXT = 1000, WRITE_TEXT_ROOM = 4 * WRITE_TEXT + 8 };
void write_text_function(struct str *out);
bool write_is_text(const struct harness_op *op); /* does it give one? */
bool write_has_text(const struct harness_object *o, const bool *used);
/* How long the call's part of an outcome is at most, with what stands between two of them. */
size_t write_room(const struct harness_object *o, unsigned call);
/* What printf() prints of what an operation gave; of a text that is the copy. that "%ld", "(long)r1" */
const char *write_format(enum harness_shown shown);
void write_shown(enum harness_shown shown, const char *variable, struct str *out);

#endif
