/* The model: an object of C, its operations, calls with values, harnesses, outcomes and generated C
   programs. Pure: C text in and out, without debug information or processes. */
#ifndef GATECTL_HARNESS_MODEL_MODEL_H
#define GATECTL_HARNESS_MODEL_MODEL_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/text/str.h"

/* ---- object.c: the object and calls of its operations ---------------------------------------- */

/* How a result of an operation is printed. */
enum harness_shown {
	HARNESS_NOTHING, /* no result, or not printed */
	HARNESS_SIGNED,
	HARNESS_UNSIGNED,
	HARNESS_BOOL,
	HARNESS_FLOAT,
	HARNESS_STRING,
	HARNESS_POINTER, /* NULL, or the address as a number */
};

enum harness_argument_kind {
	HARNESS_VALUE,	/* a value of `values` */
	HARNESS_OUT,	/* address of a variable, which is read after the call */
	HARNESS_VISITS, /* callback that counts its calls */
	HARNESS_LENGTH, /* number of elements of the array before it */
	HARNESS_SECOND, /* another object of the type */
};

/* Functions that a constructor is given, in the generated programs. */
enum harness_helper {
	HARNESS_HASH = 1 << 0,
	HARNESS_COMPARE = 1 << 1,
	HARNESS_EQUAL = 1 << 2,
	HARNESS_HASH_TEXT = 1 << 3,
	HARNESS_COMPARE_TEXTS = 1 << 4,
	HARNESS_EQUAL_TEXTS = 1 << 5,
};

struct harness_argument {
	enum harness_argument_kind kind;
	char *type;    /* as C declares it, without typedefs: "int", "void *" */
	char *of;      /* HARNESS_OUT: type of the variable */
	char *literal; /* HARNESS_VALUE in braces: what C writes before it: "(const int[])" */
	enum harness_shown shown; /* HARNESS_OUT; never HARNESS_STRING */
	bool renames;		  /* values are interchangeable if renamed everywhere alike */
	ARRAY(char *) values;	  /* C expressions */
};

/* --core and --untrusted: a harness has one call of an untrusted operation among those of core
   ones. */
enum harness_trust { HARNESS_ANY, HARNESS_CORE, HARNESS_UNTRUSTED, HARNESS_NEITHER };

struct harness_op {
	char *function, *name; /* `name` lacks the common prefix of all functions. */
	char *symbol;	       /* C++: the mangled name; else NULL */
	char *result;	       /* type of the result, or "void" */
	enum harness_shown shown;
	ARRAY(struct harness_argument) arguments; /* without the object */
	enum harness_trust trust;
	/* Found by running: */
	bool reads;	     /* changes nothing that another operation can see */
	bool varies;	     /* results differ between runs and are not compared */
	bool is_out;	     /* never called */
	char *why;	     /* why it is never called; else NULL */
	bool is_partial;     /* not in `given`, and too many calls to try all */
	bool is_unsure;	     /* the trial ended before all calls showed whether it only reads */
	unsigned long tried; /* calls of it in sequential orders */
	/* Found by searching: */
	bool weakened;			    /* gave what only --weaken allows */
	unsigned long harnesses, schedules; /* those that call it */
	size_t violation; /* 1 + number of the violation that is due to it; 0: none */
	double tried_s;	  /* seconds that they took */
};

enum { HARNESS_ARGUMENTS = 6 };

/* A call: an operation with values. */
struct harness_call {
	unsigned op;
	unsigned char values[HARNESS_ARGUMENTS]; /* indexes of HARNESS_VALUE arguments' values */
	char *text;				 /* "push(1)" */
};

struct harness_object {
	char *type;	/* "struct queue" */
	char *declared; /* declaration without a header: "struct queue;" */
	/* Statements that set `object`, to NULL on failure. May be NULL: the object is zeroed
	   memory. */
	char *make;
	/* Bytes of memory that `object` points to before `make`; 0 means that it is NULL. */
	uint64_t memory;
	char *end;		  /* function that frees the object; may be NULL */
	struct harness_call fill; /* puts something into the second object, if `fills`; no text */
	bool fills;
	bool catches;	       /* exceptions of C++ are results: the programs need write_catch() */
	bool has_second;       /* an operation takes another object */
	unsigned helpers;      /* bits of enum harness_helper */
	ARRAY(char *) structs; /* declarations of structs that are passed, without a header */
	/* Declarations of the functions of `make` and `end`, without a header. */
	ARRAY(char *)
	prototypes;
	ARRAY(char *) includes; /* operands of #include */
	ARRAY(struct harness_op) ops;
	ARRAY(struct harness_call) calls;
	/* Calls of --schema, without texts; if there are any, only these matter. */
	ARRAY(struct harness_call)
	given;
};

