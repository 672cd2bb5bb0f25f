/*
 * One pass over a section of several hundred megabytes gives the pages behind it back, so that
 * the section is never in memory as a whole. The pages belong to a mapped file: reading them
 * again gives the same bytes.
 */
#ifndef GATECTL_ELF_MODULE_H
#define GATECTL_ELF_MODULE_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"
#include "tracer/base/cleanup.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

struct pass {
	const uint8_t *from; /* not given back yet */
};

/* The pass has come to `at`. True where it gave something back: not more often than every few
   megabytes. */
bool pass_to(struct pass *p, const uint8_t *at);

/* Gives all pages back that hold these bytes, if they are a mapped file's; others are left alone. */
void pass_over(const uint8_t *bytes, size_t size);

/* memmem() as a pass: from `at` up to `end`. */
const uint8_t *pass_find(struct pass *p, const uint8_t *at, const uint8_t *end, const void *what,
			 size_t length);

/*
 * One ELF file and the cache of those that are open. Opening maps the file; tables of it are read when
 * somebody asks. The only room that includes libelf.
 */

struct modules; /* the cache of modules; opaque */
struct module;	/* one ELF file and its debug information; opaque, owned by the cache */

struct modules *modules_new(void);
void modules_free(struct modules *s);

/*
 * The module for this file, opened once and kept. NULL with ERROR_OBJECT: missing, truncated, not
 * ELF, not for this processor (the text names the two). Broken debug information is no error here,
 * but the first question that needs it says so.
 */
struct module *modules_open(struct modules *s, const char *path, struct error *err);
/* The same for the file at `place`, which is a way there from here only: users know it as `name`. */
struct module *modules_open_as(struct modules *s, const char *place, const char *name,
			       struct error *err);

const char *module_path(const struct module *m);
const char *module_name(const struct module *m); /* soname, else the file's own name */
bool module_is_inode(const struct module *m, uint64_t dev, uint64_t ino);
bool module_is_called(const struct module *m, const char *path); /* was it opened by this name? */
bool module_is_pie(const struct module *m);	/* ET_DYN: loaded at an address of its choice */
bool module_is_dynamic(const struct module *m); /* has PT_INTERP */
const char *module_needs(const struct module *m,
			 size_t n); /* the n-th library, from 0, by its soname; NULL: that is all */
bool module_has_debug(struct module *m); /* DWARF, its own or in a separate file */
uint64_t module_entry(const struct module *m);
void module_span(const struct module *m, uint64_t *low, uint64_t *high); /* of PT_LOAD, by offset */

/* The last address at which its thread-local variables fit in before `end`; 0: it has none. */
uint64_t module_tls_before(const struct module *m, uint64_t end);

/* A symbol of .symtab or .dynsym by its exact (mangled) name, default version. 0, or -1. */
int module_symbol(struct module *m, const char *name, uint64_t *offset, uint64_t *size);

/* Is the symbol among the names that the file exports or imports? Costs next to nothing. */
bool module_has_string(const struct module *m, const char *symbol);
/* Are these bytes among the constants that are loaded from the file? */
bool module_contains(const struct module *m, const void *bytes, size_t n);
bool module_contains_code(const struct module *m, const void *bytes, size_t n);
/* Each place of these bytes in the code: its offset, and the bytes from there to the end of the
   section. */
typedef void module_code_visit(void *ctx, uint64_t offset, const uint8_t *code, size_t left);
void module_each_code(const struct module *m, const void *bytes, size_t n, module_code_visit *visit,
		      void *ctx);
typedef void module_symbol_visit(void *ctx, const char *name, uint64_t offset);
/* Each symbol for the dynamic linker, with its offset; 0: it is imported. */
void module_each_dynamic(const struct module *m, module_symbol_visit *visit, void *ctx);

/* Bytes of the file as they would be loaded at `offset`; how many there are, up to n. */
size_t module_bytes(const struct module *m, uint64_t offset, void *buf, size_t n);

const char *module_build_id(const struct module *m); /* in hex; "" where it has none */

/* Does OBJECT of a location (or of on "load") name this module? libfoo.so matches libfoo.so.1.2 */
bool module_matches(const struct module *m, const char *object);
bool module_path_matches(const char *path,
			 const char *object); /* the same of a file's name alone */

/* The name of the function that an entry of the global offset table will lead to; the module owns it. NULL:
   there is no such entry. */
const char *module_got_name(const struct module *m, uint64_t offset);

/* Offsets in a module: low, and high which is excluded. */
struct module_range {
	uint64_t low, high;
};

/*
 * One ELF file as the rooms above see it: its sections, its symbols, and the tables that they hang on it,
 * which are made when they are asked for and freed with it.
 */

typedef struct Elf Elf; /* libelf's */

struct elf_symbol {
	const char *name; /* mangled, as in the file; without @VERSION */
	uint64_t offset, size;
	uint64_t reach; /* the highest end of this symbol and all before it, for module_symbol_at */
	bool function, ifunc, global;
	uint8_t rank;	   /* of several at one offset the lowest is the best to show */
	bool hidden;	   /* a version that is not the default one: foo@OLD, not foo@@NEW */
	const char *shown; /* as backtraces name it; NULL until asked */
};

struct section_data {
	const uint8_t *bytes; /* NULL: there is none. Decompressed where it was compressed */
	size_t size;
};

/* The text there, or NULL if it has no end in the section. */
static inline const char *section_text(const struct section_data *s, uint64_t offset)
{
	if (!s->bytes || offset >= s->size ||
	    (s->bytes[s->size - 1] && !memchr(s->bytes + offset, 0, s->size - offset)))
		return NULL;
	return (const char *)s->bytes + offset;
}

