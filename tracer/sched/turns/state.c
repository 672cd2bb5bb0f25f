/* Data of a run and of its threads, the next action of a thread, and traps at which threads
   stop. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/turns/rounds.h"
#include "tracer/run/run.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <string.h>

/* ---- state ------------------------------------------------------------------------------- */

static void turns_fini(void *what)
{
	struct scheduler *c = what;

	if (c->given)
		c->given->now = NULL;
	array_fini(&c->threads);
	array_each(struct sched_timer *, timer, &c->timers)
		base_free(*timer);
	array_fini(&c->timers);
	array_fini(&c->points);
	array_fini(&c->at);
	array_fini(&c->shared);
	str_fini(&c->out);
	str_fini(&c->err);
	array_fini(&c->bases);
	rounds_fini(c);
	table_fini(&c->named);
	table_fini(&c->kinds);
}

static const struct keeper run_keeper = {sizeof(struct scheduler), turns_fini};
static const struct keeper thread_keeper = {sizeof(struct sched_thread), NULL};

struct scheduler *scheduler_of(const struct run *s)
{
	return kept_of(run_kept(s), &run_keeper);
}

struct scheduler *scheduler_keep(struct run *s)
{
	return kept_make(run_kept(s), &run_keeper);
}

struct sched_thread *sched_thread_of(const struct run_thread *t)
{
	return kept_make(run_thread_kept(t), &thread_keeper);
}

static void forget_point(struct sched_thread *t)
{
	t->known = 0;
}

void sched_thread_ready(struct sched_thread *t, const struct strategy_point *p)
{
	t->point = *p;
	t->point.thread = t->number;
	t->state = THREAD_READY;
	t->timed = false;
	t->next = NEXT_RESUMES;
	forget_point(t);
}

void sched_thread_goes(struct sched_thread *t)
{
	struct run_thread *thread = t->thread;

	t->state = THREAD_RUNS;
	tracee_resume(run_tracee(run_of(run_process_of(thread))), run_thread_tracee(thread));
}

void sched_thread_answer(struct sched_thread *t, int64_t result)
{
	tracee_answer(run_thread_tracee(t->thread), result);
	sched_thread_goes(t);
}

void sched_thread_answered(struct sched_thread *t, int64_t result)
{
	t->next = NEXT_ANSWERS;
	t->signalled = false;
	forget_point(t);
	t->result = result;
	t->state = THREAD_READY;
	t->timed = false;
}

/* ---- traps ------------------------------------------------------------------------------- */

/* DWARF's numbers (psABI of x86-64): rdi rsi rdx rcx r8 r9. */
static const unsigned arguments[] = {5, 4, 1, 2, 8, 9};

uint64_t entry_argument(const struct hit *h, unsigned i)
{
	return h->regs.dwarf[arguments[i]];
}

struct sched_thread *sched_hit(struct run *s, const struct hit *h, struct scheduler **c)
{
	struct sched_thread *t = sched_thread_of(h->thread);

	*c = scheduler_of(s);
	return *c && (*c)->begun && !(*c)->over && t->thread ? t : NULL;
}

void sched_arrive(struct sched_thread *t, const struct strategy_point *p, const char *function)
{
	t->point = *p;
	t->function = function;
	t->forks = false;
	t->update.step = UPDATE_NONE;
	t->at_point = true;
}

bool sched_trap(const struct sched_image *x, uint64_t address, const struct site_owner *owner,
		unsigned what)
{
	const struct act act = {.owner = owner, .what = what};
	ERROR(ignored);
	struct site_use *use = sites_use(x->run, x->process, x->thread, address, NULL, &ignored);

	if (use && !sites_has(use, &act))
		sites_act(use, &act);
	return use;
}

struct functions_visit {
	const struct sched_image *x;
	const struct sched_functions *functions;
};

static const char *function_name(const struct sched_functions *f, unsigned i)
{
	return *(const char *const *)((const char *)f->rows + i * f->size);
}

static void put_named(void *ctx, const char *name, uint64_t offset)
{
	const struct functions_visit *v = ctx;

	for (unsigned i = 0; offset && i < v->functions->count; i++) {
		const char *own = function_name(v->functions, i);

		/* the first character decides for most of libc's thousands of names */
		if (*own == *name && strcmp(own, name) == 0)
			v->functions->put(v->x, i, offset);
	}
}

void sched_put_functions(const struct sched_image *x, const struct sched_functions *f)
{
	struct functions_visit v = {x, f};
	uint64_t offset;

	if (run_process_loader(x->process)) {
		module_each_dynamic(x->image->module, put_named, &v);
		return;
	}
	for (unsigned i = 0; i < f->count; i++)
		if (module_symbol(x->image->module, function_name(f, i), &offset, NULL) == 0)
			f->put(x, i, offset);
}
