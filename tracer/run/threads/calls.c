/* Reads the call frames of stopped threads, and writes them as text. */
#include "tracer/run/run_internal.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/modules/images.h"
#include "tracer/source/names/names.h"

#include "tracer/base/files/path.h"
#include "tracer/tracee/threads/threads.h"

static bool is_code(struct run_process *p, uint64_t address)
{
	struct tracee_mapping map;

	return tracee_mapping_at(p->tracee, address, &map) == 0 && map.executable;
}

/* A frame whose pc is at no code has executed nothing: the return address is on top of the stack.
   After a wrong jump or return the top does not point to code. */
static bool find_caller(struct run_thread *t, struct arch_regs *regs)
{
	struct run_process *p = t->process;
	uint64_t *sp = &regs->dwarf[ARCH_DWARF_SP], *pc = &regs->dwarf[ARCH_DWARF_PC];

	if (tracee_read(p->tracee, *sp, pc, sizeof(*pc)) < 0 || !is_code(p, *pc))
		return false;
	*sp += sizeof(*pc);
	return true;
}

static void add_astray(struct run_thread *t, struct arch_regs *regs, uint64_t scope, size_t most,
		       struct inspect_stack *out)
{
	struct inspect_call astray = {
		.frame = {.program = &t->process->program,
			  .thread = t,
			  .pc = regs->dwarf[ARCH_DWARF_PC],
			  .lookup_pc = regs->dwarf[ARCH_DWARF_PC]},
	};
	struct inspect_stack rest = {0};
	struct dwarf_frame first;

	*array_add(out) = astray;
	if (!find_caller(t, regs)) {
		out->cut = true;
		return;
	}
	dwarf_frame_first(&t->process->program, t, regs, &first);
	first.lookup_pc = first.pc - 1;
	inspect_stack(&first, scope, most - 1, &rest);
	array_each(struct inspect_call, call, &rest) {
		call->frame.level++;
		*array_add(out) = *call;
	}
	out->cut = rest.cut;
	inspect_stack_fini(&rest);
}

/* A jump to its place changes only the pc: the frame is the same at the target. */
static void follow_jump(const struct run_thread *t, struct arch_regs *regs)
{
	uint64_t *pc = &regs->dwarf[ARCH_DWARF_PC], to;

	if (images_jump(t->process->tracee, *pc, regs, &to))
		*pc = to;
}

int calls_read(struct run_thread *t, uint64_t scope, size_t most, struct inspect_stack *out)
{
	struct dwarf_frame first;
	struct arch_regs regs;

	*out = (struct inspect_stack){0};
	if (!t->tracee || tracee_regs(t->tracee, &regs) < 0)
		return -1;
	if (t->crashes && most > 1 && !is_code(t->process, regs.dwarf[ARCH_DWARF_PC])) {
		add_astray(t, &regs, scope, most, out);
		return 0;
	}
	if (scope && t->at_return == SOURCE_JUMP)
		follow_jump(t, &regs);
	dwarf_frame_first(&t->process->program, t, &regs, &first);
	inspect_stack(&first, scope, most, out);
	return 0;
}

uint64_t calls_scope(const struct run_thread *t)
{
	return t->engine->held ? t->spot.scope : t->sent_scope;
}

void calls_place(const struct inspect_call *call, const char *arguments, struct str *out)
{
	if (call->function)
		names_brief(call->function, CALLS_NAME, out);
	else
		str_addf(out, "0x%016llx", (unsigned long long)call->frame.pc);
	if (arguments && (*arguments || call->line) && call->function && !call->frame.signal)
		str_addf(out, " (%s)", arguments);
	if (call->file && call->line)
		str_addf(out, " at %s:%u", path_shown(call->file), call->line);
	else if (call->frame.module)
		str_addf(out, " in %s", module_name(call->frame.module));
	if (call->inlined)
		str_add(out, " (inlined)");
}
