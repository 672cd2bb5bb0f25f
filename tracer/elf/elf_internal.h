/* Between the files of this room: what is said in libelf's words. */
#ifndef GATECTL_ELF_ELF_INTERNAL_H
#define GATECTL_ELF_ELF_INTERNAL_H

#include "tracer/elf/module.h"

#include <gelf.h>
#include <libelf.h>

/* An exported symbol by its name without a version, through .gnu.hash. False also where the file has no
   such table: then all symbols have to be read. (symbol_table.c) */
bool elf_exported(Elf *elf, const char *name, GElf_Sym *sym);

/* The build-id among notes, as hex into id[65]; "" where there is none. (module.c) */
void module_elf_id(Elf *elf, char id[65]); /* the same of a whole file (debug_file.c) */
void module_note_id(const uint8_t *notes, size_t size, char id[65]);

/* Section by name of an ELF file; NULL where there is none or it has no bytes. (debug_file.c) */
Elf_Scn *module_find_section(Elf *elf, const char *name, GElf_Shdr *header);
void module_close_debug(struct module *m);  /* debug_file.c */
void module_free_symbols(struct module *m); /* symbol_table.c */

#endif
