/*
 * One run for gatectl convert: which statements of the tester's own the threads begin.
 *
 * There is a trap at every function of the program; when it is entered for the first time its
 * statements get theirs. One that is met very often loses it: such a line orders nothing.
 */
#include "tracer/session/convert/inside.h"

#include <string.h>

enum { HITS_MOST = 100, EVENTS_MOST = 200000 };

/* A function whose statements have traps, in this process. */
struct entered {
	const struct session_process *process;
	uint64_t offset;
};

/* Of one instruction: `info` is what its act points to. */
struct trap {
	struct symbols_site info;
	bool opens; /* its function begins there */
	unsigned long hits;
};

struct convert_traps {
	ARRAY(struct trap *) all;
	ARRAY(struct entered) entered;
	ARRAY(char *) names;
	size_t events;
};

/* ---- traps ---------------------------------------------------------------------------------- */

static void put(struct session *s, struct session_process *p, struct target_thread *t,
		const struct symbols_site *info, uint64_t bias, bool opens)
{
	struct convert_record *r = s->options->record;
	struct target_site *site;
	struct error ignored; /* an instruction that has no copy is no event */
	struct site_use *use = places_use(s, p, t, bias + info->offset, &site, &ignored);
	struct trap *trap;

	if (!use)
		return;
	array_each(const struct act, a, &use->acts)
		if (a->kind == ACT_SEEN && a->info->kind == info->kind)
			return;
	trap = *array_add(&r->traps->all) = base_alloc(1, sizeof(*trap));
	trap->info = *info;
	trap->opens = opens;
	places_act(use, &(struct act){ACT_SEEN, NULL, &trap->info, bias});
}

static bool is_own_file(const char *file)
{
	return file && strncmp(file, "/usr/", 5) != 0 && file[0] != '<';
}

struct entries {
	struct session *session;
	struct session_process *process;
	struct target_thread *thread;
	uint64_t bias;
};

static void put_entry(void *ctx, uint64_t offset)
{
	struct entries *e = ctx;
	const struct symbols_site info = {
		.kind = SYMBOLS_ENTRY, .module = e->process->exe, .offset = offset};

	put(e->session, e->process, e->thread, &info, e->bias, false);
}

static uint64_t bias_of(const struct session_process *p)
{
	array_each(const struct image, image, &p->images)
		if (image->module == p->exe)
			return image->bias;
	return 0;
}

void convert_exec(struct session *s, struct session_process *p, struct target_thread *t)
{
	struct convert_record *r = s->options->record;
	struct entries e = {s, p, t, 0};

	if (!r->traps)
		r->traps = base_alloc(1, sizeof(*r->traps));
	r->symbols = s->symbols;
	if (p == s->root && (!r->program || (p->exe && module_has_debug(p->exe))))
		r->program = p->exe; /* a test may end as another program */
	if (!r->lines || !p->exe || !module_has_debug(p->exe) || p != s->root)
		return;
	e.bias = bias_of(p);
	symbols_each_entry(p->exe, put_entry, &e);
}

static bool is_first_time(struct convert_traps *traps, const struct session_process *p,
			  uint64_t offset)
{
	array_each(const struct entered, e, &traps->entered)
		if (e->process == p && e->offset == offset)
			return false;
	*array_add(&traps->entered) = (struct entered){p, offset};
	return true;
}

static void enter(struct session *s, struct session_thread *t, const struct act *a)
{
	struct convert_traps *traps = s->options->record->traps;
	struct symbols_statements statements;
	struct symbols_where where;
	struct symbols_site info = {.module = a->info->module};
	unsigned first_line = 0;

	if (!is_first_time(traps, t->process, a->info->offset))
		return;
	if (!symbols_statements(info.module, a->info->offset, &statements))
		return;
	if (symbols_where(info.module, a->info->offset, false, &where)) {
		info.function = *array_add(&traps->names) =
			base_strdup(where.function ? where.function : "");
		symbols_where_fini(&where);
	}
	array_each(const struct symbols_statement, st, &statements) {
		if (st->offset == a->info->offset)
			first_line = st->line;
		info.offset = st->offset;
		info.file = st->file;
		info.line = st->line;
		if (is_own_file(st->file))
			put(s, t->process, t->target, &info, a->bias, st->line == first_line);
	}
	array_fini(&statements);
}

/* ---- what happens --------------------------------------------------------------------------- */

static uint64_t frame_of(struct session_thread *t, const struct act *a, uint64_t address)
{
	struct arch_regs regs;

	return target_regs(t->target, &regs) < 0 ? 0 : after_frame_at(a, address, &regs);
}

static void note_line(struct session *s, struct session_thread *t, const struct act *a,
		      uint64_t address, bool opens)
{
	const struct symbols_site *at = a->info;
	struct convert_record *r = s->options->record;
	struct convert_thread *thread = convert_thread_of(r, t);
	const struct convert_event *last =
		thread->events.count ? &thread->events.items[thread->events.count - 1] : NULL;

	if (r->traps->events >= EVENTS_MOST)
		return;
	if (last && last->at.line == at->line && last->at.func == at->function)
		return;
	r->traps->events++;
	*array_add(&thread->events) = (struct convert_event){
		.at = {at->function, at->file, at->line, at->offset, false, opens},
		.frame = frame_of(t, a, address),
		.t_us = session_now_us() - s->timeline.start_us,
	};
}

void convert_site(struct session *s, struct session_thread *t, const struct act *a,
		  struct target_site *site)
{
	struct trap *trap = (struct trap *)a->info; /* put() has made it */
	const struct site_use *use = site->user;

	if (a->info->kind == SYMBOLS_ENTRY)
		enter(s, t, a);
	else
		note_line(s, t, a, site->addr, trap->opens);
	if (++trap->hits >= HITS_MOST && use->acts.count == 1)
		target_site_remove(t->process->target, site);
}

/* ---- the end -------------------------------------------------------------------------------- */

void convert_end(struct session *s)
{
	if (s->options->record)
		convert_note_arrivals(s, &s->options->record->arrivals);
}

static void free_traps(struct convert_traps *traps)
{
	array_each(struct trap *, trap, &traps->all)
		base_free(*trap);
	array_each(char *, name, &traps->names)
		base_free(*name);
	array_fini(&traps->all);
	array_fini(&traps->names);
	array_fini(&traps->entered);
	base_free(traps);
}

void convert_record_fini(struct convert_record *r)
{
	array_each(struct convert_thread, t, &r->threads) {
		base_free(t->id);
		array_fini(&t->events);
	}
	array_each(struct convert_sleep, sleep, &r->sleeps) {
		base_free(sleep->what);
		array_fini(&sleep->others);
		array_fini(&sleep->before);
		array_fini(&sleep->after);
	}
	array_fini(&r->arrivals);
	array_fini(&r->threads);
	array_fini(&r->sleeps);
	if (r->traps)
		free_traps(r->traps);
	*r = (struct convert_record){0};
}
