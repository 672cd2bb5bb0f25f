/*
 * What an executable or shared object says about itself: ELF, line programs, functions, and what
 * a location of the tester's means in them.
 *
 * The only room that includes libdwarf and libelf. It speaks module + offset (the address as it
 * stands in the file, `nm` prints it) and knows no process: session adds load addresses.
 * Everything is read lazily: opening a module maps it; nothing of its debug information is touched
 * until a question needs it.
 */
#ifndef GATECTL_SYMBOLS_SYMBOLS_H
#define GATECTL_SYMBOLS_SYMBOLS_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols; /* the cache of modules; opaque */
struct module;	/* one ELF file and its debug information; opaque, owned by the cache */

struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/*
 * The module for this file, opened once and kept. NULL with ERROR_OBJECT: missing, truncated, not
 * ELF, not for this processor (the text names the two). Broken debug information is no error here,
 * but the first question that needs it says so.
 */
struct module *symbols_module(struct symbols *s, const char *path, struct error *err);

const char *module_path(const struct module *m);
const char *module_name(const struct module *m); /* soname, else the file's own name */
bool module_is_pie(const struct module *m);	 /* ET_DYN: loaded at an address of its choice */
bool module_is_dynamic(const struct module *m);	 /* has PT_INTERP */
bool module_has_debug(struct module *m);	 /* DWARF, its own or in a separate file */
uint64_t module_entry(const struct module *m);
void module_span(const struct module *m, uint64_t *low, uint64_t *high); /* of PT_LOAD, by offset */

/* The last address at which its thread-local variables fit in before `end`; 0: it has none. */
uint64_t module_tls_before(const struct module *m, uint64_t end);

/* A symbol of .symtab or .dynsym by its exact (mangled) name, default version. 0, or -1. */
int module_symbol(struct module *m, const char *name, uint64_t *offset, uint64_t *size);

/* Is the symbol among the names that the file exports or imports? Costs next to nothing. */
bool module_mentions(const struct module *m, const char *symbol);
/* Are these bytes among the constants that are loaded from the file? */
bool module_contains(const struct module *m, const void *bytes, size_t n);

/* Bytes of the file as they would be loaded at `offset`; how many there are, up to n. */
size_t module_bytes(const struct module *m, uint64_t offset, void *buf, size_t n);

/* ---- locations ------------------------------------------------------------------------------ */

enum location_kind {
	LOCATION_LINE,	  /* FILE:LINE */
	LOCATION_FUNC,	  /* FUNC */
	LOCATION_OFFSET,  /* FUNC:+N */
	LOCATION_RETURN,  /* FUNC%return */
	LOCATION_TEXT,	  /* FUNC;TEXT or FILE;TEXT */
	LOCATION_MARK,	  /* //MARK */
	LOCATION_ADDRESS, /* *0xADDR */
};

struct location {
	enum location_kind kind;
	char *text;    /* as the tester wrote it */
	char *object;  /* OBJECT! or NULL */
	char *name;    /* FILE or FUNC */
	char *search;  /* TEXT or MARK */
	unsigned line; /* LINE or N */
	uint64_t address;
	unsigned match; /* #K, or 0 */
};

/* 0, or -1 with ERROR_LOCATION. The caller owns the strings: location_fini. */
int location_parse(const char *text, struct location *out, struct error *err);
void location_fini(struct location *l);

/* ---- what a location means ------------------------------------------------------------------ */

enum symbols_site_kind {
	SYMBOLS_STATEMENT, /* before the statement */
	SYMBOLS_ENTRY,	   /* a function, behind its prologue */
	SYMBOLS_RETURN,	   /* at a return instruction */
	SYMBOLS_TAIL,	   /* at a jump out of the function. Where `check_target`, an indirect jump:
			      it is an arrival only if it goes outside of `ranges` */
};

struct symbols_range {
	uint64_t low, high; /* offsets, high excluded */
};

struct symbols_site {
	enum symbols_site_kind kind;
	struct module *module;
	uint64_t offset;
	const char *function;	  /* innermost function here; NULL unknown. The module owns it */
	const char *inlined_into; /* the function it is a copy in, or NULL. The module owns it */
	const char *file;	  /* NULL unknown. The module owns it */
	unsigned line;
	bool check_target;
	/* The statement's own code in this copy (for `after`), or the function's (RETURN, TAIL). */
	ARRAY(struct symbols_range) ranges;
	/* Where control leaves `ranges` (STATEMENT, ENTRY and plain offsets): first addresses that
	   are no longer the statement, and return or tail-jump instructions inside it. */
	ARRAY(uint64_t) exits;
};

