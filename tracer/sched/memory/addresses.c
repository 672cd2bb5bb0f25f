/* Addresses of the program in schedules: code and static memory by module and offset, other
   memory by name. README.md gives the reason. */
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/tracee/threads/threads.h"

#include <string.h>

enum {
	/* Bytes below the stack pointer that a function may use (System V ABI 3.2.2). */
	RED_ZONE = 128
};

/* ---- numbers ----------------------------------------------------------------------------- */

void addresses_begin(struct scheduler *c)
{
	array_each(const struct sched_module, m, &c->given->modules)
		schedule_module(&c->given->schedule, module_name(m->module));
}

static uint64_t first_of(struct sched *g, const struct module *module)
{
	array_each(const struct sched_module, m, &g->modules)
		if (m->module == module)
			return m->first;
	*array_add(&g->modules) =
		(struct sched_module){module, address_of_module(module_name(module))};
	schedule_module(&g->schedule, module_name(module));
	return g->modules.items[g->modules.count - 1].first;
}

/* Numbers code outside of listed modules: the vdso, the loader of a program that has just begun,
   code made at run time. */
static uint64_t number_unlisted(struct sched *g, struct run_process *p, uint64_t address)
{
	struct tracee_mapping map;
	const char *name = "[code]";

	if (tracee_mapping_at(run_process_tracee(p), address, &map) < 0)
		return address_of(name, address);
	if (map.path[0])
		name = str_base_name(map.path);
	schedule_module(&g->schedule, name);
	return address_of(name, address - map.start + (map.path[0] == '/' ? map.offset : 0));
}

/* Returns 0 if no module contains the address. */
static uint64_t number_in_module(struct sched *g, struct run_process *p, uint64_t address)
{
	const struct image *image = images_at(p, address);

	return image ? first_of(g, image->module) | address_offset(address - image->bias) : 0;
}

uint64_t addresses_number(struct sched *g, struct run_process *p, uint64_t address)
{
	uint64_t number = address ? number_in_module(g, p, address) : 0;

	return number || !address ? number : number_unlisted(g, p, address);
}

void addresses_of_point(struct scheduler *c, struct sched_thread *t)
{
	uint64_t object = t->point.object;
	struct run_process *p;

	if (t->known & POINT_PLACED)
		return;
	p = run_process_of(t->thread);
	t->place = addresses_number(c->given, p, t->point.place);
	t->fixed = object == STRATEGY_ANY_OBJECT || object == STRATEGY_NO_OBJECT
			   ? 0
			   : number_in_module(c->given, p, object);
	t->known |= POINT_PLACED;
}

/* ---- names ------------------------------------------------------------------------------- */

/* Records the FS base, where the C library has the thread's descriptor and the word of its join. */
void addresses_thread(struct scheduler *c, struct sched_thread *t)
{
	bool describes = c->given->flags & SCHED_DESCRIBES;
	struct arch_regs regs;

	if (!(describes || strategy_asks_acquires(c->given->strategy)) ||
	    tracee_regs(run_thread_tracee(t->thread), &regs) < 0)
		return;
	t->base = regs.fs_base;
	if (!describes)
		return;
	*array_add(&c->bases) =
		(struct thread_base){run_process_of(t->thread), regs.fs_base, t->listed};
}

static const char *id_of(const struct scheduler *c, unsigned listed)
{
	return c->given->schedule.threads.items[listed];
}

/* Returns the youngest thread whose descriptor is at the object, since stacks are reused after a
   thread's exit. */
static const struct thread_base *base_at(const struct scheduler *c, const struct sched_thread *t)
{
	for (size_t i = c->bases.count; i-- > 0;)
		if (c->bases.items[i].process == run_process_of(t->thread) &&
		    c->bases.items[i].address == t->point.object)
			return &c->bases.items[i];
	return NULL;
}

/* glibc and musl put a thread's descriptor at the upper end of its stack. The first thread's
   stack is above all other memory. */
static bool is_on_stack_of(const struct thread_base *b, const struct sched_thread *other,
			   uint64_t object)
{
	bool is_first = run_thread_tracee(other->thread)->tid == run_process_pid(b->process);
	struct arch_regs regs;

	return tracee_regs(run_thread_tracee(other->thread), &regs) == 0 &&
	       object >= regs.dwarf[ARCH_DWARF_SP] - RED_ZONE && (is_first || object < b->address);
}

static const struct sched_thread *stack_owner(const struct scheduler *c,
					      const struct sched_thread *t)
{
	array_each(struct sched_thread *, other, &c->threads)
		array_each(const struct thread_base, b, &c->bases)
			if (b->listed == (*other)->listed &&
			    b->process == run_process_of(t->thread) &&
			    is_on_stack_of(b, *other, t->point.object))
				return *other;
	return NULL;
}

/* Returns a name such as "memory:3", for the third object of its kind in the schedule. */
static const char *name_next(struct scheduler *c, uint64_t object, const char *kind)
{
	uint64_t hash = hash_text(HASH_START, kind);
	uint64_t *number = table_at(&c->named, table_mix(object, hash));
	STR(name);
	const char *text;

	if (!*number) {
		uint64_t *count = table_at(&c->kinds, table_mix(hash, 0));

		*number = ++*count;
	}
	str_addf(&name, "%s:%llu", kind, (unsigned long long)*number);
	text = schedule_text(&c->given->schedule, str_text(&name));
	return text;
}

const char *addresses_memory(struct scheduler *c, struct sched_thread *t)
{
	uint64_t object = t->point.object;
	const struct thread_base *thread;
	const struct sched_thread *owner;
	STR(kind);
	const char *name;

	if (t->fixed || object == STRATEGY_NO_OBJECT || object == STRATEGY_ANY_OBJECT)
		return NULL;
	thread = base_at(c, t);
	owner = thread ? NULL : stack_owner(c, t);
	if (thread)
		str_addf(&kind, "thread:%s", id_of(c, thread->listed));
	else if (owner)
		str_addf(&kind, "stack:%s", id_of(c, owner->listed));
	name = thread ? schedule_text(&c->given->schedule, str_text(&kind))
		      : name_next(c, object, owner ? str_text(&kind) : "memory");
	return name;
}
