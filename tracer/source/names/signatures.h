/*
 * The functions of a module that have to do with one type: which make an object of it, which end one, which
 * use one, and what else they take and give. All of it is read from debug information.
 */
#ifndef GATECTL_SOURCE_NAMES_SIGNATURES_H
#define GATECTL_SOURCE_NAMES_SIGNATURES_H

#include "tracer/source/types/types.h"

enum signature_role {
	SIGNATURE_OPERATION, /* its first parameter is the object */
	SIGNATURE_CONSTRUCTOR, /* gives the object as its result, or through its first parameter (OBJECT_OUT) */
	SIGNATURE_INITIALISER, /* makes an object of memory that it is given */
	SIGNATURE_DESTRUCTOR,
	SIGNATURE_LEFT_OUT, /* ... because of `why` */
};

enum signature_class {
	SIGNATURE_NOTHING, /* of results: void */
	SIGNATURE_OBJECT,
	SIGNATURE_OBJECT_OUT, /* TYPE ** */
	SIGNATURE_INTEGER,
	SIGNATURE_BOOL,
	SIGNATURE_ENUM,
	SIGNATURE_FLOAT,
	SIGNATURE_STRING,      /* char * */
	SIGNATURE_TOKEN,       /* void *: something that is only handed through */
	SIGNATURE_OUT_INTEGER, /* a pointer to one, that is not const */
	SIGNATURE_OUT_TOKEN,   /* void ** */
	SIGNATURE_CALLBACK,
	SIGNATURE_OTHER, /* nobody can guess a value: see `spelled` */
	SIGNATURE_STRUCT,
};

struct signature_value {
	enum signature_class class;
	const char *name; /* of a parameter; NULL: it has none */
	char *spelled;	  /* as the source has the type: "queue_t *" */
	const struct type
		*type; /* INTEGER, BOOL, ENUM, FLOAT, OUT_INTEGER: the number's; else what it is */
};

struct signature {
	const char *name; /* the module owns it, and the file's */
	const char *file; /* NULL: not known */
	unsigned line;
	enum signature_role role;
	char *why; /* LEFT_OUT; of an OPERATION: it is one only for who asks. NULL: nothing is to be said */
	bool is_variadic;
	bool makes; /* its name has a word as new, create, init */
	struct signature_value result;
	ARRAY(struct signature_value) parameters;
};

struct signatures {
	char *type;    /* what it is called in C: "struct queue", "queue_t" */
	bool is_union; /* ... for a declaration */
	uint64_t size; /* of an object; 0: its definition is nowhere in the module */
	ARRAY(struct signature) items; /* by name */
};

/* `type`: "struct queue", "queue" or the name of a typedef. 0, or -1: no debug information, no such type. */
int signatures_read(struct module *m, const char *type, struct signatures *out, struct error *err);
void signatures_fini(struct signatures *s);
/* NULL: there is none of this name. */
const struct signature *signatures_find(const struct signatures *s, const char *name);

#endif
