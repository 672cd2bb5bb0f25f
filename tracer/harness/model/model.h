/*
 * What is called: an object of C, its operations, calls of them with values, harnesses, outcomes,
 * and C programs. This room is pure: it knows neither debug information nor processes. Texts of C
 * go in and come out.
 */
#ifndef GATECTL_HARNESS_MODEL_MODEL_H
#define GATECTL_HARNESS_MODEL_MODEL_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"

/* ---- object.c: the object and calls of its operations ---------------------------------------- */

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
	HARNESS_VISITS, /* a function that counts its calls */
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
	char *function, *name; /* `name`: without the prefix of all functions of the object */
	char *result;	       /* its type; "void" */
	enum harness_shown shown;
	ARRAY(struct harness_argument) arguments; /* after the object */
	/* Found by running: */
	bool reads;	 /* it changes nothing that another operation could see */
	bool varies;	 /* its results differ from one run to the next: they are not compared */
	bool is_out;	 /* no calls are made of it ... */
	char *why;	 /* ... for this reason */
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
	char *declared;	 /* its declaration, where no header has it: "struct queue;" */
	char *make;	 /* statements that set `object`; NULL there: it has failed */
	uint64_t memory; /* bytes that `object` is the address of before that; 0: it is NULL */
	char *end;	 /* a function that takes it; NULL: none */
	ARRAY(char *)
	prototypes; /* of the functions that make and end it, where no header has them */
	ARRAY(char *) includes; /* operands of #include */
	ARRAY(struct harness_op) ops;
	ARRAY(struct harness_call) calls;
	ARRAY(struct harness_call)
	given; /* by --schema, without texts: only these matter, if any */
};

/* object->calls: every operation with every combination of its values, in order. Where some are
   given, only these and the first others of their operations, so that there are two; all of
   other operations, for what they show, or the first one if they are many. */
void harness_calls(struct harness_object *o);
/* The call is given from the next harness_calls() on. */
void harness_give(struct harness_object *o, unsigned call);
/* The call of this text ("push(7)", "queue_push(7)"), added if its values are new. Returns 0, or
   -1 with *err set. */
int harness_call_named(struct harness_object *o, const char *text, size_t length, unsigned *out,
		       struct error *err);
struct harness_op *harness_op_named(const struct harness_object *o, const char *name,
				    size_t length);
/* The operation of a call. */
static inline struct harness_op *harness_op_of(const struct harness_object *o, unsigned call)
{
	return &o->ops.items[o->calls.items[call].op];
}
/* How many arguments of that kind it has. */
unsigned harness_count(const struct harness_op *op, enum harness_argument_kind kind);
/* The end of a piece of C: one of `stops` outside of quotes and parentheses, or (`closes`) the
   end of the first pair of parentheses. */
const char *harness_scan(const char *at, const char *end, const char *stops, bool closes);
void harness_object_fini(struct harness_object *o);

/* ---- schema.c: the calls of each thread ------------------------------------------------------ */

enum { SCHEMA_THREADS = 4, SCHEMA_CALLS = 8, SCHEMA_SIZE = 16 }; /* SIZE: calls of all threads */

/* { push(1); pop() } || { size() } */
struct schema {
	unsigned threads, counts[SCHEMA_THREADS];
	unsigned calls[SCHEMA_THREADS][SCHEMA_CALLS]; /* indexes of object->calls */
};

/* Calls with new values are added to the object. Returns 0, or -1 with *err set. */
int schema_parse(struct harness_object *o, const char *text, struct schema *out, struct error *err);
void schema_print(const struct harness_object *o, const struct schema *s, struct str *out);
unsigned schema_size(const struct schema *s); /* calls of all threads */
/* True if each thread of `part` is in one of `whole`, its operations in their order, values
   aside. */
bool schema_contains(const struct harness_object *o, const struct schema *whole,
		     const struct schema *part);

/* ---- enumerate.c: harnesses in order of size ------------------------------------------------- */

