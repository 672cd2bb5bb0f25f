/*
 * Inside symbols: one ELF file, its sections and where its debug information is.
 * module.c owns it (open, segments, symbols); lines.c, dies.c, ... hang their lazily made tables on
 * it.
 */
#ifndef GATECTL_SYMBOLS_MODULE_H
#define GATECTL_SYMBOLS_MODULE_H

#include "tracer/symbols/symbols.h"

#include <libelf.h>
#include <gelf.h>
#include <sys/stat.h>

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

struct module_section {
	char *name;
	struct section_data data;
};

struct line_table;   /* lines.h */
struct die_table;    /* dies.h */
struct frame_table;  /* frames.c */
struct source_cache; /* source.c */
struct eval_cache;   /* eval_cache.c */
struct call_cache;   /* calls_find.c */

struct module {
	struct symbols *owner;
	char *path, *name;
	ARRAY(char *) aliases; /* other names it was asked for by (symbolic links) */
	struct stat stat;      /* of the file when it was opened */
	int fd;
	Elf *elf;
	const uint8_t *image; /* the whole file, mapped by libelf */
	size_t size;
	ARRAY(GElf_Phdr) segments; /* PT_LOAD */
	bool pie, dynamic;
	uint64_t entry;
	GElf_Phdr tls;	   /* PT_TLS, or 0 */
	char build_id[65]; /* hex, "" none */

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

	struct line_table *lines;   /* NULL until asked */
	struct frame_table *frames; /* NULL until asked */
	struct die_table *dies;	    /* NULL until asked */
	/* Called by symbols_free before anything else of the module goes; dies.c sets it with dies.
	 */
	void (*dies_free)(struct die_table *dies);
};

struct symbols {
	ARRAY(struct module *) modules;
	struct source_cache *sources; /* NULL until asked */
	struct eval_cache *evals;     /* NULL until asked */
	struct call_cache *calls;     /* NULL until asked */
};

void frames_free(struct frame_table *f); /* NULL is allowed */

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

/* Does a path end with the components of `name`, "." and "x/.." folded in both? An absolute name
   has to be the whole path. (files.c) */
bool module_path_ends(const char *path, const char *name);

/* ---- between the files of module ------------------------------------------------------------ */

/* The build-id among notes, as hex into id[65]; "" where there is none. (module.c) */
void module_note_id(const uint8_t *notes, size_t size, char id[65]);

/* Section by name of an ELF file; NULL where there is none or it has no bytes. (debugfile.c) */
Elf_Scn *module_find_section(Elf *elf, const char *name, GElf_Shdr *header);
void module_close_debug(struct module *m);	/* debugfile.c */
void module_free_symbols(struct module *m);	/* elfsyms.c */
void source_cache_free(struct source_cache *c); /* source.c */
void eval_cache_free(struct eval_cache *c);	/* eval_cache.c; NULL is allowed */
void call_cache_free(struct call_cache *c);	/* calls_find.c; NULL is allowed */

#endif
