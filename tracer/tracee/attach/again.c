/*
 * Execs a program again, before its first instruction, with another environment. Only exec puts an
 * environment where the program looks for it: on the stack and in /proc/self/environ.
 */
#include "tracer/tracee/tracee_internal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

enum { PAGE = 4096, MOST_BYTES = 16 << 20, RED_ZONE = 128, ROOM_BELOW = 100 << 10 };

struct stack_page {
	char bytes[PAGE];
};

/* The top of the stack as exec leaves it: argc, argv, 0, envp, 0, auxv, and the strings. */
struct stack_top {
	uint64_t base;
	size_t size;
	ARRAY(struct stack_page) pages; /* the last one is a page of zeros */
	uint64_t argv, envp;		/* addresses */
	size_t env_count;
};

/* The arguments of execve(2), to be written below the top. */
struct request {
	ARRAY(char) bytes;
	uint64_t path, envp; /* addresses in the program */
};

static uint64_t again_word_at(const struct stack_top *top, uint64_t address)
{
	uint64_t word = 0;

	if (address >= top->base && address - top->base <= top->size - sizeof(word))
		memcpy(&word, top->pages.items->bytes + (address - top->base), sizeof(word));
	return word;
}

/* Returns NULL if the string is not on the stack. */
static const char *string_at(const struct stack_top *top, uint64_t address)
{
	if (address < top->base || address - top->base >= top->size)
		return NULL;
	return top->pages.items->bytes + (address - top->base);
}

static int read_top(struct thread *th, struct stack_top *top)
{
	uint64_t sp;

	if (thread_regs(th) < 0)
		return -1;
	sp = th->regs.rsp;
	top->base = sp - sp % PAGE;
	/* Reading up to the first unmapped page is less work than looking
	   for the end of the mapping. */
	while (!memory_raw_read(space_of(th), top->base + top->size, array_add(&top->pages)->bytes,
				PAGE)) {
		top->size += PAGE;
		if (top->size > MOST_BYTES)
			return -1;
	}
	if (!top->size)
		return -1;
	top->argv = sp + sizeof(uint64_t);
	top->envp = top->argv + sizeof(uint64_t) * (again_word_at(top, sp) + 1);
	while (again_word_at(top, top->envp + sizeof(uint64_t) * top->env_count))
		top->env_count++;
	return 0;
}

/* ---- the new exec ---------------------------------------------------------------------------- */

static bool again_same_file(pid_t pid, const char *path)
{
	char exe[64], seen[PATH_MAX + 64];
	struct stat a, b;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	snprintf(seen, sizeof(seen), "/proc/%d/%s/%s", pid, *path == '/' ? "root" : "cwd", path);
	return !stat(exe, &a) && !stat(seen, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Returns the name that the program was started with, which it may look at. The file of a script's
   name is not the interpreter's; then /proc/self/exe serves. */
static const char *path_of(struct thread *th, const struct stack_top *top)
{
	const char *path = string_at(top, tracee_auxv(th->pub.process, AT_EXECFN));

	return path && *path && again_same_file(th->pub.process->pid, path) ? path
									    : "/proc/self/exe";
}

static void again_put(struct request *r, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*array_add(&r->bytes) = ((const char *)bytes)[i];
}

static void put_word(struct request *r, uint64_t word)
{
	again_put(r, &word, sizeof(word));
}

/* Builds the request for `address`, at which it will be written, a multiple of 8. */
static void again_fill(struct request *r, const struct stack_top *top, uint64_t address,
		       const char *path, const char *assignment)
{
	size_t name = strcspn(assignment, "=") + 1;
	uint64_t text = address;

	again_put(r, assignment, strlen(assignment) + 1);
	r->path = address + r->bytes.count;
	again_put(r, path, strlen(path) + 1);
	while (r->bytes.count % sizeof(uint64_t))
		again_put(r, "", 1);
	r->envp = address + r->bytes.count;
	for (size_t i = 0; i < top->env_count; i++) {
		uint64_t at = again_word_at(top, top->envp + i * sizeof(at));
		const char *old = string_at(top, at);

		if (!old || strncmp(old, assignment, name))
			put_word(r, at);
	}
	put_word(r, text);
	put_word(r, 0);
}

static int exec_with(struct thread *th, const struct stack_top *top, const char *assignment)
{
	const char *path = path_of(th, top);
	size_t most = strlen(assignment) + strlen(path) + 8 * (top->env_count + 4) + RED_ZONE;
	uint64_t address = (top->base - most) & ~7ull;
	struct request r = {0};
	int result = -1;

	if (most < ROOM_BELOW) {
		again_fill(&r, top, address, path, assignment);
		if (!memory_raw_write(th->tracee, space_of(th), address, r.bytes.items,
				      r.bytes.count))
			result = remote_exec(th, r.path, top->argv, r.envp);
	}
	array_fini(&r.bytes);
	return result;
}

int tracee_exec_again(struct tracee_thread *thread, const char *assignment)
{
	struct thread *th = thread_of(thread);
	struct stack_top top = {0};
	int result = -1;

	if (th->stop == STOP_EXEC && read_top(th, &top) == 0)
		result = exec_with(th, &top, assignment);
	array_fini(&top.pages);
	return result;
}

/* ---- the environment ------------------------------------------------------------------------ */

char *tracee_env(struct tracee_thread *thread, const char *name)
{
	struct thread *th = thread_of(thread);
	size_t length = strlen(name);
	struct stack_top top = {0};
	char *found = NULL;

	if (th->stop != STOP_EXEC || read_top(th, &top) < 0)
		top.env_count = 0;
	for (size_t i = 0; i < top.env_count && !found; i++) {
		const char *text = string_at(&top, again_word_at(&top, top.envp + i * 8));

		if (text && !strncmp(text, name, length) && text[length] == '=')
			found = base_strdup(text + length + 1);
	}
	array_fini(&top.pages);
	return found;
}
