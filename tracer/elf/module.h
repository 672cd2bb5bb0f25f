/*
 * One ELF file and the cache of those that are open. Opening maps the file; tables of it are read when
 * somebody asks. The only room that includes libelf.
 */
#ifndef GATECTL_ELF_MODULE_H
#define GATECTL_ELF_MODULE_H

#include "tracer/base/array.h"
#include "tracer/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
