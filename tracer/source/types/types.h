/*
 * Types of the program. Made on first use from their entries, kept by the module (its die_table),
 * never freed before it. typedef, const, volatile and _Atomic are seen through; `name` is the one
 * that was written last ("size_t").
 */
#ifndef GATECTL_SOURCE_TYPES_TYPES_H
#define GATECTL_SOURCE_TYPES_TYPES_H

#include "tracer/dwarf/units/units.h"
#include "tracer/base/text/str.h"
#include "tracer/dwarf/frames/frames.h"
#include "tracer/source/source.h"

enum type_kind {
	TYPE_VOID,
	TYPE_BOOL,
	TYPE_INTEGER,
	TYPE_CHAR,  /* char, wchar_t, char16_t, ...: an integer that makes strings */
	TYPE_FLOAT, /* 4, 8, 16 with x87's 80 bits, or __float128 (is_quad) */
	TYPE_COMPLEX,
	TYPE_ENUM,
	TYPE_POINTER,
	TYPE_REFERENCE, /* & and && */
	TYPE_ARRAY,
	TYPE_STRUCT, /* and class */
	TYPE_UNION,
	TYPE_FUNCTION,
	TYPE_MEMBER_POINTER,
	TYPE_OTHER,
};

struct type_member {
	const char *name; /* NULL or "": anonymous */
	const struct type *type;
	uint64_t offset;
	uint16_t bit_offset, bit_size; /* bit_size 0: no bit-field. From the lowest bit at offset */
	bool is_base;
	bool is_virtual; /* a virtual base: `offset` has to be looked up in the object */
	uint64_t entry;	 /* its entry in .debug_info (static members, virtual bases) */
	bool is_static;
	/* Rust's enums: there only while the discriminant has this value, or none of the others */
	bool is_variant, is_default;
	int64_t discriminant;
};

struct type_enumerator {
	const char *name;
	int64_t value;
};

enum type_flag {
	TYPE_TYPEDEF = 1 << 0, /* `name` is that of a typedef */
	TYPE_CONST = 1 << 1,   /* as declared; only type_spell looks at it */
	TYPE_VOLATILE = 1 << 2,
	TYPE_ATOMIC = 1 << 3,  /* _Atomic, typedefs seen through */
	TYPE_RVALUE = 1 << 4,  /* REFERENCE: && */
	TYPE_NULLPTR = 1 << 5, /* decltype(nullptr) */
	TYPE_FILLED = 1 << 6,  /* type_members() has been here */
	/* Between the files of types: */
	TYPE_MAKING = 1 << 7,	   /* it is being made: who meets it again is in a circle */
	TYPE_WHOLE_KNOWN = 1 << 8, /* type_whole has looked */
};

struct type {
	enum type_kind kind;
	unsigned flags;	  /* enum type_flag */
	const char *name; /* NULL: it has none */
	uint64_t size;	  /* bytes; 0 unknown */
	bool is_signed;
	bool is_quad;
	bool incomplete; /* declared only: type_whole finds the definition */
	bool rust, cxx;
	bool has_count;	       /* ARRAY: its bound is known */
	uint64_t count;	       /* ARRAY: of elements */
	const struct type *of; /* pointee, element, underlying; FUNCTION: what it returns */
	struct module *module; /* NULL: a built-in one */
	uint64_t entry;	       /* its entry in .debug_info */
	const struct type *discriminant; /* Rust's enums with contents, else NULL */
	uint64_t discriminant_at;
	const char *tag; /* the name that its definition has, typedefs seen through; NULL */
	/* Filled in by type_members(): */
	ARRAY(struct type_member) members; /* FUNCTION: its parameters */
	ARRAY(struct type_enumerator) enumerators;
	/* Between the files of types: */
	const struct type *whole;   /* what type_whole found; NULL nothing */
	const char *full;	    /* type_full_name made it; the module owns it */
	uint8_t layout_kind;	    /* inspect/values/layout.c */
	struct type *pointer;	    /* type_pointer_to made it, this type owns it */
	struct type *arrays, *next; /* type_array_of made them, likewise */
};

/* The type whose entry is at this offset; 0: void. NULL with an error. */
const struct type *type_get(struct module *m, uint64_t entry, struct error *err);
/* The type that an entry's DW_AT_type (its own or inherited) names. */
const struct type *type_of_entry(const struct entry *e, struct error *err);
/* Members, enumerators, parameters are there afterwards. 0, or -1. */
int type_members(const struct type *t, struct error *err);
/* The definition of a type that is only declared here, from another unit or module; itself where
   there is none, or where it is whole already. */
const struct type *type_whole(const struct type *t, const struct dwarf_program *program);
/* By name as it is written in C ("struct queue", "unsigned long", "Queue", "ns::T"), looked for
   in the unit of `near` first; NULL: there is none. */
const struct type *type_named(const struct dwarf_program *program, struct module *near,
			      uint64_t unit_entry, const char *name);
/* Built-in ones, for results: "int" (signed, 4), "unsigned long", "double", "char", "bool". */
const struct type *type_builtin(const char *name);
const struct type *type_pointer_to(const struct type *t); /* cached */
const struct type *type_array_of(const struct type *t, uint64_t count);
/* With namespaces and classes, of the definition behind typedefs ("std::vector<int, ...>"), without
   inline and anonymous namespaces. "" where it has no name. */
const char *type_full_name(const struct type *t);
/* As C writes it: "struct queue *", "int [10]". */
void type_spell(const struct type *t, struct str *out);
const char *type_enumerator_name(const struct type *t, int64_t value); /* NULL */
/* The value that the discriminant has while this variant is there. */
int64_t type_discriminant(const struct type *t, const struct type_member *m);
/* Bytes that an object's address is a multiple of. */
uint64_t type_alignment(const struct type *t, const struct dwarf_program *program);
/* The i-th template argument that is a type; NULL: none. */
const struct type *type_argument(const struct type *t, unsigned i);

/* ---- signatures.c ------------------------------------------------------------------------------ */

/*
 * The functions of a module that have to do with one type: which make an object of it, which end one, which
 * use one, and what else they take and give. All of it is read from debug information.
 */
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
