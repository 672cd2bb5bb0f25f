/* ELF files: the cache of open modules, their sections, symbols and relocations. The only folder
   that uses libelf. */
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

/* A pass over a section of a mapped file that releases the pages behind it: sections have several
   hundred megabytes. Pages read again from the file are equal. */
struct pass {
	const uint8_t *from; /* start of the pages not released yet */
};

/* Advances the pass to `at`. Returns true if pages were released, at most once for every few
   megabytes. */
bool pass_to(struct pass *p, const uint8_t *at);

/* Releases the pages of these bytes if a file is mapped there; other memory is not changed. */
void pass_over(const uint8_t *bytes, size_t size);

/* Searches from `at` to `end` like memmem(), as a pass. Returns NULL if the bytes are not found. */
const uint8_t *pass_find(struct pass *p, const uint8_t *at, const uint8_t *end, const void *what,
			 size_t length);

/* ---- modules ----------------------------------------------------------------------------- */

struct modules; /* the cache of modules; opaque */
struct module;	/* one ELF file and its debug information; opaque, owned by the cache */

/* Returns an empty cache, freed by modules_free(). */
struct modules *modules_new(void);
/* Closes all modules. NULL is allowed. */
void modules_free(struct modules *s);

/* Returns the module of this file, opened once and owned by the cache. Returns NULL with
   ERROR_OBJECT if the file is missing, truncated, not ELF, or for another processor. Broken
   debug information is reported by the first function that needs it. */
struct module *modules_open(struct modules *s, const char *path, struct error *err);
/* Like modules_open(), for a file that users know as `name` and that gatectl reaches as `place`. */
struct module *modules_open_as(struct modules *s, const char *place, const char *name,
			       struct error *err);

/* Returns the path, symbolic links resolved, or the `name` of modules_open_as(). */
const char *module_path(const struct module *m);
/* Returns the soname, or else the file's own name. */
const char *module_name(const struct module *m);
/* Returns true if the module is this inode. */
bool module_is_inode(const struct module *m, uint64_t dev, uint64_t ino);
/* Returns true if the module was opened by this path. */
bool module_is_called(const struct module *m, const char *path);
/* Returns true for ET_DYN, which is loaded at any address. */
bool module_is_pie(const struct module *m);
/* Returns true if the file has PT_INTERP. */
bool module_is_dynamic(const struct module *m);
/* Returns the soname of the n-th needed library, from 0, or NULL after the last one. */
const char *module_needs(const struct module *m, size_t n);
/* Returns true if there is DWARF, in the file or in a separate one. */
bool module_has_debug(struct module *m);
/* Returns the offset of the entry point. */
uint64_t module_entry(const struct module *m);
/* Sets the span of all PT_LOAD segments, in offsets; both are 0 if there is none. */
void module_span(const struct module *m, uint64_t *low, uint64_t *high);

/* Returns the last address before `end` at which the thread-local variables fit, or 0 if there
   are none. */
uint64_t module_tls_before(const struct module *m, uint64_t end);

/* Finds a symbol of .symtab or .dynsym by its mangled name, in its default version. Sets
   `offset` and `size` unless they are NULL. Returns 0, or -1 if there is no such symbol. */
int module_symbol(struct module *m, const char *name, uint64_t *offset, uint64_t *size);

/* Returns true if the file exports or imports the symbol. Does not read the symbol tables. */
bool module_has_string(const struct module *m, const char *symbol);
/* Returns true if read-only data of the file contains the bytes. */
bool module_contains(const struct module *m, const void *bytes, size_t n);
/* Returns true if code of the file contains the bytes. */
bool module_contains_code(const struct module *m, const void *bytes, size_t n);
/* Visits a place of the bytes in the code: its offset, and the `left` bytes up to the end of the
   section. */
typedef void module_code_visit(void *ctx, uint64_t offset, const uint8_t *code, size_t left);
/* Visits each place of the bytes in the code; places do not overlap. */
void module_each_code(const struct module *m, const void *bytes, size_t n, module_code_visit *visit,
		      void *ctx);
typedef void module_symbol_visit(void *ctx, const char *name, uint64_t offset);
/* Visits each symbol of .dynsym, with offset 0 if it is imported. */
void module_each_dynamic(const struct module *m, module_symbol_visit *visit, void *ctx);

/* Copies bytes as they are loaded at `offset`. Returns their number, at most n. */
size_t module_bytes(const struct module *m, uint64_t offset, void *buf, size_t n);

/* Returns the build-id in hex, or "". */
const char *module_build_id(const struct module *m);
/* Returns a sum of the code, which differs between builds unless each address means the same in
   both. Debug information, which has the folder of the sources, is not part of it. */
uint32_t module_code_sum(struct module *m);

/* Returns true if OBJECT of a location (or of on "load") names this module. libfoo.so names
   libfoo.so.1.2. */
bool module_matches(const struct module *m, const char *object);
/* Returns true if OBJECT names the file of this path. */
bool module_path_matches(const char *path, const char *object);

/* Returns the name of the function of a global offset table entry, owned by the module, or NULL. */
const char *module_got_name(const struct module *m, uint64_t offset);

/* Offsets in a module from `low` up to `high`, which is excluded. */
struct module_range {
	uint64_t low, high;
};

/* ---- data of a module: other folders add tables on demand, which are freed with it ------- */

typedef struct Elf Elf; /* libelf's */

struct elf_symbol {
	const char *name; /* mangled, without @VERSION */
	uint64_t offset, size;
	uint64_t reach; /* highest end of this and all previous symbols */
	bool function, ifunc, global;
	uint8_t rank;	   /* of symbols at one offset the one with the lowest rank is shown */
	bool hidden;	   /* not the default version: foo@OLD, not foo@@NEW */
	const char *shown; /* name in backtraces; NULL until requested */
};

