/* Types of the program, made from DIEs on first use and owned by the module (its die_table).
   typedef, const, volatile and _Atomic are resolved; `name` is the outermost name ("size_t"). */
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
	TYPE_FLOAT, /* 4, 8, 16 bytes: x87's 80 bits, or __float128 (is_quad) */
	TYPE_COMPLEX,
	TYPE_ENUM,
	TYPE_POINTER,
	TYPE_REFERENCE, /* & and && */
	TYPE_ARRAY,
	TYPE_STRUCT, /* struct and class */
	TYPE_UNION,
	TYPE_FUNCTION,
	TYPE_MEMBER_POINTER,
	TYPE_OTHER,
};

struct type_member {
	const char *name; /* NULL or "": anonymous */
	const struct type *type;
	uint64_t offset; /* bytes from the beginning of the object */
	/* from the lowest bit at `offset`; bit_size 0: no bit-field */
	uint16_t bit_offset, bit_size;
	bool is_base;
	bool is_virtual; /* virtual base: `offset` must be read from the object */
	uint64_t entry;	 /* offset of its DIE in .debug_info */
	bool is_static;
	/* Rust enum: exists only while the discriminant has this value, or
	   (is_default) no other variant's. */
	bool is_variant, is_default;
	int64_t discriminant;
};

struct type_enumerator {
	const char *name;
	int64_t value;
};

enum type_flag {
	TYPE_TYPEDEF = 1 << 0, /* `name` is a typedef's */
	TYPE_CONST = 1 << 1,   /* as declared; only type_spell() uses it */
	TYPE_VOLATILE = 1 << 2,
	TYPE_ATOMIC = 1 << 3,  /* _Atomic, also through typedefs */
	TYPE_RVALUE = 1 << 4,  /* TYPE_REFERENCE: && */
	TYPE_NULLPTR = 1 << 5, /* decltype(nullptr) */
	TYPE_FILLED = 1 << 6,  /* members are read */
	/* Internal to types: */
	TYPE_MAKING = 1 << 7, /* being made: a second request means that the type contains itself */
	TYPE_WHOLE_KNOWN = 1 << 8, /* type_whole() has set `whole` */
};

struct type {
	enum type_kind kind;
	unsigned flags;	  /* enum type_flag */
	const char *name; /* NULL if it has none */
	uint64_t size;	  /* bytes; 0 if unknown */
	bool is_signed;
	bool is_quad;
	bool incomplete; /* only declared: type_whole() finds the definition */
	bool rust, cxx;
	bool has_count;	       /* TYPE_ARRAY: the number of elements is known */
	uint64_t count;	       /* TYPE_ARRAY: number of elements */
	const struct type *of; /* pointee, element or underlying type; TYPE_FUNCTION: the result */
	struct module *module; /* NULL for a built-in type */
	uint64_t entry;	       /* offset of its DIE in .debug_info */
	const struct type *discriminant; /* Rust enum with data, else NULL */
	uint64_t discriminant_at;
	const char *tag; /* name of the definition, through typedefs; NULL if none */
	/* Set by type_members(): */
	ARRAY(struct type_member) members; /* TYPE_FUNCTION: parameters */
	ARRAY(struct type_enumerator) enumerators;
	/* Internal to types: */
	const struct type *whole;   /* result of type_whole(); NULL if there is no definition */
	const char *full;	    /* result of type_full_name(); owned by the module */
	uint8_t layout_kind;	    /* enum in inspect/values/layout.c */
	struct type *pointer;	    /* result of type_pointer_to(); owned by this type */
	struct type *arrays, *next; /* results of type_array_of(); owned by this type */
};

/* Returns the type of the DIE at the offset, void for 0. Returns NULL with *err set if it cannot be
   read. Owned by the module. */
const struct type *type_get(struct module *m, uint64_t entry, struct error *err);
/* Returns the type named by an entry's DW_AT_type, its own or an inherited one. Returns NULL with
   *err set if it cannot be read. */
const struct type *type_of_entry(const struct entry *e, struct error *err);
/* Reads members, enumerators or parameters. Returns 0, or -1 with *err set. */
int type_members(const struct type *t, struct error *err);
/* Returns the definition of a declared type, from any unit or module of the program. Returns `t` if
   it is complete or there is no definition. */
const struct type *type_whole(const struct type *t, const struct dwarf_program *program);
/* Returns the type of a C name ("struct queue", "unsigned long", "Queue *", "ns::T"), searched in
   the unit of `unit_entry` in `near` first, or NULL. */
const struct type *type_named(const struct dwarf_program *program, struct module *near,
			      uint64_t unit_entry, const char *name);
/* Returns a built-in type by name ("int", "unsigned long", "double", "char", "bool"),
   or NULL. Never freed. */
