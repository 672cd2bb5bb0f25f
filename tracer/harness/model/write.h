/* Declarations and calls, as both generated programs write them. */
#ifndef GATECTL_HARNESS_MODEL_WRITE_H
#define GATECTL_HARNESS_MODEL_WRITE_H

#include "tracer/harness/model/model.h"

/* Strings that an operation returns may not stay valid: the calling thread copies them at once,
   with quoted_text(TEXT, OUT), the same in both programs. */
/* Most bytes of "throws(NAME)" in an outcome. */
enum { WRITE_THROWN = 100 };
/* Declares the function of write_catch(). */
#define WRITE_TRY "const char *harness_try(void (*call)(void *), void *arg);\n"

enum { WRITE_TEXT = 1000, WRITE_TEXT_ROOM = 4 * WRITE_TEXT + 8 };

/* A result of a call: its return value (`of` NULL), or what one of its arguments shows. */
struct gift {
	const struct harness_argument *of;
	enum harness_shown shown;
	unsigned out; /* number among the HARNESS_OUT arguments, from 1 */
};

enum { GIFTS = HARNESS_ARGUMENTS + 1 };

/* Fills the results of an operation. Returns their number. */
unsigned write_gifts(const struct harness_op *op, struct gift out[GIFTS]);
/* Returns true if the operation returns a string that is compared. */
bool write_is_text(const struct harness_op *op);
/* Returns true if an operation marked in `used` returns such a string. */
bool write_has_text(const struct harness_object *o, const bool *used);
/* Appends the definition of quoted_text(). */
void write_text_function(struct str *out);
/* Appends #include lines, or declarations of the type and the operations marked in `used`. */
void write_declarations(const struct harness_object *o, const bool *used, struct str *out);
/* Appends the definition of the memory of an object that is initialized in place, if any. */
void write_memory(const struct harness_object *o, struct str *out);
/* Appends the statements that make the object, inside a function. */
void write_make(const struct harness_object *o, struct str *out);
/* Appends the statements that end the object. */
void write_end(const struct harness_object *o, struct str *out);
/* Appends the functions of o->helpers. */
void write_helpers(const struct harness_object *o, struct str *out);
/* Returns the most bytes of the call in an outcome, separators included. */
size_t write_room(const struct harness_object *o, unsigned call);
/* Appends what printf() needs for the n-th result: ",%ld" to the format, ", (long)r1" to the
   values. */
void write_shown(const struct gift *g, unsigned n, const char *variable, struct str *format,
		 struct str *values);

#endif
