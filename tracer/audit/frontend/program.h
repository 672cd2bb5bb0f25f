/*
 * A C program as audit sees it: structs with their fields, functions as blocks of expressions. The
 * reader fills it, unit by unit; nothing of libclang remains in it. A name is a number of `names`.
 * Structs, fields, functions and globals are identified by their USR (clang's name that is the same
 * in all units).
 */
#ifndef GATECTL_AUDIT_FRONTEND_PROGRAM_H
#define GATECTL_AUDIT_FRONTEND_PROGRAM_H

#include "tracer/base/error.h"
#include "tracer/base/number_map.h"

struct audit_place {
	unsigned file, line, column; /* file: a name; 0: nowhere */
};

static inline bool place_same(struct audit_place a, struct audit_place b)
{
	return a.file == b.file && a.line == b.line && a.column == b.column;
}
/* By file (its number), line, column, as for qsort(). */
int place_compare(struct audit_place a, struct audit_place b);

/* ---- structs --------------------------------------------------------------------------------- */

struct audit_field {
	unsigned name, record;
	bool lock, is_atomic, is_record;
	unsigned guarded_by; /* a name: guarded_by(lock) in its comment */
	struct audit_place at;
};

struct audit_record {
	unsigned name, alias; /* alias: the name of a typedef; may be 0 */
	struct audit_place at;
	bool has_lock, has_atomic, thread_safe, not_shared, is_public; /* public: in a header */
	bool is_union;
	ARRAY(unsigned)
	fields; /* of the program's fields; those of unnamed structs within it are its own */
};

/* ---- functions ------------------------------------------------------------------------------- */

enum audit_expr_kind {
	EXPR_OTHER, /* its operands are evaluated; what comes of them is not known */
	EXPR_CONSTANT,
	EXPR_LOCAL,    /* id: of the function's locals */
	EXPR_GLOBAL,   /* id: its USR */
	EXPR_PRIVATE,  /* a variable of its thread alone */
	EXPR_FUNCTION, /* id: its USR */
	EXPR_MEMBER, /* id: of the program's fields; of what the operand is, or points to (is_arrow) */
	EXPR_DEREF,
	EXPR_ADDRESS,
	EXPR_INDEX,
	EXPR_ASSIGN, /* is_update: the left side is read, too */
	EXPR_STEP,   /* ++ and -- */
	EXPR_CALL,   /* the function, then its arguments */
	EXPR_ATOMIC, /* id: an audit_atomic; address, then the rest */
	EXPR_EQUAL,
	EXPR_UNEQUAL,
	EXPR_NOT,
	EXPR_AND,
	EXPR_OR,
	EXPR_LAST,   /* of its operands, the last one is its value */
	EXPR_CHOICE, /* ?: */
};

enum audit_atomic { ATOMIC_LOAD, ATOMIC_STORE, ATOMIC_UPDATE, ATOMIC_EXCHANGE };

struct audit_expr {
	enum audit_expr_kind kind;
	unsigned id, site; /* site: no other expression of the program has it */
	unsigned record;   /* of the program's structs + 1: what it is, or points to */
	bool is_arrow, is_update,
		decays;		      /* decays: an array or a struct; its value is where it is */
	bool is_pointer, is_volatile; /* volatile: by a cast */
	long value;
	struct audit_place at;
	unsigned count;
	struct audit_expr **operands;
};

enum audit_end { END_JUMP, END_BRANCH, END_RETURN, END_NEVER };

struct audit_block {
	ARRAY(struct audit_expr *) steps;
	enum audit_end end;
	struct audit_expr
		*value; /* the condition (NULL: either way), or what is returned (NULL: nothing) */
	unsigned to, otherwise; /* blocks */
	struct audit_place at;	/* of the end */
};

struct audit_local {
	unsigned name, record; /* record: as above */
	unsigned cleanup;      /* the USR of a function that is called when its scope ends */
};

