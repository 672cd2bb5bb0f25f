/* Functions of this folder that use libelf's types. */
#ifndef GATECTL_ELF_ELF_INTERNAL_H
#define GATECTL_ELF_ELF_INTERNAL_H

#include "tracer/elf/module.h"

#include <gelf.h>
#include <libelf.h>

/* Finds an exported symbol by its name without a version, through .gnu.hash. Returns false if
   the symbol or that section is missing; the symbol table decides then. (symbol_table.c) */
bool elf_exported(Elf *elf, const char *name, GElf_Sym *sym);

/* Sets id[65] to the build-id among the notes in hex, or to "". (module.c) */
/* Sets id[65] to the build-id of a file in hex, or to "". (debug_file.c) */
void module_elf_id(Elf *elf, char id[65]);
void module_note_id(const uint8_t *notes, size_t size, char id[65]);

/* Returns the section of this name, or NULL if it is missing or has no bytes. (debug_file.c) */
Elf_Scn *module_find_section(Elf *elf, const char *name, GElf_Shdr *header);
void module_close_debug(struct module *m);  /* debug_file.c */
void module_free_symbols(struct module *m); /* symbol_table.c */

#endif