/* All sites of one location: one source thing (or one #K of several), all its copies. */
struct symbols_sites {
	struct symbols_site *items;
	size_t count, capacity;
	unsigned inlined_skipped; /* FUNC%return: inlined copies, that have no return to stop at */
};
void symbols_sites_fini(struct symbols_sites *s);

enum symbols_answer {
	SYMBOLS_FOUND,
	SYMBOLS_NOT_FOUND, /* in none of these modules; err is filled as if it were final: nearest
			       names or lines. Session decides whether the location may be pending */
	SYMBOLS_ERROR,	   /* ambiguous, a line without code, broken debug information, ... */
};

/*
 * Resolves a location in the modules given (the executable first, then libraries in load order).
 * OBJECT! narrows them. Sites come in address order, one for each copy of the statement and for
 * each way into it; a statement executed once passes exactly one of them once.
 */
enum symbols_answer symbols_resolve(struct symbols *s, struct module *const *modules, size_t count,
				    const struct location *location, struct symbols_sites *out,
				    struct error *err);

/*
 * The ways into the function that these sites of one location are in: entries of it and of its
 * copies; or (`out`) the ways out: its returns (kinds RETURN and TAIL) and, in all copies, the lines
 * that begin with `return` (STATEMENT). `all`: there are no others. False: they cannot be told;
 * nothing is in `found` then.
 */
bool symbols_ways(struct symbols *s, const struct symbols_sites *sites, bool out,
		  struct symbols_sites *found, bool *all);

/* Does OBJECT of a location (or of on "load") name this module? libfoo.so matches libfoo.so.1.2 */
bool module_matches(const struct module *m, const char *object);

/* ---- what an address means ------------------------------------------------------------------ */

struct symbols_where {
	char *function; /* demangled, without arguments; NULL unknown. Freed by symbols_where_fini */
	const char *file; /* as the debug information gives it; NULL unknown. The module owns it */
	unsigned line;	  /* 0 unknown */
	uint64_t start;	  /* of the function or symbol, 0 unknown */
};
/* False: nothing is known. `exact`: the function must begin at the offset. Cheap with symbols only
   (lines = false); with lines, the unit's line program is decoded. */
bool symbols_where(struct module *m, uint64_t offset, bool lines, struct symbols_where *out);
void symbols_where_fini(struct symbols_where *w);

/* The statements of the function at this offset, for stepping: where the line table says that one
   begins, in order of addresses. */
struct symbols_statement {
	uint64_t offset;
	const char *file; /* the module owns it */
	unsigned line;
};
struct symbols_statements {
	struct symbols_statement *items;
	size_t count, capacity;
};
/* False: no debug information tells. array_fini() gives it back. */
bool symbols_statements(struct module *m, uint64_t offset, struct symbols_statements *out);

/* The name of the function that a slot of the global offset table will lead to; the module owns it. NULL:
   it is no such slot. */
const char *symbols_slot_name(struct module *m, uint64_t offset);

/* What a person may mean by a location, for completion: functions of the symbol table, those of which
   there are only copies in others, source files by their base names, lines of a file that have code. Names may come more than once. */
void symbols_each_function(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
void symbols_each_inlined(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
void symbols_each_file(struct module *m, void (*each)(void *ctx, const char *name), void *ctx);
void symbols_each_line(struct module *m, const char *file, void (*each)(void *ctx, unsigned line),
		       void *ctx);
/* Where the functions of the symbol table begin, each once. */
void symbols_each_entry(struct module *m, void (*each)(void *ctx, uint64_t offset), void *ctx);

/* The frame of the function at this instruction: its canonical address is register `reg` (a DWARF
   number) plus `add`, and stays the same from the call to the return. False: not known. */
bool symbols_cfa(struct module *m, uint64_t offset, unsigned *reg, int64_t *add);

/* The variable or function symbol that holds this offset ("lock_a", "table+0x10"); malloc'd or NULL. */
char *symbols_name_of(struct module *m, uint64_t offset);

/* A mangled C++ or Rust name in readable form, malloc'd; a copy of the name where it is none. */
char *symbols_demangle(const char *name);

#endif
