/* Finds the function that a thread runs whose start routine is a trampoline (waiting.h). */
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/waiting/waiting_internal.h"

#include <string.h>

enum { MOST_CALLS = 256, LOOKS_MOST = 64, CALL_MOST = 6, MOST_CODE = 1 << 16 };

/* ---- calls around the start routine ------------------------------------------------------ */

/* True if the call is in one of the functions or libraries. */
static bool is_in_any(const struct inspect_call *call, const char *const *functions,
		      const char *const *libraries)
{
	const struct module *m = call->frame.module;

	for (; *functions; functions++)
		if (call->function && str_wildcard(*functions, call->function))
			return true;
	for (; m && *libraries; libraries++)
		if (module_matches(m, *libraries))
			return true;
	return false;
}

/* libc's part of a thread's start, static or not. */
static bool is_libc(const struct inspect_call *call)
{
	static const char *const functions[] = {"start_thread", "clone",    "clone3",
						"__clone",	"__clone3", NULL};
	static const char *const libraries[] = {"libc.so", "libpthread.so", "ld-linux-x86-64.so",
						NULL};

	return is_in_any(call, functions, libraries);
}

/* std::thread and the like: what they call is the tester's function. */
static bool is_cxx(const struct inspect_call *call)
{
	static const char *const functions[] = {"execute_native_thread_routine", "std::*", NULL};
	static const char *const libraries[] = {"libstdc++.so", "libc++.so", NULL};

	return is_in_any(call, functions, libraries);
}

/* Returns the start routine or, if it left by a jump (*left), the function that it jumped to;
 * stack.count if neither is on the stack. */
static size_t find_start(const struct run_thread *t, const struct inspect_stack *stack, bool *left)
{
	size_t i = stack->count;

	for (size_t k = stack->count; k-- > 0;)
		if (str_same(stack->items[k].function, run_thread_engine(t)->start))
			return k;
	*left = true;
	while (i > 0 && is_libc(&stack->items[i - 1]))
		i--;
	/* with more calls of libc than usual, the start routine has returned and destructors run */
	return i && stack->count - i <= 2 ? i - 1 : stack->count;
}

/* ---- calls through a pointer ------------------------------------------------------------- */

/* True if the caller `call` uses a name, decided by the instruction before the return address. */
static bool calls_by_name(struct run_process *p, const struct inspect_call *call)
{
	uint64_t behind = call->frame.lookup_pc + 1, slot;
	uint8_t bytes[CALL_MOST];
	struct arch_insn insn;
	int32_t offset;

	if (call->jumped || !call->frame.module ||
	    pages_read(p, behind - CALL_MOST, bytes, sizeof(bytes)) < 0)
		return true;
	if (arch_decode(bytes + 1, 5, behind - 5, &insn) == 0 && insn.length == 5 &&
	    insn.flow == ARCH_FLOW_CALL && images_at(p, insn.target))
		return true;
	if (arch_decode(bytes, 6, behind - 6, &insn) != 0 || insn.length != 6 ||
	    insn.flow != ARCH_FLOW_CALL_INDIRECT)
		return false;
	memcpy(&offset, bytes + 2, sizeof(offset)); /* call *slot(%rip), compiled without a PLT */
	slot = behind + (uint64_t)(int64_t)offset;
	return module_got_name(call->frame.module, slot - call->frame.bias) != NULL;
}

/* True if the code calls or jumps through a pointer; GOT slots count. */
static bool has_pointer(struct module *m, uint64_t offset, uint64_t size)
{
	uint8_t *code = base_alloc(1, size);
	size_t n = module_bytes(m, offset, code, size), at = 0;
	bool found = n < size;

	while (at < n && !found) {
		struct arch_insn insn;

		found = arch_decode(code + at, n - at, offset + at, &insn) < 0 ||
			insn.flow == ARCH_FLOW_CALL_INDIRECT ||
			insn.flow == ARCH_FLOW_JUMP_INDIRECT;
		at += insn.length;
	}
	base_free(code);
	return found;
}

