/* Reports the run's memory accesses and synchronising calls to the search for races. One thread
   runs at a time, so their order is known. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/tracee/threads/threads.h"

#include <string.h>

enum {
	KERNEL = 1, /* object that all calls through the kernel synchronise on */
	/* object of exits in a process: the thread that survives an exec is ordered after them */
	ENDS = 2,
	PROCESS_SHIFT = 48 /* distinguishes private memory of processes by their ids */
};

static struct races *races_of(const struct scheduler *c)
{
	return c->given->races;
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Records spans that the child shares with its parent, at equal addresses since the fork. */
void watch_fork(struct scheduler *c, const struct run_thread *parent)
{
	struct tracee_mapping map = {0};

	if (!races_of(c))
		return;
	c->processes++;
	c->shared.count = 0;
	while (tracee_mapping_above(run_process_tracee(run_process_of(parent)), map.end, &map) == 0)
		if (map.shared && map.writable)
			*array_add(&c->shared) =
				(struct shared_span){map.start, map.end - map.start};
}

static bool watch_is_shared(const struct scheduler *c, uint64_t address)
{
	array_each(const struct shared_span, span, &c->shared)
		if (address - span->low < span->size)
			return true;
	return false;
}

static uint64_t watch_address_of(const struct scheduler *c, const struct sched_thread *t,
				 uint64_t address)
{
	const struct run_process *p = run_process_of(t->thread);

	if (p == run_root(c->run) || !c->processes)
		return address;
	if (watch_is_shared(c, address))
		return address;
	return address ^ (uint64_t)run_process_pid(p) << PROCESS_SHIFT;
}

/* Records the overwritten value, which another order would have read. */
static void note_written(struct scheduler *c, const struct sched_thread *t,
			 const struct arch_access *a)
{
	struct overwritten *w = &c->written[(a->address >> 2) % WRITTEN];

	*w = (struct overwritten){a->address, 0};
	if (a->size > sizeof(w->value) ||
	    run_thread_read(t->thread, a->address, &w->value, a->size) < 0)
		w->address = 0;
}

static void watch_tell(struct scheduler *c, struct sched_thread *t, const struct arch_access *a,
		       size_t known)
{
	size_t count;
	const struct races_pair *pairs = races_pairs(races_of(c), &count);

	for (size_t i = known; i < count; i++)
		race_told(c, t, a, &pairs[i]);
}

static void memory_watch_look(struct scheduler *c, struct sched_thread *t,
			      const struct arch_access *a, const struct races_access *told)
{
	size_t known;

	races_pairs(races_of(c), &known);
	races_access(races_of(c), t->number, told);
	watch_tell(c, t, a, known);
	if (a->writes)
		note_written(c, t, a);
}

void watch_accesses(struct scheduler *c, struct sched_thread *t)
{
	const uint32_t place =
		races_of(c) && t->access_count ? callers_place(c, t, t->accesses_index) : 0;

	for (size_t i = 0; races_of(c) && i < t->access_count; i++) {
		const struct arch_access *a = &t->accesses[i];
		const struct races_access told = {
			.address = watch_address_of(c, t, a->address),
			.size = a->size,
			.writes = a->writes,
			.atomic = c->given->accesses.items[t->accesses_index].what.atomic,
			.place = place,
		};

		memory_watch_look(c, t, a, &told);
	}
	t->access_count = 0;
}

void watch_freed(struct scheduler *c, struct sched_thread *t, const struct watch_freed *f)
{
	const uint64_t low = watch_address_of(c, t, f->low);
	const struct races_pair *pairs;
	struct arch_access a = {0};
	size_t known, count;

	if (!f->races) {
		if (!watch_is_shared(c, f->low)) /* other processes still map it */
			races_forget(races_of(c), low, f->size);
		return;
	}
	races_pairs(races_of(c), &known);
	races_give_back(races_of(c), t->number, low, f->size, f->place);
	pairs = races_pairs(races_of(c), &count);
	if (count > known)
		a.address = f->block + ((pairs[known].address - low) << f->shift);
	watch_tell(c, t, &a, known);
	if (!f->keeps)
		races_forget(races_of(c), low, f->size);
}

bool watch_is_given(const struct scheduler *c, const struct sched_thread *t, uint64_t address)
{
	return races_is_given_back(races_of(c), watch_address_of(c, t, address));
}

bool watch_has_given(const struct scheduler *c)
{
	return races_have_given_back(races_of(c));
}

void watch_taken_any(struct scheduler *c)
{
	races_forget_given_back(races_of(c));
}

void watch_wake(struct scheduler *c, const struct sched_thread *t, uint64_t word)
{
	if (races_of(c))
		races_sync(races_of(c), t->number, word);
}

/* ---- threads and the objects that they synchronise on ------------------------------------ */

void watch_begin(struct scheduler *c)
{
	if (races_of(c))
		races_restart(races_of(c));
}

/* Limits the mapping to one stack: glibc 2.42 puts stacks into one mapping without guard
   mappings between them. A stack ends with the page of its thread's control block. */
static void narrow_to_stack(const struct run *s, const struct run_thread *own, uint64_t sp,
			    struct tracee_mapping *map)
{
	const uint64_t page = 4096;

