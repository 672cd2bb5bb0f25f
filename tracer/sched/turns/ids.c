/*
 * Ids of threads and processes are the kernel's, and others in each run. A program that asks for its own may do
 * something else then; what a C library of its own file does with them makes no difference.
 */
#include "tracer/sched/sched_internal.h"
#include "tracer/elf/module_tables.h"
#include "tracer/run/modules/images.h"

#include <string.h>
#include <sys/syscall.h>

/* The function that makes the call does nothing else: its return address is the last word of the stack. */
static bool ids_is_wrapper(struct run_process *p, uint64_t pc)
{
	static const char *const names[] = {"getpid", "__getpid", "gettid", "__gettid", "syscall"};
	const struct image *image = images_at(p, pc);
	const struct elf_symbol *symbol =
		image ? module_symbol_at(image->module, pc - image->bias, true) : NULL;

	for (size_t i = 0; symbol && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(symbol->name, names[i]) == 0)
			return true;
	return false;
}

static bool own_code_asks(const struct sched_thread *t)
{
	struct run_process *p = t->thread->process;
	uint64_t back;

	return ids_is_wrapper(p, t->call.pc) &&
	       tracee_read(p->tracee, t->call.sp, &back, sizeof(back)) == 0 &&
	       !scheduler_is_runtime(p, back);
}

bool ids_call(struct scheduler *c, struct sched_thread *t)
{
	if (t->call.number != SYS_gettid && t->call.number != SYS_getpid)
		return false;
	if (!(c->given->seen & SCHED_ASKS_IDS) && own_code_asks(t))
		c->given->seen |= SCHED_ASKS_IDS;
	sched_thread_goes(t);
	return true;
}