struct section_data {
	const uint8_t *bytes; /* decompressed; NULL: no such section */
	size_t size;
};

/* Returns the text at `offset`, or NULL if the section does not terminate it. */
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
	void *own; /* decompressed data that the module owns; NULL: libelf owns the data */
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
	ARRAY(char *) aliases; /* other paths that opened it (symbolic links) */
	struct stat stat;      /* of the file when it was opened */
	int fd;
	Elf *elf;
	const uint8_t *image; /* the whole file, mapped by libelf */
	size_t size;
	ARRAY(Elf64_Phdr) segments; /* PT_LOAD */
	bool pie, dynamic;
	uint64_t entry;
	Elf64_Phdr tls;		   /* PT_TLS, or all zero */
	Elf64_Phdr dynamic_part;   /* PT_DYNAMIC, or all zero */
	struct module_range relro; /* PT_GNU_RELRO: read-only once the module is loaded */
	char build_id[65];	   /* in hex, or "" */
	uint64_t code_sum;	   /* 0 until requested */

	/* The file with .debug_info: this one, or a separate one found by build-id or debuglink. */
	bool debug_searched;
	/* the debug file is another file, such as that of a distribution's -dbg package */
	bool debug_separate;
	char *debug_path; /* NULL: no DWARF */
	Elf *debug_elf;	  /* equal to elf if it is the same file */
	int debug_fd;
	ARRAY(struct module_section) sections; /* of debug_elf, read so far */

	bool symbols_loaded;
	/* defined symbols of .symtab and .dynsym, of both files, by offset */
	ARRAY(struct elf_symbol) symbols;
	ARRAY(char *) symbol_names; /* copies that the module owns */
	uint32_t *symbol_hash;	    /* index + 1 into symbols; 0: free */
	size_t symbol_hash_size;    /* a power of two */

	struct line_table *lines;	 /* NULL until requested */
	struct frame_table *frames;	 /* NULL until requested */
	struct flow_cache *flows;	 /* NULL until requested */
	struct die_table *dies;		 /* NULL until requested */
	struct known_calls *known_calls; /* NULL until requested */
	struct cleanups cleanups;	 /* free the tables of other folders */
};

struct modules {
	ARRAY(struct module *) modules;
	struct source_cache *sources; /* NULL until requested */
	struct eval_cache *evals;     /* NULL until requested */
	struct call_cache *calls;     /* NULL until requested */
	struct cleanups cleanups;
};

/* Finds the debug file at the first call. Returns true if there is .debug_info. */
bool module_find_debug(struct module *m);

/* Reads a section of the debug file (".debug_line"), decompressed (SHF_COMPRESSED and .zdebug_);
   the module owns it. Returns 0, with bytes NULL if there is no such section, or -1 with
   ERROR_OBJECT. The last string of a section of strings need not be terminated. */
int module_section(struct module *m, const char *name, struct section_data *out, struct error *err);

/* Loads the symbols at the first call, sorted by offset. Of several at one offset the best to
   show (global, fewest leading underscores) comes first. */
void module_load_symbols(struct module *m);
/* Returns the function symbol that contains the offset, or any symbol if `functions` is false,
   or NULL. */
const struct elf_symbol *module_symbol_at(struct module *m, uint64_t offset, bool functions);

/* Returns true if the offset is in an executable PT_LOAD. */
bool module_is_code(const struct module *m, uint64_t offset);

/* Returns true if the offset is in memory that is read-only while the program runs. */
bool module_is_constant(const struct module *m, uint64_t offset);

/* Sets a section as it is loaded (".eh_frame") and its address in the module. Returns false if
   it is missing or compressed. */
bool module_loaded_section(const struct module *m, const char *name, struct section_data *out,
			   uint64_t *address);

/* Returns true if the file or its debug file has a .symtab, with symbols of all its functions. */
bool module_has_all_symbols(const struct module *m);

/* A word that the loader sets. */
struct module_relocation {
	uint64_t offset; /* of the word */
	unsigned type;	 /* R_X86_64_* */
	int64_t add;
	const char *symbol; /* NULL: none */
};
/* Visits a relocation. Returns true to stop. */
typedef bool module_relocation_visit(void *ctx, const struct module_relocation *r);
/* Visits relocations in the order of the file. Returns true if a visit stopped. */
bool module_each_relocation(const struct module *m, module_relocation_visit *visit, void *ctx);

/* Visits each function with code in the symbol tables, in no order, some twice. Nothing is
   sorted or kept. */
void module_each_function(struct module *m, module_symbol_visit *visit, void *ctx);

/* Writes the bytes in hex to `out`, of 2 * size + 1 characters. */
void module_hex(const uint8_t *bytes, size_t size, char *out);

/* ---- files that are no modules -------------------------------------------------------------- */

/* A .dwo file, a package of them, or an alternate file. */
struct elf_file {
	char *path;
	int fd;
	Elf *elf;
	ARRAY(void *) unpacked;
};

/* Opens the file. Returns 0, or -1: *broken is false if the file cannot be opened, true with
   *err set if it is not ELF for x86-64. */
int elf_file_open(struct elf_file *f, const char *path, bool *broken, struct error *err);
/* Joins all sections of this name, decompressed (a .dwo file has one for each type unit); the
   file owns them. Returns 0, with bytes NULL if there are none, or -1 with *err set. */
int elf_file_section(struct elf_file *f, const char *name, struct section_data *out,
		     struct error *err);
/* Sets `id` to the build-id in hex, or to "". */
void elf_file_build_id(const struct elf_file *f, char id[65]);
/* Closes the file and frees its sections. */
void elf_file_close(struct elf_file *f);

#endif
