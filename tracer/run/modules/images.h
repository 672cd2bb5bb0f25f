/* Which modules a process has, and where they are loaded. */
#ifndef GATECTL_RUN_MODULES_IMAGES_H
#define GATECTL_RUN_MODULES_IMAGES_H

#include "tracer/run/run.h"

/* Reads what the process has just exec'd. */
int images_exec(struct run *s, struct run_process *p, struct error *err);
/* The loader is at _dl_debug_state: compares lists; new modules are appended to `loaded`. */
/* ld.so, or the static program itself, which may have a loader of its own in it. */
struct module *images_loader(const struct run_process *p, uint64_t *base);
void images_update(struct run *s, struct run_process *p, struct module_list *loaded,
		   bool *consistent);
struct image *images_at(struct run_process *p, uint64_t address);
/* Like images_at(), but for an address in no known image it reads the program's list again. */
struct image *images_find(struct run *s, struct run_process *p, uint64_t address);
/* All loaded modules, the executable first: images.count of them. The caller frees the array with
   base_free(). */
struct module **images_modules(const struct run_process *p);
/* Is the OBJECT of a location loaded? If a location is not in it by then, it will never be. */
bool images_have(const struct run_process *p, const char *object);
/* The file that execvp(3) would run; false: there is none. */
bool images_find_program(const char *name, char *path, size_t size);
/* The canonical frame address of the frame that is executing at this offset of the module (NULL: a
   module is not known). Code without call frame information is taken to leave the stack pointer
   alone. */
uint64_t images_frame(struct module *m, uint64_t offset, const struct arch_regs *regs);
/* The same for an address in the image; NULL: in none. */
uint64_t images_frame_at(const struct image *image, uint64_t pc, const struct arch_regs *regs);
/* Where the jump at the address goes. False: there is none, or that cannot be told. */
bool images_jump(struct tracee_process *p, uint64_t address, const struct arch_regs *regs,
		 uint64_t *to);
void images_copy(struct run_process *to, const struct run_process *from);
void images_explain_refusal(struct modules *symbols, const char *program, struct error *err);
/* A location was not found: it may be of a program that the script PROG starts, not of its interpreter. */
void images_hint_script(const char *program, const struct location *location, struct error *err);
struct module *images_program(struct run *s, struct run_process *p); /* or NULL */

/* ld.so reports when libraries are loaded and unloaded. */

/* The process has just exec'd; from now on what it loads is noticed. */
int loader_exec(struct run *s, struct run_process *p, struct tracee_thread *t, struct error *err);
/* The places of a program that has no ld.so are set: it may have a loader in itself, for dlopen. */
void loader_static(struct run *s, struct run_process *p, struct tracee_thread *t);
/* Does it matter which libraries the process loads? */
bool loader_is_wanted(struct run *s, const struct run_process *p);

/*
 * The layout of glibc's objects, for whoever reads them in the program's memory. Constants are
 * offsets that have been the same since glibc 2.25; whatever has changed since is read from the
 * libc that the process has loaded. A program with another libc has none of these objects.
 */

enum {
	GLIBC_MUTEX_COUNT = 4,
	GLIBC_MUTEX_OWNER = 8,	/* tid */
	GLIBC_RWLOCK_PHASE = 8, /* where readers and the first writer wait */
	GLIBC_RWLOCK_WRITERS = 12,
	GLIBC_RWLOCK_WRITER = 24, /* tid */
	GLIBC_RWLOCK_SHARED = 28, /* 0 or 1 */
	GLIBC_SEMAPHORE_WAITERS = 4,
	GLIBC_BARRIER_ROUND = 4,
	GLIBC_BARRIER_COUNT = 8,
	GLIBC_STREAM_LOCK = 136, /* in a FILE, a pointer */
	GLIBC_STREAM_OWNER = 8,	 /* in the lock, a pointer to the owner's struct pthread */
};

/* The offset in a pthread_cond_t of the number of its waiters (times 8), which the two words follow
   where they wait: 36 before glibc 2.41 (and its backports), 28 since. 0: not known. */
uint32_t glibc_condition_waiters(const struct run_process *p);
/* The offset of the thread's tid in struct pthread; 0: not known. */
uint32_t glibc_thread_tid(const struct run_process *p);
/* Is the address within this thread's struct pthread? */
bool glibc_thread_has(const struct run_thread *t, uint64_t address);

#endif