/*
 * Of harnesses that differ only in the order of threads, or in which of the values stands for which, there is one; none
 * has only operations that only read.
 *
 * Burnside's lemma says how many these are. Of p operations that take one of v values and q that take none, shared
 * among threads that make n1 >= n2 >= ... calls, there are
 *
 *     1/|G| * sum over (r, s) in G of the product over the cycles c of s of (q + p * fix(r^|c|))^n(c)
 *
 * where G has all renamings r of the values and all orders s of threads that make as many calls, and fix(r) is how
 * many values r leaves as they are. From that go those that only read, and the whole is the sum over
 * all n1 + n2 + ... = size: it grows like (q + p * v)^size.
 */
struct enumeration {
	const struct harness_object *object;
	unsigned threads, size; /* calls of all threads */
	/* The position: */
	bool begun, second; /* first come harnesses in which some thread begins with a change */
	unsigned counts[SCHEMA_THREADS];
	unsigned slots[SCHEMA_THREADS * SCHEMA_CALLS];
};

void enumerate_begin(struct enumeration *e, const struct harness_object *o, unsigned threads,
		     unsigned size);
bool enumerate_next(struct enumeration *e, struct schema *out);

/* ---- outcome.c: what each call has given, and what was seen in the end ----------------------- */

struct harness_outcome {
	char *text;  /* "push(1)=0 pop()=2 | size()=1" */
	char *order; /* of whole calls that explains it: "size() push(1) pop()"; NULL: none does */
	bool weakened;	     /* explained by what --weaken allows */
	unsigned long times; /* seen */
};

struct outcomes {
	struct harness_outcome *items;
	size_t count, capacity;
};

/* The outcome of this text, added if it is new; explained by the order, if it was not. */
struct harness_outcome *outcomes_add(struct outcomes *o, const char *text, const char *order);
/* Stands for the text on a command line, where many would be too long. */
uint64_t outcome_sum(const char *text);
void outcomes_fini(struct outcomes *o);
/* Tab-separated with a header: outcome, times, atomic, explained by. */
void outcomes_print(const struct outcomes *o, struct str *out);
/* The atomic one that differs from `text` in the fewest calls, or NULL if there is none. These
   calls, as they were and as they would have been, go to *differences, a line each. */
const struct harness_outcome *outcomes_nearest(const struct outcomes *o, const char *text,
					       struct str *differences);

/* What calls are allowed to give besides. */
struct outcome_contract {
	void *ctx;
	/* True if the call ("size()") may have given that ("1,2"). `atomic`: what orders of
	   whole calls give there. */
	bool (*allows)(void *ctx, const char *call, const char *given, const char *const *atomic,
		       size_t count);
};

/* The atomic one from which `text` differs in nothing but calls of threads that were allowed to
   give what they gave, or NULL. */
const struct harness_outcome *outcomes_allow(const struct outcomes *o, const char *text,
					     const struct outcome_contract *c);

/* ---- write_program.c, write_test.c: C programs that call the operations ---------------------- */

/*
 * One program for all harnesses. Calls go by their numbers in object->calls:
 *
 *	PROG orders [UNTIL]			each line of its input is a sequence of calls: they are made one
 *						after the other on a new object, in a child process, and a line
 *						says what came of it (harness/check/orders.c); nothing more is done
 *						when the monotonic clock is past UNTIL, in seconds
 *	PROG run FINAL CALLS CALLS... = SUM...	a thread for each CALLS ("3 1"; FINAL: after them, "" none);
 *						prints the outcome; 1 if it has none of these outcome_sum()s
 */
void write_program(const struct harness_object *o, struct str *out);

/* A test of one harness. */
struct write_test {
	const struct harness_object *object;
	const struct schema *schema;
	const unsigned *final; /* calls after the threads */
	size_t final_count;
	const struct outcomes *atomic;
	const char *command; /* that compiles it */
};

/* A program without arguments, as a person would write it: 1 if the outcome is not atomic. */
void write_test(const struct write_test *t, struct str *out);

#endif
