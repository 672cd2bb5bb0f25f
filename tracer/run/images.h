/* Which modules a process has, and where they are loaded. */
#ifndef GATECTL_RUN_IMAGES_H
#define GATECTL_RUN_IMAGES_H

#include "tracer/run/state.h"

/* What the process has execed. */
int images_exec(struct session *s, struct session_process *p, struct error *err);
/* The loader is at _dl_debug_state: compares lists; new modules are appended to `loaded`. */
struct module_list {
	struct image *items;
	size_t count, capacity;
};
void images_update(struct session *s, struct session_process *p, struct module_list *loaded,
		   bool *consistent);
struct image *images_at(struct session_process *p, uint64_t address);
/* Like images_at, but reads the program's list again where the address is in no known image. */
struct image *images_find(struct session *s, struct session_process *p, uint64_t address);
/* All modules that are loaded, the executable first: images.count of them; base_free'd by the caller. */
struct module **images_modules(const struct session_process *p);
/* Is the OBJECT of a location loaded? What is not in it then, will not come to be there. */
bool images_have(const struct session_process *p, const char *object);
/* The canonical address of the frame that is executing at this offset of the module (NULL: of none that
   is known). Code without a description of its frames is taken to leave the stack pointer alone. */
uint64_t images_frame(struct module *m, uint64_t offset, const struct arch_regs *regs);
void images_copy(struct session_process *to, const struct session_process *from);
void images_explain_refusal(struct modules *symbols, const char *program, struct error *err);
struct module *images_program(struct session *s, struct session_process *p); /* or NULL */

#endif
