/*
 * One thread is sent to a line: a location, the next statement of its function, or into a call. Traps
 * are set where it may get to and are taken away when it has, or when something else came first.
 */
#include "tracer/session/live/hooks.h"
#include "tracer/session/live/inside.h"

#include <string.h>

static struct live_sent *sent_of(struct session *s)
{
	return &s->live->sent;
}

static int put_stop(struct session *s, struct session_thread *t, uint64_t address,
		    enum live_reach reach, struct error *err)
{
	struct target_site *site;
	struct site_use *use = places_use(s, t->process, t->target, address, &site, err);

	if (!use)
		return -1;
	*array_add(&sent_of(s)->stops) = (struct live_stop){address, reach};
	array_each(const struct act, act, &use->acts)
		if (act->kind == ACT_STOP)
			return 0;
	places_act(use, &(struct act){.kind = ACT_STOP});
	*array_add(&sent_of(s)->placed) = (struct placed){t->process, site};
	return 0;
}

static void take_stop(struct placed *p)
{
	struct site_use *use = p->site->user;

	for (size_t i = use->acts.count; i-- > 0;)
		if (use->acts.items[i].kind == ACT_STOP)
			array_remove(&use->acts, i);
	if (!use->acts.count)
		target_site_remove(p->process->target, p->site);
}

/* Sites of a process that is gone, or of an image that it has left, are no more. */
void live_forget_stops(struct session *s)
{
	struct live_sent *sent = sent_of(s);

	array_each(struct placed, p, &sent->placed)
		if (p->process->target &&
		    target_site_find(p->process->target, p->site->addr) == p->site)
			take_stop(p);
	array_fini(&sent->placed);
	array_fini(&sent->stops);
	*sent = (struct live_sent){0};
}

/* ---- where it may get to -------------------------------------------------------------------- */

static uint64_t frame_at(struct session_thread *t, uint64_t address, const struct arch_regs *regs)
{
	const struct image *image = images_at(t->process, address);

	return images_frame(image ? image->module : NULL, image ? address - image->bias : 0, regs);
}

static bool statements_of(const struct symbols_call *call, struct symbols_statements *out)
{
	const struct symbols_frame *f = &call->frame;

	*out = (struct symbols_statements){0};
	return f->module && symbols_statements(f->module, f->look - f->bias, out);
}

/* The other statements of its function, and its own where a loop comes back to it. */
static int stop_in_own(struct session *s, struct session_thread *t, const struct symbols_call *here,
		       struct error *err)
{
	const struct symbols_frame *f = &here->frame;
	struct symbols_statements list;

	if (!statements_of(here, &list)) {
		error_set(err, ERROR_STATE, "%s is in code without line information",
			  t->engine->id);
		return error_hint(err, "`until %s LOCATION` takes it further", t->engine->id);
	}
	array_each(const struct symbols_statement, at, &list)
		if (at->line != here->line || at->offset + f->bias <= f->pc)
			put_stop(s, t, at->offset + f->bias, REACH_FRAME, err);
	array_fini(&list);
	return 0;
}

/* It may leave its function by its return, by an exception or by longjmp: then it is at the next
   statement of a function around it. */
static void stop_around(struct session *s, struct session_thread *t,
			const struct symbols_stack *calls)
{
	enum { MOST_AROUND = 16 };
	struct symbols_statements list;
	struct error ignored;

	for (size_t i = 1; i < calls->count && i < MOST_AROUND; i++) {
		const struct symbols_frame *f = &calls->items[i].frame;

		if (!live_is_own(t, &calls->items[i]) || calls->items[i].inlined)
			continue;
		put_stop(s, t, f->pc, REACH_AROUND, &ignored);
		if (!statements_of(&calls->items[i], &list))
			continue;
		array_each(const struct symbols_statement, at, &list)
			put_stop(s, t, at->offset + f->bias, REACH_AROUND, &ignored);
		array_fini(&list);
	}
}

/* ---- into calls ----------------------------------------------------------------------------- */

/* The second statement of a function is behind its prologue. What has no statements may be on the way
   to what has: a stub of the procedure linkage table. */
static void stop_in_function(struct session *s, struct session_thread *t, uint64_t address)
{
	const struct image *image = images_find(s, t->process, address);
	struct symbols_statements list;
	struct error ignored;

	if (!image)
		return;
	if (!symbols_statements(image->module, address - image->bias, &list)) {
		if (image->module == t->process->exe || module_has_debug(image->module))
			put_stop(s, t, address, REACH_CALL, &ignored);
		return;
	}
	put_stop(s, t, list.items[list.count > 1].offset + image->bias, REACH_ANY, &ignored);
	array_fini(&list);
}

/* Where calls and indirect jumps go is known when they are reached; direct calls tell it now. */
static void stop_at_calls(struct session *s, struct session_thread *t, uint64_t low, uint64_t high)
{
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn insn;
	struct error ignored;

	for (uint64_t at = low; at < high; at += insn.length) {
		if (target_read(t->process->target, at, bytes, sizeof(bytes)) < 0 ||
		    arch_decode(bytes, sizeof(bytes), at, &insn) < 0)
			return;
		if (insn.flow == ARCH_FLOW_CALL)
			stop_in_function(s, t, insn.target);
		else if (insn.flow == ARCH_FLOW_CALL_INDIRECT)
			put_stop(s, t, at, REACH_CALL, &ignored);
	}
}