const struct type *type_builtin(const char *name);
/* Returns the type "pointer to t". Cached and owned by `t`. */
const struct type *type_pointer_to(const struct type *t);
/* Returns the type "array of `count` t". Cached and owned by `t`. */
const struct type *type_array_of(const struct type *t, uint64_t count);
/* Returns the name of the definition with namespaces and classes ("std::vector<int, ...>"), without
   inline and anonymous namespaces; "" if it has no name. */
const char *type_full_name(const struct type *t);
/* Appends the type in C syntax: "struct queue *", "int [10]". */
void type_spell(const struct type *t, struct str *out);
/* Returns the name of the first enumerator with this value, or NULL. */
const char *type_enumerator_name(const struct type *t, int64_t value);
/* Returns the value of the discriminant of this variant. */
int64_t type_discriminant(const struct type *t, const struct type_member *m);
/* Returns the alignment in bytes. */
uint64_t type_alignment(const struct type *t, const struct dwarf_program *program);
/* Returns the i-th template argument that is a type, from 0, or NULL. Those of a pack count. */
const struct type *type_argument(const struct type *t, unsigned i);

/* ---- signatures.c ------------------------------------------------------------------------- */

/* Functions of a module that take or return a pointer to one type, with their role, parameters and
   results, from debug information. */
enum signature_role {
	SIGNATURE_OPERATION,   /* the first parameter is the object */
	SIGNATURE_CONSTRUCTOR, /* returns the object, or stores it through the first parameter */
	SIGNATURE_INITIALISER, /* initialises memory passed as the first parameter */
	SIGNATURE_DESTRUCTOR,
	SIGNATURE_LEFT_OUT, /* cannot be used, because of `why` */
};

enum signature_class {
	SIGNATURE_NOTHING, /* result void */
	SIGNATURE_OBJECT,
	SIGNATURE_OBJECT_OUT, /* TYPE ** */
	SIGNATURE_INTEGER,
	SIGNATURE_BOOL,
	SIGNATURE_ENUM,
	SIGNATURE_FLOAT,
	SIGNATURE_STRING,      /* char * */
	SIGNATURE_TOKEN,       /* void *: passed on unchanged */
	SIGNATURE_OUT_INTEGER, /* a pointer to an integer that is not const */
	SIGNATURE_OUT_TOKEN,   /* void ** */
	SIGNATURE_CALLBACK,
	SIGNATURE_ARRAY,     /* a pointer to constant numbers */
	SIGNATURE_LENGTH,    /* the number of elements of the array before it */
	SIGNATURE_STRUCT,    /* by value */
	SIGNATURE_STRUCT_IN, /* a pointer to a constant struct of known size */
	SIGNATURE_OTHER,     /* no value can be made up */
};

struct signature_value {
	enum signature_class class;
	const char *name; /* parameter; NULL if it has none */
	char *spelled;	  /* the type in C syntax: "queue_t *"; owned by this struct */
	/* of the value; OUT_INTEGER, ARRAY and STRUCT_IN: of what it points to */
	const struct type *type;
};

struct signature {
	const char *name;   /* owned by the module; C++: `flat` */
	char *flat;	    /* C++: "Queue_push", owned by this struct; else NULL */
	const char *symbol; /* C++: the mangled name, owned by the module; else NULL */
	const char *file;   /* NULL if unknown. Owned by the module */
	unsigned line;
	enum signature_role role;
	/* LEFT_OUT: reason; OPERATION: used on request only, for this reason; else
	   NULL. Owned by this struct */
	char *why;
	bool is_variadic;
	bool makes; /* the name contains new, create, init or a similar word */
	struct signature_value result;
	ARRAY(struct signature_value) parameters;
};

struct signatures {
	char *type;    /* the type in C syntax, "struct queue" or "queue_t"; owned by this struct */
	bool is_union; /* a union, for a declaration */
	bool is_cxx;
	uint64_t size; /* of an object, in bytes; 0 if the module has no definition */
	ARRAY(struct signature) items; /* sorted by name */
};

/* Reads the functions that use `type` ("struct queue", "queue" or a typedef). Returns 0, or -1 with
   *err set if there is no debug information or no such type. signatures_fini() frees *out. */
int signatures_read(struct module *m, const char *type, struct signatures *out, struct error *err);
/* Frees the contents of *s. */
void signatures_fini(struct signatures *s);
/* Returns a name in C for a function or a type of C++: "Queue_push" for "lib::Queue::push",
   "Queue_new" and "Queue_delete" for constructor and destructor, "Queue_push_2" if the name is
   taken in `known`. The caller frees it. */
char *signature_flat_name(const struct signatures *known, const char *spoken);
/* Returns the signature of this function, or NULL. */
const struct signature *signatures_find(const struct signatures *s, const char *name);

#endif
