/* Traps where schedules begin: at main, or at the places that the user gave. */
#include "tracer/sched/sched_internal.h"
#include "tracer/elf/module.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"

#include <string.h>

enum { START_CODE = 128, FIRST_ARGUMENT = 5 /* DWARF number of rdi */ };

struct run_thread *scheduler_arrived(const struct run *s)
{
	const struct scheduler *c = scheduler_of(s);

	return c ? c->arrived : NULL;
}

static enum hit_answer hit_start(struct run *s, const struct act *a, const struct hit *h)
{
	struct scheduler *c = scheduler_of(s);

	(void)a;
	if (!c || c->begun || run_process_of(h->thread) != run_root(s))
		return HIT_SEEN;
	c->arrived = h->thread;
	if (!(run_options(s)->sched->flags & SCHED_KEEPS))
		scheduler_begin(s, h->thread);
	else
		return HIT_TAKEN;
	sched_thread_of(h->thread)->at_point = true;
	return HIT_SEEN;
}

static const struct site_owner start_owner = {.no_registers = true, .hit = hit_start};

/* ---- a program without a symbol for main ------------------------------------------------- */

/* Handles the call of __libc_start_main(main, ...). Schedules begin here if the first argument
   is not code of the program. */
static enum hit_answer hit_libc_start(struct run *s, const struct act *a, const struct hit *h)
{
	struct run_process *p = run_process_of(h->thread);
	const struct image *exe = &run_process_images(p)->items[0];
	uint64_t main = h->regs.dwarf[FIRST_ARGUMENT];

	if (p != run_root(s) || !module_is_code(exe->module, main - exe->bias))
		return hit_start(s, a, h);
	sched_trap(&(struct sched_image){s, p, run_thread_tracee(h->thread), NULL}, main,
		   &start_owner, 0);
	return HIT_SEEN;
}

static const struct site_owner libc_start_owner = {.hit = hit_libc_start};

/* Sets a trap at the first call after the entry point, or at the entry point if no call follows. */
static void put_entry(const struct sched_image *x)
{
	const struct run_process *p = x->process;
	uint64_t entry = module_entry(run_process_exe(p)),
		 bias = run_process_images(p)->items[0].bias;
	uint8_t code[START_CODE];
	size_t n = module_bytes(run_process_exe(p), entry, code, sizeof(code));
	struct arch_insn insn;

	for (size_t at = 0; at < n; at += insn.length) {
		if (arch_decode(code + at, n - at, entry + at, &insn) < 0)
			break;
		if (insn.flow == ARCH_FLOW_CALL || insn.flow == ARCH_FLOW_CALL_INDIRECT) {
			sched_trap(x, bias + entry + at, &libc_start_owner, 0);
			return;
		}
	}
	sched_trap(x, bias + entry, &start_owner, 0);
}

/* ---- setting traps ----------------------------------------------------------------------- */

void starts_settled(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	const struct sched_image x = {s, p, t, NULL};
	const struct sched *g = run_options(s)->sched;
	uint64_t offset;

	if (p != run_root(s))
		return;
	array_each(const struct sched_chosen, start, &g->starts)
		array_each(const struct image, image, run_process_images(p))
			if (strcmp(start->module, module_name(image->module)) == 0)
				sched_trap(&x, image->bias + start->offset, &start_owner, 0);
	if (g->starts.count)
		return;
	if (module_symbol(run_process_exe(p), "main", &offset, NULL) == 0)
		sched_trap(&x, run_process_images(p)->items[0].bias + offset, &start_owner, 0);
	else
		put_entry(&x);
}