/* The code of its statement: from where it is, and the other pieces of the same line. */
static void stop_at_own_calls(struct session *s, struct session_thread *t,
			      const struct symbols_call *here)
{
	uint64_t bias = here->frame.bias, pc = here->frame.pc;
	struct symbols_statements list;

	if (!statements_of(here, &list))
		return;
	for (size_t i = 0; i < list.count; i++) {
		uint64_t low = list.items[i].offset + bias, high;

		if (list.items[i].line != here->line || i + 1 == list.count)
			continue;
		high = list.items[i + 1].offset + bias;
		if (high > low)
			stop_at_calls(s, t, pc >= low && pc < high ? pc : low, high);
	}
	array_fini(&list);
}

int live_line_step(struct live *l, const char *thread, enum live_way way, struct error *err)
{
	struct session_thread *t = live_thread(l, thread, err);
	struct symbols_stack calls = {0};
	struct live_sent *sent = &l->sent;
	int result = -1;

	if (t && l->state == LIVE_READY) /* the loader's code is nobody's */
		return live_until(l, thread, "main", err);
	if (!t || live_calls(t, &calls, err) < 0)
		return -1;
	live_forget_stops(&l->session);
	sent->thread = t;
	if (symbols_frame_cfa(&calls.items[0].frame, &sent->frame, err) == 0)
		result = stop_in_own(&l->session, t, &calls.items[0], err);
	if (result == 0)
		stop_around(&l->session, t, &calls);
	if (result == 0 && way == LIVE_STEP)
		stop_at_own_calls(&l->session, t, &calls.items[0]);
	symbols_stack_fini(&calls);
	if (result == 0)
		result = live_release(l, thread, err);
	if (result < 0)
		live_forget_stops(&l->session);
	return result < 0 ? -1 : 0;
}

static int stop_at_location(struct live *l, struct session_thread *t, const char *location,
			    struct error *err)
{
	struct symbols_sites sites = {0};
	int result = live_resolve(l, t->process, location, &sites, err);

	array_each(const struct symbols_site, site, &sites)
		array_each(const struct image, image, &t->process->images)
			if (result == 0 && image->module == site->module)
				result = put_stop(&l->session, t, image->bias + site->offset,
						  REACH_ANY, err);
	symbols_sites_fini(&sites);
	return result;
}

int live_until(struct live *l, const char *thread, const char *location, struct error *err)
{
	struct session_thread *t = live_living(l, thread, err);
	int result;

	if (!t)
		return -1;
	live_forget_stops(&l->session);
	l->sent.thread = t;
	result = stop_at_location(l, t, location, err);
	if (result == 0)
		result = live_release(l, thread, err);
	if (result < 0)
		live_forget_stops(&l->session);
	return result < 0 ? -1 : 0;
}

/* ---- there ---------------------------------------------------------------------------------- */

struct slot_reader {
	struct session_thread *thread;
	uint64_t slot; /* what was read last */
};

static int read_slot(void *ctx, uint64_t addr, void *buf, size_t n)
{
	struct slot_reader *reader = ctx;

	reader->slot = addr;
	return target_read(reader->thread->process->target, addr, buf, n);
}

/* The loader has not looked for the function yet: it is looked for in the loader's order. */
static uint64_t of_slot(struct session_thread *t, uint64_t slot)
{
	const struct image *image = images_at(t->process, slot);
	const char *name = image ? symbols_slot_name(image->module, slot - image->bias) : NULL;
	uint64_t offset;

	array_each(const struct image, other, &t->process->images)
		if (name && module_symbol(other->module, name, &offset, NULL) == 0)
			return other->bias + offset;
	return 0;
}

/* A call or a jump on the way: now it can be told where it goes. */
static void follow(struct session *s, struct session_thread *t, uint64_t at,
		   const struct arch_regs *regs)
{
	struct slot_reader reader = {.thread = t};
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn insn;
	uint64_t to, named;

	for (int i = 0; i < 2; i++) { /* behind an endbr64, or behind the `sub` of a thunk */
		if (target_read(t->process->target, at, bytes, sizeof(bytes)) < 0 ||
		    arch_decode(bytes, sizeof(bytes), at, &insn) < 0)
			return;
		if (insn.flow != ARCH_FLOW_NEXT)
			break;
		at += insn.length;
	}
	if ((insn.flow != ARCH_FLOW_CALL_INDIRECT && insn.flow != ARCH_FLOW_JUMP_INDIRECT &&
	     insn.flow != ARCH_FLOW_JUMP) ||
	    arch_jump_target(bytes, sizeof(bytes), at, regs, read_slot, &reader, &to) < 0)
		return;
	named = reader.slot && insn.flow == ARCH_FLOW_JUMP_INDIRECT ? of_slot(t, reader.slot) : 0;
	stop_in_function(s, t, named ? named : to);
}

static bool reaches(const struct live_stop *stop, uint64_t at, uint64_t from)
{
	return stop->reach == REACH_ANY || (stop->reach == REACH_FRAME && (!from || at >= from)) ||
	       (stop->reach == REACH_AROUND && at > from);
}

/* In a call of its own function that lies further in it is not there yet. */
bool live_there(struct session *s, struct session_thread *t, const struct target_site *site,
		const struct arch_regs *regs)
{
	const struct live_sent *sent = sent_of(s);
	bool there = false, call = false;
	uint64_t frame;

	if (t != sent->thread)
		return false;
	frame = frame_at(t, site->addr, regs);
	array_each(const struct live_stop, stop, &sent->stops) {
		if (stop->address != site->addr)
			continue;
		there |= reaches(stop, frame, sent->frame);
		call |= stop->reach == REACH_CALL;
	}
	if (call && !there)
		follow(s, t, site->addr, regs);
	return there;
}
