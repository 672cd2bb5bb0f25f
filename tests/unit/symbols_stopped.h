/* For tests of symbols: a program stopped at a location, and its variables. */
#ifndef TESTS_SYMBOLS_STOPPED_H
#define TESTS_SYMBOLS_STOPPED_H

#include "symbols_program.h"

#include "tracer/inspect/inspect.h"
#include "tracer/inspect/values/value_internal.h"

#include <inttypes.h>

/* ---- a stopped program ----------------------------------------------------------------------- */

struct stopped {
	struct program *p;
	pid_t pid;
	int memory;
	uint64_t bias[4];
	struct dwarf_program program;
	struct inspect_call call;
	size_t reads;
	struct error err;
};

static inline int read_memory(void *ctx, uint64_t address, void *buf, size_t n)
{
	struct stopped *s = ctx;

	s->reads++;
	return pread(s->memory, buf, n, (off_t)address) == (ssize_t)n ? 0 : -1;
}

static inline struct module *module_of(void *ctx, size_t i, uint64_t *bias)
{
	struct stopped *s = ctx;

	if (i >= s->p->count)
		return NULL;
	*bias = s->bias[i];
	return s->p->modules[i];
}

static inline struct module *module_around(void *ctx, uint64_t address, uint64_t *bias)
{
	struct module *m;
	uint64_t low, high;

	for (size_t i = 0; (m = module_of(ctx, i, bias)); i++) {
		module_span(m, &low, &high);
		if (address - *bias >= low && address - *bias < high)
			return m;
	}
	return NULL;
}

/* Thread-local storage of the executable: right below the thread pointer. */
static inline int tls_of(void *ctx, void *thread, struct module *m, uint64_t *base)
{
	struct stopped *s = ctx;
	struct user_regs_struct regs;

	(void)thread;
	if (m != s->p->modules[0])
		return -1;
	ptrace(PTRACE_GETREGS, s->pid, NULL, &regs);
	*base = module_tls_before(m, regs.fs_base);
	return 0;
}

static inline int vector_of(void *ctx, void *thread, unsigned dwarf, void *buf, size_t n)
{
	struct stopped *s = ctx;
	struct user_fpregs_struct regs;

	(void)thread;
	if (dwarf < DWARF_XMM0 || dwarf >= DWARF_ST0 || n > 16)
		return -1;
	ptrace(PTRACE_GETFPREGS, s->pid, NULL, &regs);
	memcpy(buf, (char *)regs.xmm_space + (size_t)(dwarf - DWARF_XMM0) * 16, n);
	return 0;
}

static inline void find_biases(struct stopped *s)
{
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)s->pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		for (size_t i = 0; i < s->p->count; i++) {
			const char *name = strrchr(module_path(s->p->modules[i]), '/');

			if (module_is_pie(s->p->modules[i]) && !s->bias[i] && strstr(line, name))
				s->bias[i] = strtoull(line, NULL, 16);
		}
	}
	fclose(f);
}

static inline void take_call(struct stopped *s, uint64_t scope)
{
	struct arch_regs regs = {.flags = 0};
	struct inspect_stack stack;
	struct dwarf_frame frame;
	struct user_regs_struct r;

	ptrace(PTRACE_GETREGS, s->pid, NULL, &r);
	const uint64_t values[17] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi,	   r.rdi,
				     r.rbp, r.rsp, r.r8,  r.r9,	 r.r10,	   r.r11,
				     r.r12, r.r13, r.r14, r.r15, r.rip - 1};

	memcpy(regs.dwarf, values, sizeof(values));
	dwarf_frame_first(&s->program, NULL, &regs, &frame);
	inspect_stack(&frame, scope, 1, &stack);
	assert_int_equal(stack.count, 1);
	s->call = stack.items[0];
	inspect_stack_fini(&stack);
}

/* Runs the program to the location. Returns false if tracing is not permitted. */
static inline bool stop_at(struct stopped *s, struct program *p, const char *location)
{
	char path[64];
	uint64_t at;
	int status;

	memset(s, 0, sizeof(*s));
	s->p = p;
	sites_of(p, location);
	s->pid = start_traced(p);
	if (s->pid < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)s->pid);
	s->memory = open(path, O_RDWR);
	at = load_bias(p, s->pid) + p->sites.items[0].offset;
	poke(s->pid, at, (peek(s->pid, at) & ~0xffL) | 0xcc);
	ptrace(PTRACE_CONT, s->pid, NULL, NULL);
	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	find_biases(s);
	s->program = (struct dwarf_program){.ctx = s,
					    .read = read_memory,
					    .module = module_of,
					    .module_at = module_around,
					    .tls = tls_of,
					    .vector = vector_of};
	take_call(s, p->sites.items[0].scope);
	return true;
}

static inline void let_go(struct stopped *s)
{
	int status;

	kill(s->pid, SIGKILL);
	waitpid(s->pid, &status, 0);
	close(s->memory);
	error_fini(&s->err);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static inline int64_t number_in(struct stopped *s, const struct inspect_value *v)
{
	int64_t number = 0;
	size_t size = v->type->size < 8 ? (size_t)v->type->size : 8;

	if (value_read(v, 0, &number, size, &s->err) < 0)
		fail_msg("%s", s->err.text);
	if (v->type->kind == TYPE_FLOAT && size == 8) {
		double d;

		memcpy(&d, &number, 8);
		return (int64_t)(d * 10);
	}
	if (size < 8 && v->type->is_signed)
		number = (int64_t)((uint64_t)number << (64 - 8 * size)) >> (64 - 8 * size);
	return number;
}

static inline void assert_variable(struct stopped *s, const char *name, int64_t expected)
{
	struct inspect_value v;
	int64_t number;

	if (inspect_variable(&s->call, name, &v, &s->err) < 0)
		fail_msg("%s: %s", name, s->err.text);
	number = number_in(s, &v);
	if (number != expected)
		fail_msg("%s is %" PRId64 ", not %" PRId64, name, number, expected);
}

static inline void assert_argument(struct stopped *s, int i, int64_t expected)
{
	struct inspect_value v;

	if (inspect_argument(&s->call, i, &v, &s->err) < 0)
		fail_msg("argument %d: %s", i, s->err.text);
	assert_int_equal(number_in(s, &v), expected);
}

static inline void assert_global(struct stopped *s, const char *name, int64_t expected)
{
	struct inspect_value v;

	if (inspect_global(&s->program, NULL, name, &v, &s->err) < 0)
		fail_msg("%s: %s", name, s->err.text);
	assert_int_equal(number_in(s, &v), expected);
}

/* Error reported instead of a value. */
static inline const char *refused(struct stopped *s, const char *name)
{
	struct inspect_value v;

	if (inspect_variable(&s->call, name, &v, &s->err) == 0)
		fail_msg("%s has a value", name);
	assert_int_equal(s->err.code, ERROR_STATE);
	return s->err.text;
}

static inline const char *refused_global(struct stopped *s, const char *name)
{
	struct inspect_value v;

	if (inspect_global(&s->program, NULL, name, &v, &s->err) == 0)
		fail_msg("%s has a value", name);
	return s->err.text;
}

#endif
