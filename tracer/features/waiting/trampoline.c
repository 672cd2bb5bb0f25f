#include "tracer/run/modules/images.h"
#include "tracer/run/threads/pages.h"
#include "tracer/features/waiting/trampoline.h"
#include "tracer/features/waiting/waiting_internal.h"

#include <string.h>

enum { MOST_CALLS = 256, LOOKS_MOST = 64, CALL_MOST = 6, MOST_CODE = 1 << 16 };

static const struct keeper keeper = {sizeof(struct trampoline), NULL};

static struct trampoline *to_note(const struct run_thread *t)
{
	return kept_make(&t->kept, &keeper);
}

const struct trampoline *trampoline_of(const struct run_thread *t)
{
	return to_note(t);
}

/* ---- the calls around the start routine --------------------------------------------------------- */

static bool trampoline_is_called(const struct inspect_call *call, const char *name)
{
	return call->function && strcmp(call->function, name) == 0;
}

static bool is_in_library(const struct inspect_call *call, const char *name)
{
	const struct module *m = call->frame.module;

	return m && strncmp(str_base_name(module_path(m)), name, strlen(name)) == 0;
}

/* libc's part of a thread's start, static or not. */
static bool is_libc(const struct inspect_call *call)
{
	return is_in_library(call, "libc.so") || is_in_library(call, "libpthread") ||
	       is_in_library(call, "ld-linux") || trampoline_is_called(call, "start_thread") ||
	       trampoline_is_called(call, "clone") || trampoline_is_called(call, "clone3") ||
	       trampoline_is_called(call, "__clone") || trampoline_is_called(call, "__clone3");
}

/* std::thread and the like: what they call is what the tester passed. */
static bool is_cxx(const struct inspect_call *call)
{
	return is_in_library(call, "libstdc++") || is_in_library(call, "libc++") ||
	       trampoline_is_called(call, "execute_native_thread_routine") ||
	       (call->function && strncmp(call->function, "std::", 5) == 0);
}

/* The start routine; or, if it left by a jump, the function that it jumped to (`left`).
   stack.count: neither is there. */
static size_t find_start(const struct run_thread *t, const struct inspect_stack *stack, bool *left)
{
	size_t i = stack->count;

	for (size_t k = stack->count; k-- > 0;)
		if (trampoline_is_called(&stack->items[k], t->engine->start))
			return k;
	*left = true;
	while (i > 0 && is_libc(&stack->items[i - 1]))
		i--;
	/* with more calls of libc than usual, the start routine has returned and destructors run */
	return i && stack->count - i <= 2 ? i - 1 : stack->count;
}

/* ---- does it call through a pointer? ------------------------------------------------------------- */

/* `call` is the caller; decided by the instruction before the return address. */
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
	memcpy(&offset, bytes + 2,
	       sizeof(offset)); /* call *slot(%rip), as compiled without a PLT */
	slot = behind + (uint64_t)(int64_t)offset;
	return module_got_name(call->frame.module, slot - call->frame.bias) != NULL;
}

/* Does this code call or jump through a pointer? The linker's slots count, too. */
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

/* For most threads the code of the start routine decides, without looking at their calls. */
static bool may_be_trampoline(const struct run_thread *t)
{
	bool known = false;

	array_each(const struct image, image, &t->process->images) {
		uint64_t offset, size;

		if (module_symbol(image->module, t->engine->start, &offset, &size) < 0)
			continue;
		known = true;
		if (!size || size > MOST_CODE || image->module == t->process->loader ||
		    caller_is_system(image->module) || has_pointer(image->module, offset, size))
			return true;
	}
	return !known;
}

/* ---- what it runs -------------------------------------------------------------------------------- */

static bool trampoline_same_file(const struct inspect_call *a, const struct inspect_call *b)
{
	return a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* The tester's first call further in than `i`, outside of this file. stack.count: none. */
static size_t next_own(const struct waiter *w, const struct inspect_stack *stack, size_t i,
		       const struct inspect_call *but)
{
	while (i-- > 0) {
		const struct inspect_call *call = &stack->items[i];

		if (caller_is_own(w, call) && call->function &&
		    !(but && trampoline_same_file(but, call)))
			return i;
	}
	return stack->count;
}

static void know(struct run_thread *t, const char *runs)
{
	to_note(t)->runs = runs;
	to_note(t)->known = true;
}

/* The tester's own start routine is a trampoline if it calls into another file through a
   pointer. */
static void see_own(struct run_thread *t, const struct waiter *w, const struct inspect_stack *stack,
		    size_t start)
{
	size_t i = next_own(w, stack, start, &stack->items[start]);
	const struct inspect_call *call;

	if (i == stack->count)
		return;
	call = &stack->items[i];
	if (call->inlined || calls_by_name(t->process, call + 1))
		know(t, NULL);
	else
		know(t, call->function);
}

static void see_library(struct run_thread *t, const struct waiter *w,
			const struct inspect_stack *stack, size_t start)
{
	size_t i = next_own(w, stack, start, NULL);

	to_note(t)->from_library = true;
	if (i < stack->count)
		know(t, stack->items[i].function);
}

void trampoline_see(struct run_thread *t, const struct inspect_stack *stack)
{
	struct waiter w = {.thread = t};
	bool left = false;
	size_t start;

	if (to_note(t)->known || stack->cut || !stack->count || !t->engine->start ||
	    t->engine->tid == t->process->pid)
		return;
	start = find_start(t, stack, &left);
	if (start == stack->count)
		return;
	if (is_cxx(&stack->items[start]))
		know(t, NULL);
	else if (left && caller_is_own(&w, &stack->items[start]))
		know(t, stack->items[start].function);
	else if (caller_is_own(&w, &stack->items[start]) && stack->items[start].file)
		see_own(t, &w, stack, start);
	else
		see_library(t, &w, stack, start);
}

static const char *runs(struct run *s, struct run_thread *t)
{
	const struct engine_thread *engine = t->engine;
	struct inspect_stack stack = {0};
	struct dwarf_frame first;
	struct arch_regs regs;

	(void)s;
	if (to_note(t)->known || !t->tracee || t->tracee->state == TRACEE_RUNNING ||
	    to_note(t)->looks >= LOOKS_MOST)
		return to_note(t)->runs;
	if (!to_note(t)->looks++ && (engine->tid == t->process->pid || !may_be_trampoline(t))) {
		know(t, NULL);
		return NULL;
	}
	if (tracee_regs(t->tracee, &regs) < 0)
		return to_note(t)->runs;
	dwarf_frame_first(&t->process->program, t, &regs, &first);
	inspect_stack(&first, 0, MOST_CALLS, &stack);
	trampoline_see(t, &stack);
	inspect_stack_fini(&stack);
	return to_note(t)->runs;
}

/* A thread that was not given a name has its process's. */
static bool has_name(const struct run_thread *t)
{
	array_each(struct run_thread *, other, &t->process->run->threads)
		if ((*other)->process == t->process && (*other)->engine->tid == t->process->pid &&
		    strcmp((*other)->comm, t->comm) == 0)
			return false;
	return *t->comm;
}

void trampoline_describe(const struct run_thread *t, struct str *out)
{
	if (to_note(t)->runs)
		str_addf(out, " (%s)", to_note(t)->runs);
	else if (to_note(t)->from_library && has_name(t))
		str_addf(out, " (named %s)", t->comm);
}

extern const struct observer trampoline_observer;
const struct observer trampoline_observer = {.runs = runs};
