/* Spurious wake-ups: a wait for a condition variable returns 0 without a signal (POSIX.1-2017,
   pthread_cond_wait), and so does a futex wait of the program's own (futex(2)). A C library looks
   again at the condition's words after any wake-up, but it leaves a wait that has timed out, and
   counts the waiters right then: the call ends by a time-out, and the function's result is
   replaced. */
#include "tracer/sched/sched_internal.h"
#include "tracer/elf/module.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/tracee.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static enum hit_answer hit_back(struct run *s, const struct act *a, const struct hit *h)
{
	const uint64_t none = 0;
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);

	(void)a;
	if (!t || t->spurious_sp != h->regs.dwarf[ARCH_DWARF_SP])
		return HIT_SEEN;
	t->spurious_sp = 0;
	tracee_set_register(run_thread_tracee(h->thread), ARCH_DWARF_RESULT, &none, sizeof(none));
	return HIT_SEEN;
}

/* `ends`: the result is replaced before other owners read it. */
static const struct site_owner back_owner = {.ends = true, .hit = hit_back};

/* In the condition wait, not in its wait for the mutex. */
static bool waits_for_condition(const struct sched_thread *t)
{
	return t->point.op == STRATEGY_WAIT && t->point.object == STRATEGY_ANY_OBJECT &&
	       t->call.args[0] - t->objects[1] >= sizeof(pthread_mutex_t);
}

/* In syscall(2), which the program's own code has called: it has no frame, so the return address is
   where it was at its entry. */
static bool waits_for_futex(const struct sched_thread *t)
{
	struct run_process *p = run_process_of(t->thread);
	const struct image *image = images_at(p, t->call.pc);
	const struct elf_symbol *symbol;
	uint64_t back;

	if (t->call.sp != t->entry_sp || !image)
		return false;
	symbol = module_symbol_at(image->module, t->call.pc - image->bias, true);
	return symbol && strcmp(symbol->name, "syscall") == 0 &&
	       tracee_read(run_process_tracee(p), t->call.sp, &back, sizeof(back)) == 0 &&
	       !scheduler_is_runtime(p, back);
}

static bool may_return(const struct sched_thread *t)
{
	return t->state == THREAD_FUTEX && t->waits == FUTEX_FOR_WAKE && !t->signalled &&
	       (t->function ? waits_for_condition(t) : waits_for_futex(t));
}

void spurious_offer(struct scheduler *c)
{
	if (c->spurious >= c->given->spurious || !c->points.count)
		return;
	array_each(struct sched_thread *, t, &c->threads)
		if (may_return(*t))
			scheduler_offer(c, *t, STRATEGY_SPURIOUS);
}

void spurious_return(struct scheduler *c, struct sched_thread *t)
{
	const struct sched_image x = {c->run, run_process_of(t->thread),
				      run_thread_tracee(t->thread), NULL};
	bool condition = t->function;

	c->spurious++;
	if (condition && sched_trap(&x, t->point.place, &back_owner, 0))
		t->spurious_sp = t->entry_sp + sizeof(uint64_t);
	sched_thread_answered(t, condition ? -ETIMEDOUT : 0);
}
