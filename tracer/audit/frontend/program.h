/* A program for the analysis, in terms of C: structs with fields, functions as basic blocks.
   Names are numbers of `names`. Structs, fields, functions and globals are identified by USR,
   clang's name that is the same in all units. */
#ifndef GATECTL_AUDIT_FRONTEND_PROGRAM_H
#define GATECTL_AUDIT_FRONTEND_PROGRAM_H

#include "tracer/base/error.h"
#include "tracer/base/number_map.h"

struct audit_place {
	unsigned file, line, column; /* file is a name; 0 means nowhere */
};

/* Returns true if the places are equal. */
static inline bool place_same(struct audit_place a, struct audit_place b)
{
	return a.file == b.file && a.line == b.line && a.column == b.column;
}
/* Compares by number of the file, line and column, as for qsort(). */
int place_compare(struct audit_place a, struct audit_place b);

/* ---- structs --------------------------------------------------------------------------------- */

struct audit_field {
	unsigned name, record;
	unsigned word; /* first of adjacent bit-fields, which are one memory location, + 1, or 0 */
	unsigned type; /* index + 1 of the struct that the field is, or 0 */
	bool lock, is_atomic;
	unsigned guarded_by; /* name in @guarded_by(NAME) of its comment, or 0 */
	struct audit_place at;
};

/* RECORD_VARIABLES: not a struct; its fields are all variables of static storage. */
enum audit_record_kind { RECORD_STRUCT, RECORD_UNION, RECORD_VARIABLES };

struct audit_record {
	unsigned name, alias; /* `alias` is the name of a typedef; may be 0. */
	struct audit_place at;
	/* is_public: declared in a header; is_system: in one of the system. */
	bool has_lock, has_atomic, thread_safe, not_shared, is_public, is_system;
	enum audit_record_kind kind;
	/* Indexes of the program's fields; includes fields of unnamed structs within it. */
	ARRAY(unsigned)
	fields;
};

/* ---- functions ------------------------------------------------------------------------------- */

enum audit_expr_kind {
	EXPR_OTHER, /* evaluates its operands; the value is unknown */
	EXPR_CONSTANT,
	EXPR_LOCAL,    /* id: index of the function's locals */
	EXPR_GLOBAL,   /* id: USR */
	EXPR_PRIVATE,  /* a thread-local variable */
	EXPR_FUNCTION, /* id: USR; value: 1 if a header of the system declares it */
	/* id: index of the program's fields. is_arrow: the operand is a pointer to the struct. */
	EXPR_MEMBER,
	EXPR_DEREF,
	EXPR_ADDRESS,
	EXPR_INDEX,
	EXPR_ASSIGN, /* is_update: also reads the left side */
	EXPR_STEP,   /* ++ and -- */
	EXPR_CALL,   /* operands: the function, then its arguments; value: 1 if it never returns */
	EXPR_ATOMIC, /* id: enum audit_atomic; operands: the address, then the rest */
	EXPR_EQUAL,
	EXPR_UNEQUAL,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	EXPR_NOT,
	EXPR_NEGATE,
	EXPR_BITS, /* x & y */
	EXPR_AND,
	EXPR_OR,
	EXPR_LAST,   /* comma: the value is that of the last operand */
	EXPR_CHOICE, /* ?: */
};

/* ATOMIC_MOVE: from the address to a variable, or from there to the address. */
enum audit_atomic { ATOMIC_LOAD, ATOMIC_STORE, ATOMIC_UPDATE, ATOMIC_EXCHANGE, ATOMIC_MOVE };

struct audit_expr {
	enum audit_expr_kind kind;
	unsigned id, site; /* `site` is unique among the program's expressions. */
	/* Index + 1 of the struct that the expression is or points to, or 0. */
	unsigned record;
	/* decays: an array or struct, whose value is its address. */
	bool is_arrow, is_update, decays;
	/* is_volatile: by a cast to volatile. to_const: an argument that the function only reads
	   through. */
	bool is_pointer, is_volatile, to_const;
	long value;
	struct audit_place at;
	unsigned count;
	struct audit_expr **operands;
};

enum audit_end { END_JUMP, END_BRANCH, END_RETURN, END_NEVER };

struct audit_block {
	ARRAY(struct audit_expr *) steps;
	enum audit_end end;
	/* The condition (NULL means either way), or the returned value (NULL means none). */
	struct audit_expr *value;
	unsigned to, otherwise; /* indexes of blocks */
	struct audit_place at;	/* place of the end */
};

struct audit_local {
	unsigned name, record; /* `record` as in audit_expr */
	unsigned cleanup;      /* USR of __attribute__((cleanup)), or 0 */
};

/* Callers of a function: others, or the program itself before main() or at its end. */
enum audit_run { RUN_BY_CALL, RUN_FIRST, RUN_LAST };

struct audit_function {
	/* `parameters` is the number of locals that are parameters, which come first. */
	unsigned usr, name, parameters;
	struct audit_place at;
	enum audit_run run;	    /* by __attribute__((constructor)) or ((destructor)) */
	bool is_static, wants_lock; /* wants_lock: its comment says that callers have the lock */
	unsigned unit;		    /* index + 1 of the sources; 0 if defined in a header */
	/* Index + 1 of a function with the same USR in another program, or 0. */
	unsigned next;
	ARRAY(struct audit_local) locals;
	ARRAY(struct audit_block) blocks; /* the first is the entry */
};

