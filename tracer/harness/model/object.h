/*
 * What is called: an object of C, its operations, and the calls that are made of them with values.
 *
 * This room is pure: it knows neither debug information nor processes. Texts of C go in and come out.
 */
#ifndef GATECTL_HARNESS_MODEL_OBJECT_H
#define GATECTL_HARNESS_MODEL_OBJECT_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"

#include <stdbool.h>
#include <stdint.h>

/* How a number that an operation gives is shown. */
enum harness_shown {
	HARNESS_NOTHING, /* there is none, or it is left out */
	HARNESS_SIGNED,
	HARNESS_UNSIGNED,
	HARNESS_BOOL,
	HARNESS_FLOAT,
	HARNESS_STRING,
	HARNESS_POINTER, /* NULL, or the number that it is */
};

enum harness_argument_kind {
	HARNESS_VALUE,	/* one of `values` */
	HARNESS_OUT,	/* the address of a variable, which is looked at afterwards */
	HARNESS_VISITS, /* a function that counts how often it was called */
	HARNESS_NULL,
};

struct harness_argument {
	enum harness_argument_kind kind;
	char *type;		  /* as C declares it, without names of typedefs: "int", "void *" */
	char *of;		  /* OUT: of the variable */
	enum harness_shown shown; /* OUT; never a text */
	bool renames;	      /* one value is as good as another, if it is the same everywhere */
	ARRAY(char *) values; /* of C */
};

struct harness_op {
	char *function, *name; /* `name`: without what all functions of the object begin with */
	char *result;	       /* its type; "void" */
	enum harness_shown shown;
	ARRAY(struct harness_argument) arguments; /* behind the object */
	/* Found by running: */
	bool reads;	 /* it changes nothing that another operation could see */
	bool varies;	 /* its results differ from one run to the next: they are not looked at */
	bool is_out;	 /* no calls are made of it ... */
	char *why;	 /* ... because of that */
	bool is_partial; /* it is not among `given`, and has too many calls to try all */
};

enum { HARNESS_ARGUMENTS = 6 };

/* One operation with values. */
struct harness_call {
	unsigned op;
	unsigned char values[HARNESS_ARGUMENTS]; /* indexes, of VALUE */
	char *text;				 /* "push(1)" */
};

struct harness_object {
	char *type;	 /* "struct queue" */
	char *declared;	 /* what declares it, where no header does: "struct queue;" */
	char *make;	 /* statements that set `object`; NULL there: it has failed */
	uint64_t memory; /* bytes that `object` is the address of before that; 0: it is NULL */
	char *end;	 /* a function that takes it; NULL: none */
	ARRAY(char *)
	prototypes; /* of the functions that make and end it, where no header has them */
	ARRAY(char *) includes; /* what stands behind #include */
	ARRAY(struct harness_op) ops;
	ARRAY(struct harness_call) calls;
	/* All that matters, if anything: without texts. */
	ARRAY(struct harness_call) given;
};

/* Every operation with every combination of its values, in order: object->calls. Where some are given, of their
   operations only these and the first ones, so that there are two; of the others all, for what they show, or the first
   one if they are many. */
void harness_calls(struct harness_object *o);
/* From the next harness_calls() on this one is given. */
void harness_give(struct harness_object *o, unsigned call);
/* The call of this text ("push(7)", "queue_push(7)"), made if its values are new; -1 with the error. */
int harness_call_named(struct harness_object *o, const char *text, size_t length, unsigned *out,
		       struct error *err);
struct harness_op *harness_op_named(struct harness_object *o, const char *name, size_t length);
void harness_object_fini(struct harness_object *o);

#endif