/* The code of the start routine decides for most threads, without reading their stacks. */
static bool may_be_trampoline(const struct run_thread *t)
{
	bool known = false;

	array_each(const struct image, image, run_process_images(run_process_of(t))) {
		uint64_t offset, size;

		if (module_symbol(image->module, run_thread_engine(t)->start, &offset, &size) < 0)
			continue;
		known = true;
		if (!size || size > MOST_CODE ||
		    image->module == run_process_loader(run_process_of(t)) ||
		    caller_is_system(image->module) || has_pointer(image->module, offset, size))
			return true;
	}
	return !known;
}

/* ---- the function ------------------------------------------------------------------------ */

/* Returns the tester's first call further in than i, outside of file `but`;
 * stack.count if there is none. */
static size_t next_own(const struct waiter *w, const struct inspect_stack *stack, size_t i,
		       const char *but)
{
	while (i-- > 0) {
		const struct inspect_call *call = &stack->items[i];

		if (caller_is_own(w, call) && call->function && !(but && str_same(but, call->file)))
			return i;
	}
	return stack->count;
}

static void know(struct run_thread *t, const char *runs)
{
	trampoline_of(t)->runs = runs;
	trampoline_of(t)->known = true;
}

/* The tester's start routine is a trampoline if it calls through a pointer into another file; a
 * library's routine always is. */
static void see(struct run_thread *t, const struct waiter *w, const struct inspect_stack *stack,
		size_t start)
{
	const struct inspect_call *routine = &stack->items[start], *call;
	bool own = caller_is_own(w, routine) && routine->file;
	size_t i = next_own(w, stack, start, own ? routine->file : NULL);

	trampoline_of(t)->from_library |= !own;
	if (i == stack->count)
		return;
	call = &stack->items[i];
	if (own && (call->inlined || calls_by_name(run_process_of(t), call + 1)))
		know(t, NULL);
	else
		know(t, call->function);
}

void trampoline_see(struct run_thread *t, const struct inspect_stack *stack)
{
	struct waiter w = {.thread = t};
	bool left = false;
	size_t start;

	if (trampoline_of(t)->known || stack->cut || !stack->count ||
	    !run_thread_engine(t)->start || run_thread_is_first(t))
		return;
	start = find_start(t, stack, &left);
	if (start == stack->count)
		return;
	if (is_cxx(&stack->items[start]))
		know(t, NULL);
	else if (left && caller_is_own(&w, &stack->items[start]))
		know(t, stack->items[start].function);
	else
		see(t, &w, stack, start);
}

const char *trampoline_runs(struct run *s, struct run_thread *t)
{
	struct trampoline *known = trampoline_of(t);
	struct inspect_stack stack = {0};
	struct dwarf_frame first;
	struct arch_regs regs;

	(void)s;
	if (known->known || !run_thread_lives(t) || run_thread_tracee(t)->state == TRACEE_RUNNING ||
	    known->looks >= LOOKS_MOST)
		return known->runs;
	if (!known->looks++ && (run_thread_is_first(t) || !may_be_trampoline(t))) {
		know(t, NULL);
		return NULL;
	}
	if (tracee_regs(run_thread_tracee(t), &regs) < 0)
		return known->runs;
	dwarf_frame_first(run_process_program(run_process_of(t)), t, &regs, &first);
	inspect_stack(&first, 0, MOST_CALLS, &stack);
	trampoline_see(t, &stack);
	inspect_stack_fini(&stack);
	return known->runs;
}

/* A thread without a name of its own has its process's name. */
static bool has_name(const struct run_thread *t)
{
	run_each_thread(other, run_of(run_process_of(t)))
		if (run_process_of(other) == run_process_of(t) &&
		    run_thread_engine(other)->tid == run_process_pid(run_process_of(t)) &&
		    strcmp(run_thread_name(other), run_thread_name(t)) == 0)
			return false;
	return *run_thread_name(t);
}

void trampoline_describe(const struct run_thread *t, struct str *out)
{
	if (trampoline_of(t)->runs)
		str_addf(out, " (%s)", trampoline_of(t)->runs);
	else if (trampoline_of(t)->from_library && has_name(t))
		str_addf(out, " (named %s)", run_thread_name(t));
}
