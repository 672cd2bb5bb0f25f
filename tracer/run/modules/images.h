/* Modules of a process, and their addresses. */
#ifndef GATECTL_RUN_MODULES_IMAGES_H
#define GATECTL_RUN_MODULES_IMAGES_H

#include "tracer/run/run.h"

/* Reads the executable and the loader after an exec. Returns 0, or -1 with *err set. */
int images_exec(struct run *s, struct run_process *p, struct error *err);
/* Returns ld.so, or for a static program the executable, which may have a loader in it. *base: its
   load bias. */
struct module *images_loader(const struct run_process *p, uint64_t *base);
/* Compares the images with the loader's list; new images are also appended to `loaded`, unless
   NULL. *consistent: false if the list is being changed and was not read. */
void images_update(struct run *s, struct run_process *p, struct module_list *loaded,
		   bool *consistent);
/* Returns the known image that spans the address, or NULL. */
struct image *images_at(struct run_process *p, uint64_t address);
/* Returns the image that spans the address, reading the program's list again if no known image
   does, or NULL. */
struct image *images_find(struct run *s, struct run_process *p, uint64_t address);
/* Returns all loaded modules, the executable first: images.count of them. The caller frees the
   array with base_free(). */
struct module **images_modules(const struct run_process *p);
/* True if the OBJECT of a location is loaded. A location not found in a loaded object will never be
   found. */
bool images_have(const struct run_process *p, const char *object);
/* Finds the file that execvp(3) would run. Returns false if there is none. */
bool images_find_program(const char *name, char *path, size_t size);
/* Returns the canonical frame address of the frame that executes at this offset of the module
   (NULL: unknown module). Code without call frame information is assumed not to move the stack
   pointer. */
uint64_t images_frame(struct module *m, uint64_t offset, const struct arch_regs *regs);
/* Returns the canonical frame address for an address in the image (NULL: in no image). */
uint64_t images_frame_at(const struct image *image, uint64_t pc, const struct arch_regs *regs);
/* Computes the target of the jump at the address. Returns false if there is no jump, or its target
   is not known. */
bool images_jump(struct tracee_process *p, uint64_t address, const struct arch_regs *regs,
		 uint64_t *to);
/* Copies the images of the parent of a forked process. */
void images_copy(struct run_process *to, const struct run_process *from);
/* Replaces the error of a failed exec by the reason that the file shows, if one is found. */
void images_explain_refusal(struct modules *symbols, const char *program, struct error *err);
/* Adds a hint to the error of a location that was not found: it may be in a program that the script
   `program` starts, not in the interpreter. */
void images_hint_script(const char *program, const struct location *location, struct error *err);
/* Returns the module of the executable, or NULL if it cannot be read. */
struct module *images_program(struct run *s, struct run_process *p);

/* ld.so reports when libraries are loaded and unloaded. */

/* After an exec: reads the executable and sets the trap in ld.so. Returns 0, or -1 with *err
   set. */
int loader_exec(struct run *s, struct run_process *p, struct tracee_thread *t, struct error *err);
/* Sets the loader's trap in a program without ld.so, which may have a loader in it for dlopen. */
void loader_static(struct run *s, struct run_process *p, struct tracee_thread *t);
/* True if the libraries that the process loads matter. */
bool loader_is_wanted(struct run *s, const struct run_process *p);

/* Layouts of glibc's objects in the program's memory. Constants are offsets that have been the same
   since glibc 2.25; others are read from the libc that the process has loaded. A program with
   another libc has no such objects. */

enum {
	GLIBC_MUTEX_COUNT = 4,
	GLIBC_MUTEX_OWNER = 8,	/* tid */
	GLIBC_RWLOCK_PHASE = 8, /* readers and the first writer wait here */
	GLIBC_RWLOCK_WRITERS = 12,
	GLIBC_RWLOCK_WRITER = 24, /* tid */
	GLIBC_RWLOCK_SHARED = 28, /* 0 or 1 */
	GLIBC_SEMAPHORE_WAITERS = 4,
	GLIBC_BARRIER_ROUND = 4,
	GLIBC_BARRIER_COUNT = 8,
	GLIBC_STREAM_LOCK = 136, /* in a FILE: a pointer to the lock */
	GLIBC_STREAM_OWNER = 8,	 /* in the lock: a pointer to the owner's struct pthread */
};

/* Returns the offset in pthread_cond_t of the number of waiters (times 8), which is followed by two
   futex words: 36 before glibc 2.41 (and its backports), 28 since. 0: not known. */
uint32_t glibc_condition_waiters(const struct run_process *p);
/* Returns the offset of the thread's tid in struct pthread; 0: not known. */
uint32_t glibc_thread_tid(const struct run_process *p);
/* True if the address is within this thread's struct pthread. */
bool glibc_thread_has(const struct run_thread *t, uint64_t address);

#endif