	run_each_thread(t, s) {
		uint64_t block = run_thread_block(t), end = (block / page + 1) * page;

		if (run_process_of(t) != run_process_of(own) || block < map->start ||
		    block >= map->end)
			continue;
		if (t == own && block >= sp)
			map->end = end;
		else if (end <= sp)
			map->start = end;
	}
}

/* Forgets accesses to the new thread's stack. libc reuses the stack of an exited thread without
   visible synchronisation. Stacks that the program allocated are ordinary memory. */
static void forget_stack(struct scheduler *c, const struct sched_thread *t)
{
	struct run_process *p = run_process_of(t->thread);
	struct tracee_mapping map;
	struct arch_regs regs;
	uint64_t sp;

	if (tracee_regs(run_thread_tracee(t->thread), &regs) < 0)
		return;
	sp = regs.dwarf[ARCH_DWARF_SP];
	if (tracee_mapping_at(run_process_tracee(p), sp, &map) < 0 || map.path[0] ||
	    images_at(p, sp))
		return;
	narrow_to_stack(c->run, t->thread, sp, &map);
	races_forget(races_of(c), watch_address_of(c, t, map.start), map.end - map.start);
}

void watch_thread(struct scheduler *c, const struct sched_thread *t,
		  const struct sched_thread *maker)
{
	if (!races_of(c))
		return;
	races_thread_begin(races_of(c), t->number, maker ? maker->number : RACES_NOBODY);
	if (maker && maker->thread && run_process_of(maker->thread) == run_process_of(t->thread))
		forget_stack(c, t);
}

static uint64_t ends_of(const struct sched_thread *t)
{
	return ENDS ^ (uint64_t)run_process_pid(run_process_of(t->thread)) << PROCESS_SHIFT;
}

void watch_end(struct scheduler *c, const struct sched_thread *t)
{
	if (!races_of(c))
		return;
	races_thread_end(races_of(c), t->number);
	races_sync(races_of(c), t->number, ends_of(t));
	/* The process exits, perhaps by a fault: wait4() of the parent returns afterwards. */
	if (t->next != NEXT_END)
		races_sync(races_of(c), t->number, KERNEL);
}

void watch_exec(struct scheduler *c, const struct sched_thread *t)
{
	watch_end(c, t);
	if (races_of(c))
		races_point(races_of(c), t->number);
}

void watch_own_code(struct scheduler *c, struct sched_thread *t)
{
	if (!races_of(c))
		return;
	race_made(c, t);
	races_point(races_of(c), t->number);
	if (t->locking)
		races_lock(races_of(c), t->number, t->locking);
	t->locking = 0;
}

/* True if the thread holds the lock when its call returns, whatever the result. */
static bool locks_for_sure(const struct sched_thread *t)
{
	return t->function && strstr(t->function, "lock") && !strstr(t->function, "try") &&
	       !strstr(t->function, "timed") && !strstr(t->function, "clocklock") &&
	       !strstr(t->function, "_test_");
}

static void synchronise(struct scheduler *c, struct sched_thread *t, uint64_t object)
{
	if (object == STRATEGY_NO_OBJECT)
		return;
	if (object != STRATEGY_ANY_OBJECT) {
		races_sync(races_of(c), t->number, object);
		return;
	}
	races_sync(races_of(c), t->number, t->objects[0] ? t->objects[0] : KERNEL);
	if (t->objects[1])
		races_sync(races_of(c), t->number, t->objects[1]);
}

void watch_step(struct scheduler *c, struct sched_thread *t, const struct strategy_point *p)
{
	if (!races_of(c))
		return;
	switch (p->op) {
	case STRATEGY_LOCK:
		synchronise(c, t, p->object);
		if (locks_for_sure(t))
			t->locking = p->object;
		break;
	case STRATEGY_UNLOCK:
		races_unlock(races_of(c), t->number, p->object);
		synchronise(c, t, p->object);
		break;
	case STRATEGY_END:
		races_thread_end(races_of(c), t->number);
		synchronise(c, t, p->object);
		break;
	case STRATEGY_WAIT:
	case STRATEGY_SIGNAL:
	case STRATEGY_BLOCK:
		if (!(t->function && t->forks)) /* no thread waits for a fork */
			synchronise(c, t, p->object);
		break;
	case STRATEGY_READ:
	case STRATEGY_WRITE:
	case STRATEGY_ATOMIC:
		if (t->update.step != UPDATE_LOADS) /* an update is one access, its store */
			watch_accesses(c, t);
		break;
	case STRATEGY_START:
	case STRATEGY_CREATE:
	case STRATEGY_LINE:
	case STRATEGY_YIELD:
	case STRATEGY_TIMEOUT:
	case STRATEGY_WAKE:
	case STRATEGY_SPURIOUS:
		break;
	}
}