struct audit_function {
	unsigned usr, name, parameters; /* the first ones of the locals */
	struct audit_place at;
	bool is_static, wants_lock; /* its comment says that who calls it has the lock */
	unsigned unit;		    /* index + 1 of the sources; 0: it stands in a header */
	unsigned next; /* index + 1 of one with the same USR, of another program; 0: none */
	ARRAY(struct audit_local) locals;
	ARRAY(struct audit_block) blocks; /* it begins with the first */
};

struct audit_global {
	unsigned name, record;
};

/* A source file, and what it is compiled for (targets.c). */
struct audit_unit {
	ARRAY(unsigned) targets;
	unsigned kind; /* units of the same targets have the same */
};

/* An external function in a source file; there may be more of its name. */
struct audit_definition {
	unsigned usr, unit;
};

/* A function whose address is taken may be called by anybody, or is what a thread begins with. */
enum audit_taken { TAKEN_SOMEHOW = 1, TAKEN_BY_THREAD };

struct audit_program {
	struct interned names;
	ARRAY(struct audit_record) records;
	ARRAY(struct audit_field) fields;
	ARRAY(struct audit_function) functions;
	ARRAY(struct audit_global) globals;
	struct number_map record_of, field_of, function_of, global_of; /* by USR: index + 1 */
	struct number_map declared,
		taken; /* functions: declared by files of its own; their address is taken: an audit_taken */
	ARRAY(struct audit_unit) sources;
	ARRAY(struct audit_definition) definitions;
	struct {
		unsigned count;
		struct number_map of_name; /* index + 1 */
		bool *apart;		   /* count * count: they are not linked together */
	} targets;
	ARRAY(void *) memory;
	struct {
		char *memory;
		size_t room;
	} chunk; /* the one that is not full yet */
	unsigned sites, units;
	size_t lines;
	bool has_main;
};

/* Memory that is the program's; zeroed. */
void *program_alloc(struct audit_program *p, size_t size);

/* By USR, or NULL. */
struct audit_global *program_global(const struct audit_program *p, unsigned usr);

const char *program_text(const struct audit_program *p, unsigned name);
/* True if threads may share the struct: audit looks at it. */
bool program_is_shared(const struct audit_record *r);

/* ---- targets.c: what units are compiled for -------------------------------------------------- */

/*
 * Programs and libraries, named by where their objects go. One compile_commands.json often names
 * several programs; an access in one of them never happens in parallel with an access in another.
 */

/* The target of an object file by the conventions of CMake (x.dir/), Meson (x.p/) and Automake
   (x-source.o), owned; NULL if unknown. `object` is as the command names it. */
char *targets_of_object(const char *folder, const char *object, const char *source);
/* The unit (index + 1) is compiled for that target, too. */
void targets_add(struct audit_program *p, unsigned unit, const char *target);
/* Returns the unit's index + 1. A unit whose target is unknown is a target of its own. */
unsigned targets_add_unit(struct audit_program *p);
/* Once, when all units are read: two targets that define the same function are not linked
   together. */
void targets_settle(struct audit_program *p);
/* The function (index + 1; 0: none) that a unit's call reaches: where there are several, the one
   of its program. */
unsigned targets_function(const struct audit_program *p, unsigned usr, unsigned from);
/* True if they are never linked together. */
bool targets_are_apart(const struct audit_program *p, unsigned target, unsigned other);
/* True if the commands name it. */
bool targets_is_named(const struct audit_program *p, unsigned target);
void targets_fini(struct audit_program *p);

/* ---- read.c: sources into a program, by libclang --------------------------------------------- */

struct audit_read_options {
	const char *folder; /* of compile_commands.json; NULL: the files alone */
	const char *flags;  /* for files that it does not name, separated by blanks; may be NULL */
	const char *const *files;
	size_t count; /* 0: all that the folder names */
};

struct audit_skipped {
	char *file, *why;
};

/* The program, and the units that cannot be read: missing files and headers, broken code, C++. */
struct audit_read {
	struct audit_program program;
	ARRAY(struct audit_skipped) skipped;
};

/* Returns 0, or -1 with *err set if no unit can be read. */
int audit_read(struct audit_read *a, const struct audit_read_options *options, struct error *err);
void audit_read_fini(struct audit_read *a);

void program_fini(struct audit_program *p);

#endif
