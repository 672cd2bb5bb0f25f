/*
 * For tests of symbols: compiles small programs, resolves locations in them, and counts how often a
 * run passes the sites.
 */
#ifndef TESTS_SYMBOLS_PROGRAM_H
#define TESTS_SYMBOLS_PROGRAM_H

#include "tracer/base/text/str.h"
#include "tracer/source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A directory with sources and the files compiled from them. */
struct program {
	char dir[64], path[96];
	struct modules *symbols;
	struct module *modules[4];
	size_t count;
	struct source_sites sites;
	struct error err;
};

static inline void program_init(struct program *p)
{
	memset(p, 0, sizeof(*p));
	strcpy(p->dir, "/tmp/gatectl-symbols-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
}

static inline void program_write(struct program *p, const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Runs a command in the directory; it must succeed. */
static inline void program_run(struct program *p, const char *command)
{
	struct str line = {0};

	str_addf(&line, "cd %s && %s", p->dir, command);
	if (system(str_text(&line)) != 0)
		fail_msg("failed: %s", command);
	str_fini(&line);
}

static inline void program_close(struct program *p)
{
	source_sites_fini(&p->sites);
	modules_free(p->symbols);
	p->symbols = NULL;
	p->count = 0;
}

static inline void program_add(struct program *p, const char *name)
{
	ERROR(err);
	char path[160];

	if (!p->symbols)
		p->symbols = modules_new();
	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	if (p->count == 0)
		snprintf(p->path, sizeof(p->path), "%s/%s", p->dir, name);
	p->modules[p->count] = modules_open(p->symbols, path, &err);
	if (!p->modules[p->count++])
		fail_msg("%s", err.text);
}

/* Compiles to `prog` and opens it. */
static inline void program_build(struct program *p, const char *command)
{
	program_close(p);
	program_run(p, command);
	program_add(p, "prog");
}

static inline void program_fini(struct program *p)
{
	program_close(p);
	error_fini(&p->err);
	program_run(p, "rm -rf \"$PWD\"");
}

static inline enum source_answer resolve(struct program *p, const char *location)
{
	struct location l;
	enum source_answer answer;

	source_sites_fini(&p->sites);
	error_fini(&p->err);
	if (location_parse(location, &l, &p->err) < 0)
		fail_msg("%s", p->err.text);
	answer = source_resolve(p->symbols, p->modules, p->count, &l, &p->sites, &p->err);
	location_fini(&l);
	return answer;
}

/* Number of sites; fails if the location is not found. */
static inline size_t sites_of(struct program *p, const char *location)
{
	if (resolve(p, location) != SOURCE_FOUND)
		fail_msg("%s: %s", location, p->err.text);
	return p->sites.count;
}

/* Text of the error; fails if the location is found. */
static inline const char *refusal_of(struct program *p, const char *location)
{
	if (resolve(p, location) == SOURCE_FOUND)
		fail_msg("%s: found", location);
	return p->err.text;
}

#define assert_says(text, piece)                                                                   \
	do {                                                                                       \
		const char *said_ = (text);                                                        \
		if (!strstr(said_, (piece)))                                                       \
			fail_msg("'%s' does not say '%s'", said_, (piece));                        \
	} while (0)

/* ---- counting passes of the sites ----------------------------------------------------------- */

static inline long peek(pid_t pid, uint64_t at)
{
	return ptrace(PTRACE_PEEKTEXT, pid, (void *)at, NULL);
}

static inline void poke(pid_t pid, uint64_t at, long word)
{
	ptrace(PTRACE_POKETEXT, pid, (void *)at, (void *)word);
}

/*
 * Starts a child that is stopped before its first instruction. Returns -1 if tracing is not
 * permitted.
 */
static inline pid_t start_traced(const struct program *p)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		personality(ADDR_NO_RANDOMIZE);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(77);
		execl(p->path, p->path, "a", "b", "c", (char *)NULL);
		_exit(78);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSTOPPED(status) ? pid : -1;
}

static inline uint64_t load_bias(const struct program *p, pid_t pid)
{
	char path[64];
	unsigned long start = 0;
	FILE *f;

	if (!module_is_pie(p->modules[0]))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lx", &start), 1);
	fclose(f);
	return start;
}

static inline void step_over(pid_t pid, uint64_t at, long original)
{
	struct user_regs_struct regs;
	long trapped = peek(pid, at);
	int status;

	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	regs.rip = at;
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
	poke(pid, at, (trapped & ~0xffL) | (original & 0xff));
	ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	if (WIFSTOPPED(status))
		poke(pid, at, trapped);
}

/*
 * Runs the program with arguments a b c. Returns the number of passes, or -1 if tracing is not
 * permitted.
 */
static inline int arrivals_at_sites(struct program *p)
{
	pid_t pid = start_traced(p);
	uint64_t bias;
	long *words;
	int status, arrivals = 0;

	if (pid < 0)
		return -1;
	bias = load_bias(p, pid);
	words = base_alloc(p->sites.count, sizeof(*words));
	for (size_t i = 0; i < p->sites.count; i++)
		words[i] = peek(pid, bias + p->sites.items[i].offset);
	for (size_t i = 0; i < p->sites.count; i++) {
		uint64_t at = bias + p->sites.items[i].offset;

		poke(pid, at, (peek(pid, at) & ~0xffL) | 0xcc);
	}
	for (;;) {
		struct user_regs_struct regs;
		size_t i = 0;

		ptrace(PTRACE_CONT, pid, NULL, NULL);
		waitpid(pid, &status, 0);
		if (!WIFSTOPPED(status))
			break;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		while (i < p->sites.count && bias + p->sites.items[i].offset != regs.rip - 1)
			i++;
		if (i == p->sites.count) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			fail_msg("signal %d at 0x%llx", WSTOPSIG(status), regs.rip - bias);
		}
		arrivals++;
		step_over(pid, bias + p->sites.items[i].offset, words[i]);
	}
	base_free(words);
	return arrivals;
}

/* Fails unless a run passes the location `expected` times. */
static inline void assert_arrivals(struct program *p, const char *location, int expected)
{
	int arrivals;

	sites_of(p, location);
	arrivals = arrivals_at_sites(p);
	if (arrivals < 0)
		fail_msg("tracing is not permitted here");
	if (arrivals != expected)
		fail_msg("%s: %d arrivals at %zu sites, not %d", location, arrivals, p->sites.count,
			 expected);
}

/* Setup for cmocka: *state is a struct program. */
static inline int program_setup(void **state)
{
	*state = base_alloc(1, sizeof(struct program));
	program_init(*state);
	return 0;
}

static inline int program_teardown(void **state)
{
	program_fini(*state);
	base_free(*state);
	return 0;
}

#endif