/* Fills o->calls: every operation with every combination of its values. With `given` calls, only
   these, WITH_GIVEN calls of their operations, and all or (if many) one call of other
   operations. */
void harness_calls(struct harness_object *o);
/* Adds the call to o->given; the next harness_calls() uses it. */
void harness_give(struct harness_object *o, unsigned call);
/* Parses a call ("push(7)", "queue_push(7)") and adds it if its values are new. Returns 0 with its
   index in *out, or -1 with *err set. */
int harness_call_named(struct harness_object *o, const char *text, size_t length, unsigned *out,
		       struct error *err);
/* Returns the operation with this name or function name, or NULL. */
struct harness_op *harness_op_named(const struct harness_object *o, const char *name,
				    size_t length);
/* Returns the operation of a call. */
static inline struct harness_op *harness_op_of(const struct harness_object *o, unsigned call)
{
	return &o->ops.items[o->calls.items[call].op];
}
/* Returns the number of arguments of this kind. */
unsigned harness_count(const struct harness_op *op, enum harness_argument_kind kind);
/* Scans C text. Returns the first of `stops` outside quotes and parentheses, or with `closes` the
   end of the first parenthesized group, or `end`. */
const char *harness_scan(const char *at, const char *end, const char *stops, bool closes);
/* Frees what the object owns and clears it. */
void harness_object_fini(struct harness_object *o);

/* ---- schema.c: the calls of each thread ------------------------------------------------------ */

/* Limits: threads, calls of one thread, calls of all threads. */
enum { SCHEMA_THREADS = 4, SCHEMA_CALLS = 8, SCHEMA_SIZE = 16 };

/* A harness: the calls of each thread, written "{ push(1); pop() } || { size() }". An order between
   threads follows: "{ 0 < 1 }". */
struct schema {
	unsigned threads, counts[SCHEMA_THREADS];
	/* Bit p of after[t]: thread p ends before thread t begins. */
	unsigned char after[SCHEMA_THREADS];
	unsigned calls[SCHEMA_THREADS][SCHEMA_CALLS]; /* indexes of object->calls */
};

/* Parses a harness; adds calls with new values to the object. Returns 0, or -1 with *err set. */
int schema_parse(struct harness_object *o, const char *text, struct schema *out, struct error *err);
/* Appends the text of the harness. */
void schema_print(const struct harness_object *o, const struct schema *s, struct str *out);
unsigned schema_size(const struct schema *s); /* calls of all threads */
/* Returns true if a call of the operation is in the harness. */
bool schema_calls(const struct harness_object *o, const struct schema *s,
		  const struct harness_op *op);
/* Returns true if each thread of `part` is a subsequence of a distinct thread of `whole`, values
   aside. */
bool schema_contains(const struct harness_object *o, const struct schema *whole,
		     const struct schema *part);

/* ---- enumerate.c: harnesses in order of size ------------------------------------------------- */

enum enumeration_calls {
	ENUMERATE_ALL,
	ENUMERATE_FEW,	/* the first calls of each operation: few values */
	ENUMERATE_REST, /* harnesses that the few calls do not make */
};

/* Enumerates harnesses, one of each class that renaming of values and reordering of threads makes
   equal; none consists of read-only calls alone. README.md has their number. */
struct enumeration {
	const struct harness_object *object;
	unsigned threads, size; /* calls of all threads */
	enum enumeration_calls calls;
	ARRAY(unsigned) usable; /* indexes of object->calls */
	size_t few;		/* number of `usable` that are few; they are not the first */
	/* Position of the enumeration: */
	/* Harnesses in which some thread begins with a change come first. */
	bool begun, second;
	unsigned counts[SCHEMA_THREADS];
	unsigned slots[SCHEMA_THREADS * SCHEMA_CALLS]; /* indexes of `usable` */
};

