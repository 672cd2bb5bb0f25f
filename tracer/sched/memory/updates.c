/* Updates: an instruction such as addl $1, x loads and stores, and without a lock prefix other
   processors can store between. The load is a step that changes nothing. The instruction is
   executed at the second step, with the loaded value in memory again: it overwrites what other
   threads have stored. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/run.h"
#include "tracer/tracee/fastpath/fastpath.h"

void updates_arrive(struct sched_thread *t, const struct sched_access *access)
{
	t->update = (struct sched_update){
		.step = UPDATE_LOADS, .address = t->point.object, .size = access->size};
}

/* A step of a batch is recorded after the thread has made it; no other thread has moved. */
static bool is_made(const struct scheduler *c)
{
	return tracee_told(run_tracee(c->run));
}

static void write_operand(struct sched_thread *t, uint64_t value)
{
	struct sched_update *u = &t->update;

	run_thread_write(t->thread, u->address, &value, u->size);
}

/* Memory that cannot be read is no load: the instruction faults. */
static bool updates_load(const struct scheduler *c, struct sched_thread *t)
{
	struct sched_update *u = &t->update;

	if (!is_made(c) && run_thread_read(t->thread, u->address, &u->loaded, u->size) < 0) {
		u->step = UPDATE_NONE;
		return false;
	}
	u->step = UPDATE_STORES;
	t->point.op = STRATEGY_WRITE;
	t->point.writes = true;
	return true;
}

static void updates_store(const struct scheduler *c, struct sched_thread *t)
{
	struct sched_update *u = &t->update;

	u->step = UPDATE_NONE;
	if (is_made(c) || run_thread_read(t->thread, u->address, &u->found, u->size) < 0 ||
	    u->found == u->loaded)
		return;
	write_operand(t, u->loaded);
	u->step = UPDATE_RUNS;
}

bool updates_step(const struct scheduler *c, struct sched_thread *t)
{
	if (t->update.step == UPDATE_LOADS)
		return updates_load(c, t);
	if (t->update.step == UPDATE_STORES)
		updates_store(c, t);
	return false;
}

/* The handler runs before the instruction, which then loads and stores at once. */
void updates_signal(struct sched_thread *t)
{
	struct sched_update *u = &t->update;
	struct arch_regs regs;
	uint64_t now = 0;

	if (u->step != UPDATE_RUNS || tracee_regs(run_thread_tracee(t->thread), &regs) < 0)
		return;
	u->step = UPDATE_NONE;
	if (regs.dwarf[ARCH_DWARF_PC] == t->point.place &&
	    run_thread_read(t->thread, u->address, &now, u->size) == 0 && now == u->loaded)
		write_operand(t, u->found);
}
