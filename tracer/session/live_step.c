/*
 * One thread is sent to a line: a location, the next statement of its function, or into a call. Traps
 * are set where it may get to and are taken away when it has, or when something else came first.
 */
#include "tracer/session/live_inside.h"

#include <string.h>

static struct live_sent *sent_of(struct session *s)
{
	return &s->live->sent;
}

static int put_stop(struct session *s, struct session_thread *t, uint64_t address,
		    struct error *err)
{
	struct target_site *site;
	struct site_use *use = places_use(s, t->process, t->target, address, &site, err);

	if (!use)
		return -1;
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
	*sent = (struct live_sent){0};
}

/* ---- where it may get to -------------------------------------------------------------------- */

static uint64_t frame_at(struct session_thread *t, uint64_t address, const struct arch_regs *regs)
{
	const struct image *image = images_at(t->process, address);
	unsigned reg;
	int64_t add;

	if (!image || !symbols_cfa(image->module, address - image->bias, &reg, &add) ||
	    reg > ARCH_DWARF_PC)
		return regs->dwarf[ARCH_DWARF_SP];
	return regs->dwarf[reg] + (uint64_t)add;
}

/* The statements of its function, and where that returns to. */
static int stop_around(struct session *s, struct session_thread *t, const struct symbols_call *here,
		       const struct symbols_frame *caller, struct error *err)
{
	struct symbols_statements list;
	uint64_t pc = here->frame.pc, bias = here->frame.bias;

	if (!here->frame.module || !symbols_statements(here->frame.module, pc - bias, &list))
		return error_set(err, ERROR_STATE,
				 "%s is in code without line information: `until` takes it further",
				 t->engine->id);
	array_each(const struct symbols_statement, at, &list) {
		if (at->line != here->line || at->offset + bias <= pc)
			put_stop(s, t, at->offset + bias, err);
		if (at->offset + bias > pc &&
		    (!sent_of(s)->high || at->offset + bias < sent_of(s)->high) &&
		    at->line != here->line)
			sent_of(s)->high = at->offset + bias;
	}
	array_fini(&list);
	if (caller)
		put_stop(s, t, caller->pc, err);
	return 0;
}

/* The second statement of a function is behind its prologue. */
static void stop_in_function(struct session *s, struct session_thread *t, uint64_t address)
{
	const struct image *image = images_find(s, t->process, address);
	struct symbols_statements list;
	struct error ignored;

	if (!image || !symbols_statements(image->module, address - image->bias, &list))
		return;
	put_stop(s, t, list.items[list.count > 1].offset + image->bias, &ignored);
	array_fini(&list);
}

/* Calls on the way to the next statement: of the indirect ones the target is known when they are
   reached. */
static void stop_at_calls(struct session *s, struct session_thread *t)
{
	struct live_sent *sent = sent_of(s);
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn insn;
	struct error ignored;

	for (uint64_t at = sent->low; at < sent->high; at += insn.length) {
		if (target_read(t->process->target, at, bytes, sizeof(bytes)) < 0 ||
		    arch_decode(bytes, sizeof(bytes), at, &insn) < 0)
			return;
		if (insn.flow == ARCH_FLOW_CALL)
			stop_in_function(s, t, insn.target);
		else if (insn.flow == ARCH_FLOW_CALL_INDIRECT)
			put_stop(s, t, at, &ignored);
	}
}

int live_line_step(struct live *l, const char *thread, enum live_way way, struct error *err)
{
	struct session_thread *t = live_thread(l, thread, err);
	struct live_sent *sent = &l->sent;
	struct symbols_stack calls = {0};
	struct symbols_frame up;
	int result = -1;

	if (!t || live_calls(t, &calls, err) < 0)
		return -1;
	live_forget_stops(&l->session);
	sent->thread = t;
	sent->into = way == LIVE_STEP;
	sent->low = calls.items[0].frame.pc;
	if (symbols_frame_cfa(&calls.items[0].frame, &sent->frame, err) == 0)
		result = stop_around(
			&l->session, t, &calls.items[0],
			symbols_frame_up(&calls.items[0].frame, &up, err) > 0 ? &up : NULL, err);
	if (result == 0 && sent->into)
		stop_at_calls(&l->session, t);
	symbols_stack_fini(&calls);
	if (result == 0)
		result = live_release(l, thread, err);
	return result;
}

static int stop_at_location(struct live *l, struct session_thread *t,
			    const struct location *location, struct error *err)
{
	struct session_process *p = t->process;
	struct module **modules = base_alloc(p->images.count, sizeof(*modules));
	struct symbols_sites sites = {0};
	enum symbols_answer answer;

	for (size_t i = 0; i < p->images.count; i++)
		modules[i] = p->images.items[i].module;
	answer = symbols_resolve(l->symbols, modules, p->images.count, location, &sites, err);
	array_each(const struct symbols_site, site, &sites)
		array_each(const struct image, image, &p->images)
			if (answer == SYMBOLS_FOUND && image->module == site->module &&
			    put_stop(&l->session, t, image->bias + site->offset, err) < 0)
				answer = SYMBOLS_ERROR;
	symbols_sites_fini(&sites);
	base_free(modules);
	return answer == SYMBOLS_FOUND ? 0 : -1;
}

int live_until(struct live *l, const char *thread, const char *location, struct error *err)
{
	struct session_thread *t = live_thread(l, thread, err);
	struct location where = {0};
	int result;

	if (!t || location_parse(location, &where, err) < 0)
		return -1;
	live_forget_stops(&l->session);
	l->sent.thread = t;
	result = stop_at_location(l, t, &where, err);
	location_fini(&where);
	if (result == 0)
		result = live_release(l, thread, err);
	if (result < 0)
		live_forget_stops(&l->session);
	return result;
}

/* ---- there ---------------------------------------------------------------------------------- */

static int read_process(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return target_read(ctx, addr, buf, n);
}

/* An indirect call on the way: now it can be told where it goes. */
static bool follows_call(struct session *s, struct session_thread *t, uint64_t address,
			 const struct arch_regs *regs)
{
	const struct live_sent *sent = sent_of(s);
	uint8_t bytes[ARCH_INSN_MAX];
	struct arch_insn insn;
	uint64_t to;

	if (!sent->into || address < sent->low || address >= sent->high ||
	    target_read(t->process->target, address, bytes, sizeof(bytes)) < 0 ||
	    arch_decode(bytes, sizeof(bytes), address, &insn) < 0 ||
	    insn.flow != ARCH_FLOW_CALL_INDIRECT)
		return false;
	if (arch_jump_target(bytes, sizeof(bytes), address, regs, read_process, t->process->target,
			     &to) == 0)
		stop_in_function(s, t, to);
	return true;
}

/* In a call of its own function that lies further in it is not there yet, but for a step into one. */
bool live_there(struct session *s, struct session_thread *t, const struct target_site *site,
		const struct arch_regs *regs)
{
	const struct live_sent *sent = sent_of(s);

	if (t != sent->thread || follows_call(s, t, site->addr, regs))
		return false;
	return sent->into || !sent->frame || frame_at(t, site->addr, regs) >= sent->frame;
}