/* Begins with `threads` threads and `size` calls in all; keeps `o`. */
void enumerate_begin(struct enumeration *e, const struct harness_object *o, unsigned threads,
		     unsigned size, enum enumeration_calls calls);
/* Returns true if ENUMERATE_FEW has fewer calls than ENUMERATE_ALL. */
bool enumerate_has_few(const struct harness_object *o);
/* Fills the next harness. Returns false if there are no more. */
bool enumerate_next(struct enumeration *e, struct schema *out);
/* Returns true if there are too many harnesses to enumerate: enumerate_sample() gives some. */
bool enumerate_is_large(const struct enumeration *e);
/* Fills a harness at random, perhaps one that was given before; advances *state, not 0. Returns
   false if none was found. Sets *first if a thread begins with a change. */
bool enumerate_sample(struct enumeration *e, uint64_t *state, struct schema *out, bool *first);
/* Returns a random number; advances *state, not 0. Equal seeds give equal numbers. */
uint64_t enumerate_random(uint64_t *state);
void enumerate_fini(struct enumeration *e); /* Frees what the enumeration owns. */

/* ---- outcome.c: results of calls and final observation --------------------------------------- */

struct harness_outcome {
	char *text; /* "push(1)=0 pop()=2 | size()=1" */
	/* Sequential order that gives it, "size() push(1) pop()"; NULL if there is none. */
	char *order;
	bool weakened;	     /* explained by --weaken */
	unsigned long times; /* number of runs with this outcome */
};

struct outcomes {
	struct harness_outcome *items;
	size_t count, capacity;
};

/* Finds or adds the outcome, and sets its order if it has none (`order` may be NULL). Returns it,
   owned by *o, valid until the next one is added. */
struct harness_outcome *outcomes_add(struct outcomes *o, const char *text, const char *order);
/* Returns a hash that stands for the text on a command line, where texts would be too long. */
uint64_t outcome_sum(const char *text);
/* Frees the outcomes. */
void outcomes_fini(struct outcomes *o);
/* Appends a table, separated by tabs, with a header: outcome, times, atomic, explained by. */
void outcomes_print(const struct outcomes *o, struct str *out);
/* Returns the linearizable outcome that differs from `text` in the fewest calls, or NULL. Appends
   these calls, one a line, with both results to *differences unless that is NULL. */
const struct harness_outcome *outcomes_nearest(const struct outcomes *o, const char *text,
					       struct str *differences);

/* Results that --weaken allows besides those of sequential orders. */
struct outcome_contract {
	void *ctx;
	/* Returns true if the call ("size()") may give `given` ("1,2"). `atomic` has the results
	   that sequential orders give there. */
	bool (*allows)(void *ctx, const char *call, const char *given, const char *const *atomic,
		       size_t count);
};

/* Returns a linearizable outcome that differs from `text` only in results of threads' calls that
   the contract allows, or NULL. */
const struct harness_outcome *outcomes_allow(const struct outcomes *o, const char *text,
					     const struct outcome_contract *c);

/* ---- write_program.c, write_test.c: C programs that call the operations ---------------------- */

/* Appends the source of one program for all harnesses. README.md describes its arguments. */
void write_program(const struct harness_object *o, struct str *out);

/* Appends "queue_push(object, 1)"; out-parameters are &o<FIRST>, &o<FIRST + 1>. */
void write_call(const struct harness_object *o, const struct harness_call *c, unsigned first,
		struct str *out);
/* Appends the C++ source of harness_try(), which both programs are linked with if o->catches. */
void write_catch(struct str *out);
/* Returns the name of a function that write_program() and write_test() define. */
const char *write_helper(enum harness_helper helper);

/* Input of write_test(). */
struct write_test {
	const struct harness_object *object;
	const struct schema *schema;
	const unsigned *final; /* calls made after the threads end */
	size_t final_count;
	const struct outcomes *atomic;
	const char *command; /* command that compiles the test */
};

/* Appends a readable test program without arguments, which exits with 1 if the outcome is not
   linearizable. */
void write_test(const struct write_test *t, struct str *out);

#endif