struct audit_global {
	unsigned name, record;
	unsigned variable; /* field (+ 1) that stands for it, or 0 for a lock */
};

/* A source file and the targets that it is compiled for (targets.c). */
struct audit_unit {
	ARRAY(unsigned) targets;
	unsigned kind;	/* equal for units with equal targets */
	bool is_shared; /* compiled with -fPIC: of a shared library, which has users elsewhere */
};

/* A definition of an external function; several units may define one name. */
struct audit_definition {
	unsigned usr, unit;
};

/* How a function's address is taken: it may be called from anywhere, or a thread starts with it. */
enum audit_taken { TAKEN_SOMEHOW = 1, TAKEN_BY_THREAD };

struct audit_program {
	struct interned names;
	ARRAY(struct audit_record) records;
	ARRAY(struct audit_field) fields;
	ARRAY(struct audit_function) functions;
	ARRAY(struct audit_global) globals;
	struct number_map record_of, field_of, function_of, global_of; /* USR to index + 1 */
	/* Functions (USR): declared in the program's own files; address taken (enum
	   audit_taken). */
	struct number_map declared, taken;
	struct number_map endings; /* functions (USR): whether their type says noreturn */
	/* Fields (+ 1): functions (USR) in initializers, each once. */
	struct number_map stored;
	struct number_map
		lock_parameters; /* program_parameter() of those that point to own locks */
	ARRAY(struct audit_unit) sources;
	ARRAY(struct audit_definition) definitions;
	struct {
		unsigned count;
		struct number_map of_name; /* name to index + 1 */
		bool *apart;		   /* count * count: never linked together */
	} targets;
	ARRAY(void *) memory;
	struct {
		char *memory;
		size_t room;
	} chunk;	    /* the chunk that is not full yet */
	unsigned variables; /* index + 1 of the record is_variables, or 0 */
	unsigned sites, units;
	size_t lines;
	/* Operators in macros that libclang (before 17) does not name and no text shows. */
	unsigned long guessed;
	bool has_main;
};

/* Returns zeroed memory that lives as long as the program. */
void *program_alloc(struct audit_program *p, size_t size);

/* Returns true if a call is part of the expression. */
bool program_has_call(const struct audit_expr *e);

/* Returns the global with this USR, or NULL. */
struct audit_global *program_global(const struct audit_program *p, unsigned usr);

/* Returns the record of the program's variables of static storage. */
struct audit_record *program_variables(struct audit_program *p);

/* Returns the text of a name. */
const char *program_text(const struct audit_program *p, unsigned name);
/* Returns true if threads may share the struct: it is analysed. */
bool program_is_shared(const struct audit_record *r);
/* Returns true for a struct of the program without a lock: locks of others may guard it. */
bool program_is_plain(const struct audit_record *r);

/* ---- own_locks.c ----------------------------------------------------------------------------- */

/* Returns a number for a parameter (index) of a function (USR). */
unsigned program_parameter(unsigned function, unsigned parameter);
/* Marks fields that are locks by their use. */
void program_find_own_locks(struct audit_program *p);

/* ---- targets.c: targets of units ------------------------------------------------------------- */

/* Targets are programs and libraries, named by the folder of their objects. Accesses in different
   programs of one compile_commands.json never happen in parallel. */

/* Returns the target of an object file by the conventions of CMake (x.dir/), Meson (x.p/) and
   Automake (x-source.o), or NULL; the caller frees it. `object` is as in the command. */
char *targets_of_object(const char *folder, const char *object, const char *source);
/* Adds a target to the unit (index + 1). */
void targets_add(struct audit_program *p, unsigned unit, const char *target);
/* Adds a unit. Returns its index + 1. A unit without a known target becomes a target of its own. */
unsigned targets_add_unit(struct audit_program *p);
/* Called once after all units were read: targets that define the same function are never linked
   together. */
void targets_settle(struct audit_program *p);
/* Returns the function (index + 1, or 0) that a call in unit `from` reaches, preferably of its own
   program. */
unsigned targets_function(const struct audit_program *p, unsigned usr, unsigned from);
/* Returns true if both units are of one target, or one is a header (0). */
bool targets_share(const struct audit_program *p, unsigned unit, unsigned other);
/* Returns true if the targets are never linked together. */
bool targets_are_apart(const struct audit_program *p, unsigned target, unsigned other);
/* Returns true if a command names the target. */
bool targets_is_named(const struct audit_program *p, unsigned target);
/* Frees units and targets. */
void targets_fini(struct audit_program *p);

/* ---- read.c: sources into a program, by libclang --------------------------------------------- */

struct audit_read_options {
	const char *folder; /* folder of compile_commands.json; NULL means only `files` */
	/* Flags for files that it does not name, separated by blanks; may be NULL. */
	const char *flags;
	const char *const *files;
	size_t count; /* 0 means all files of compile_commands.json */
};

struct audit_skipped {
	char *file, *why;
};

/* The program, and units that cannot be read: missing files or headers, errors. */
struct audit_read {
	struct audit_program program;
	ARRAY(struct audit_skipped) skipped;
};

/* Reads the sources. Returns 0, or -1 with *err set if no unit can be read. */
int audit_read(struct audit_read *a, const struct audit_read_options *options, struct error *err);
/* Frees the program and the list. */
void audit_read_fini(struct audit_read *a);

/* Frees the program. */
void program_fini(struct audit_program *p);

#endif