struct module_section {
	char *name;
	struct section_data data;
	void *own; /* what it was unpacked into by us; NULL: libelf's */
};

struct line_table;   /* lines.h */
struct die_table;    /* dies.c */
struct frame_table;  /* call_frames.c */
struct source_cache; /* files.c */
struct eval_cache;   /* eval_cache.c */
struct call_cache;   /* calls_find.c */
struct flow_cache;   /* flow_cache.c */

struct module {
	struct modules *owner;
	char *path, *name;
	ARRAY(char *) aliases; /* other names it was asked for by (symbolic links) */
	struct stat stat;      /* of the file when it was opened */
	int fd;
	Elf *elf;
	const uint8_t *image; /* the whole file, mapped by libelf */
	size_t size;
	ARRAY(Elf64_Phdr) segments; /* PT_LOAD */
	bool pie, dynamic;
	uint64_t entry;
	Elf64_Phdr tls;		   /* PT_TLS, or 0 */
	Elf64_Phdr dynamic_part;   /* PT_DYNAMIC, or 0 */
	struct module_range relro; /* what can only be read once it is loaded */
	char build_id[65];	   /* hex, "" none */

	/* The file with .debug_info: this one, or a separate one found by build-id or debuglink. */
	bool debug_searched;
	bool debug_separate; /* found in another file than this one (a distribution's -dbg package)
			      */
	char *debug_path;    /* NULL: no DWARF at all */
	Elf *debug_elf;	     /* == elf where it is the same file */
	int debug_fd;
	ARRAY(struct module_section) sections; /* of debug_elf, those asked for */

	bool symbols_loaded;
	ARRAY(struct elf_symbol)
	symbols; /* .symtab and .dynsym (of both files), defined ones, by offset */
	ARRAY(char *) symbol_names; /* those that had to be copied */
	uint32_t *symbol_hash;	    /* index + 1 into symbols; 0 is empty */
	size_t symbol_hash_size;    /* a power of two */

	struct line_table *lines;	 /* NULL until asked */
	struct frame_table *frames;	 /* NULL until asked */
	struct flow_cache *flows;	 /* NULL until asked */
	struct die_table *dies;		 /* NULL until asked */
	struct known_calls *known_calls; /* NULL until asked */
	struct cleanups cleanups;	 /* of those who hang tables on it */
};

struct modules {
	ARRAY(struct module *) modules;
	struct source_cache *sources; /* NULL until asked */
	struct eval_cache *evals;     /* NULL until asked */
	struct call_cache *calls;     /* NULL until asked */
	struct cleanups cleanups;
};

/* Finds the debug file once. True where there is .debug_info. */
bool module_find_debug(struct module *m);

/* A section of the debug file (".debug_line"), decompressed (SHF_COMPRESSED and .zdebug_), cached.
   0 with bytes NULL where there is none; -1 with ERROR_OBJECT where it cannot be read. Sections of
   strings are as they are: the last one need not be terminated. */
int module_section(struct module *m, const char *name, struct section_data *out, struct error *err);

/* The symbol table, sorted by offset; loads it on first use. Of several symbols at one offset the
   best to show (global, fewest leading underscores) comes first. */
void module_load_symbols(struct module *m);
/* The function symbol (or any: `functions` false) that holds the offset, or NULL. */
const struct elf_symbol *module_symbol_at(struct module *m, uint64_t offset, bool functions);

/* Is this offset in an executable PT_LOAD? */
bool module_is_code(const struct module *m, uint64_t offset);

/* Is it in what can only be read when the program runs? */
bool module_is_constant(const struct module *m, uint64_t offset);

/* A section as it is loaded (".eh_frame"), and its address in the module. False: it is not there, or is packed. */
bool module_loaded_section(const struct module *m, const char *name, struct section_data *out,
			   uint64_t *address);

/* Has it, or its debug file, a .symtab: the symbols of all its functions that have code? */
bool module_has_all_symbols(const struct module *m);

/* What is filled in when the module is loaded. */
struct module_relocation {
	uint64_t offset; /* of the place */
	unsigned type;	 /* R_X86_64_* */
	int64_t add;
	const char *symbol; /* NULL: none */
};
/* One after the other until `visit` says true; whether it did. */
typedef bool module_relocation_visit(void *ctx, const struct module_relocation *r);
bool module_each_relocation(const struct module *m, module_relocation_visit *visit, void *ctx);

/* Of each function of the symbol tables, in no order; some come twice. Nothing is sorted or kept, as for the others. */
void module_each_function(struct module *m, module_symbol_visit *visit, void *ctx);

void module_hex(const uint8_t *bytes, size_t size, char *out); /* 2 * size + 1 characters */

/* ---- files that are no modules -------------------------------------------------------------- */

/* .dwo files, packages of them, alternate files. */
struct elf_file {
	char *path;
	int fd;
	Elf *elf;
	ARRAY(void *) unpacked;
};

/* 0; -1: there is no such file (*broken false), or it is no ELF file for x86-64 (true, err). */
int elf_file_open(struct elf_file *f, const char *path, bool *broken, struct error *err);
/* All sections of this name one after the other (a .dwo file has one for each type unit), unpacked; the file
   owns them. Without any the bytes are NULL. 0, or -1. */
int elf_file_section(struct elf_file *f, const char *name, struct section_data *out,
		     struct error *err);
void elf_file_build_id(const struct elf_file *f, char id[65]); /* in hex; "" */
void elf_file_close(struct elf_file *f);

#endif
