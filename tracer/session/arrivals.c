/* A site hit or an event of the program becomes an arrival at the places that wait for it. */
#include "tracer/session/convert/inside.h"
#include "tracer/session/explain/explain.h"
#include "tracer/session/explain/scouts.h"
#include "tracer/session/live/hooks.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

enum { NAME_LOOKS = 8 };

struct place_list {
	struct place **items;
	size_t count, capacity;
};

static int read_process(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return target_read(ctx, addr, buf, n);
}

/* An indirect jump is a way out of the function only if it goes out of its code. */
static bool leaves_function(struct session_thread *t, const struct act *a, uint64_t address,
			    const struct arch_regs *regs)
{
	uint8_t bytes[ARCH_INSN_MAX];
	uint64_t to;

	if (target_read(t->process->target, address, bytes, sizeof(bytes)) < 0 ||
	    arch_jump_target(bytes, sizeof(bytes), address, regs, read_process, t->process->target,
			     &to) < 0)
		return false;
	array_each(const struct symbols_range, r, &a->info->ranges)
		if (to - a->bias >= r->low && to - a->bias < r->high)
			return false;
	return true;
}

static bool needs_registers(const struct site_use *use)
{
	array_each(const struct act, a, &use->acts)
		if (a->kind != ACT_ARRIVE || (a->info && a->info->check_target))
			return true;
	return false;
}

/* The loader has changed its list: the first time everything is resolved, later what came. */
static void loader_hit(struct session *s, struct session_thread *t)
{
	struct session_process *p = t->process;
	struct module_list loaded = {0};
	struct error err = {0};
	bool consistent, first = !p->settled;
	int failed = 0;

	images_update(s, p, &loaded, &consistent);
	if (consistent && first)
		failed = places_settle(s, p, t->target, p == s->root && !s->root_settled, &err);
	else if (consistent && loaded.count)
		failed = places_loaded(s, p, t->target, &loaded, &err);
	s->root_settled |= consistent;
	if (consistent && !s->loads_matter && p->load_site)
		target_site_remove(p->target, p->load_site);
	if (failed < 0) {
		session_fault(s, &err);
		target_resume(s->target, t->target);
	} else {
		arrivals_load(s, t, &loaded);
	}
	array_fini(&loaded);
}

static bool applies(struct session *s, struct session_thread *t, const struct act *a,
		    uint64_t address, const struct arch_regs *regs)
{
	if (a->kind == ACT_ELIDE_END) {
		elide_act(s, t, a, address, regs);
		return false;
	}
	if (a->place->retired)
		return false;
	if (a->kind >= ACT_SCOUT_IN) {
		if (!a->info->check_target || leaves_function(t, a, address, regs))
			scouts_act(s, t, a, address, regs);
		return false;
	}
	if (a->kind == ACT_SYSCALL)
		return regs->dwarf[ARCH_DWARF_ARG0] == SYS_exit_group;
	if (a->kind != ACT_ARRIVE)
		return after_act(s, t, a, address, regs);
	return !a->info || !a->info->check_target || leaves_function(t, a, address, regs);
}

/* For the report: most threads name themselves when they begin, and then never again. */
static void note_name(struct session *s, struct session_thread *t)
{
	if (s->options->reports.count && t->names_read < NAME_LOOKS) {
		t->names_read++;
		threads_name(s, t->engine);
	}
}

static void arrive(struct session *s, struct session_thread *t, struct place_list *places,
		   const struct symbols_site *info, int signal)
{
	const struct arrival at = {
		.thread = t->engine,
		.file = info ? info->file : NULL,
		.line = info ? info->line : 0,
		.func = info ? info->function : NULL,
		.signal = signal,
		.at = t,
	};

	program_forget(t);
	t->at_return = info && info->kind >= SYMBOLS_RETURN ? info->kind : 0;
	t->hold_file = at.file;
	t->hold_line = at.line;
	t->hold_func = at.func;
	if (t->watched && places->count)
		watch_end(s, t);
	if (!places->count) {
		session_go(s, t);
		return;
	}
	note_name(s, t);
	array_each(struct place *, place, places)
		if ((*place)->thread || !place_reached(*place))
			hints_pass_by((*place)->user, t->engine);
	engine_arrive(s->engine, places->items, places->count, &at);
	array_each(struct place *, place, places)
		scouts_reached(*place);
}

void arrivals_site(struct session *s, struct session_thread *t, struct target_site *site)
{
	struct site_use *use = site->user;
	struct place_list places = {0};
	const struct symbols_site *info = NULL;
	struct arch_regs regs;
	bool loader = false, there = false;

	if (use && needs_registers(use) && target_regs(t->target, &regs) < 0)
		use = NULL; /* it is dying */
	for (size_t i = 0; use && i < use->acts.count; i++) {
		const struct act a = use->acts.items[i];

		loader |= a.kind == ACT_LOADER;
		if (a.kind == ACT_CREATE)
			sanitizer_create(t, &regs);
		there |= a.kind == ACT_STOP;
		if (a.kind == ACT_SEEN)
			convert_site(s, t, &a, site);
		if (!a.place || !applies(s, t, &a, site->addr, &regs))
			continue;
		*array_add(&places) = a.place;
		info = info ? info : a.info;
	}
	if (there && live_there(s, t, site, &regs))
		live_came(s, t);
	if (loader)
		loader_hit(s, t);
	else
		arrive(s, t, &places, info, 0);
	array_fini(&places);
}

static bool wants(const struct place *place, enum place_kind kind, int signal)
{
	return place->kind == kind && !place->retired &&
	       (kind != PLACE_SIGNAL || !place->signal || place->signal == signal);
}

void arrivals_event(struct session *s, struct session_thread *t, enum place_kind kind, int signal)
{
	struct place_list places = {0};
	struct place *place;

	for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
		if (wants(place, kind, signal))
			*array_add(&places) = place;
	arrive(s, t, &places, NULL, signal);
	array_fini(&places);
}

void arrivals_load(struct session *s, struct session_thread *t, const struct module_list *loaded)
{
	struct place_list places = {0};
	struct place *place;

	array_each(const struct image, image, loaded) {
		for (size_t i = 0; (place = engine_place_at(s->engine, i)); i++)
			if (wants(place, PLACE_LOAD, 0) &&
			    (!place->object || module_matches(image->module, place->object)))
				*array_add(&places) = place;
	}
	arrive(s, t, &places, NULL, 0);
	array_fini(&places);
}
