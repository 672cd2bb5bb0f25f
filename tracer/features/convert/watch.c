/* Records which statements of the tester's own code the threads begin. Each function's entry has a
   trap; the first arrival sets traps at the function's statements. A trap that is hit very often is
   removed: such a line makes no order. */
#include "tracer/base/files/path.h"
#include "tracer/run/run.h"
#include "tracer/features/convert/record.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/syscalls/syscalls.h"
#include "tracer/tracee/attach/attach.h"

#include <string.h>

enum { HITS_MOST = 100, EVENTS_MOST = 200000 };

/* A function whose statements have traps in this process. */
struct entered {
	const struct run_process *process;
	uint64_t offset;
};

/* A trap at one instruction; the trap action's `info` points to this one's. */
struct trap {
	struct source_site info;
	bool opens; /* the first statement of its function */
	bool joins; /* the entry of pthread_join */
	unsigned long hits;
};

struct convert_traps {
	ARRAY(struct trap *) all;
	ARRAY(struct entered) entered;
	ARRAY(char *) names;
	size_t events;
};

static const struct site_owner record_owner;

/* ---- traps ---------------------------------------------------------------------------------- */

/* Returns NULL if there is a trap for the line already, or none is possible. */
static struct trap *watch_put(struct run *s, struct run_process *p, struct tracee_thread *t,
			      const struct source_site *info, uint64_t bias, bool opens)
{
	struct convert_record *r = run_record(s);
	struct tracee_site *site;
	ERROR(ignored); /* an instruction that cannot be relocated is no event */
	struct site_use *use = sites_use(s, p, t, bias + info->offset, &site, &ignored);
	struct trap *trap;

	if (!use)
		return NULL;
	array_each(const struct act, a, &use->acts)
		if (a->owner == &record_owner && a->info->kind == info->kind &&
		    /* optimised code may begin a line twice at one address */
		    a->info->line == info->line)
			return NULL;
	trap = *array_add(&r->traps->all) = base_alloc(1, sizeof(*trap));
	trap->info = *info;
	trap->opens = opens;
	sites_act(use, &(struct act){.owner = &record_owner, .info = &trap->info, .bias = bias});
	return trap;
}

static bool is_own_file(const char *file)
{
	return file && !path_is_system_source(file) && file[0] != '<';
}

struct entries {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	uint64_t bias;
};

static void put_entry(void *ctx, uint64_t offset)
{
	struct entries *e = ctx;
	const struct source_site info = {
		.kind = SOURCE_ENTRY, .module = run_process_exe(e->process), .offset = offset};

	watch_put(e->run, e->process, e->thread, &info, e->bias, false);
}

/* Sets traps at pthread_join once the libraries are loaded. */
static void watch_joins(struct run *s, const struct modules_seen *m)
{
	uint64_t size;

	array_each(const struct image, image, run_process_images(m->process)) {
		struct source_site info = {.kind = SOURCE_ENTRY, .module = image->module};
		struct trap *trap;

		if (module_symbol(info.module, "pthread_join", &info.offset, &size) < 0)
			continue;
		trap = watch_put(s, m->process, m->thread, &info, image->bias, false);
		if (trap)
			trap->joins = true;
	}
}

/* Sets traps at the program's functions after its start or an exec. */
static int watch_image(struct run *s, const struct modules_seen *m, struct error *err)
{
	struct convert_record *r = run_record(s);
	struct run_process *p = m->process;
	struct entries e = {s, p, m->thread, 0};

	(void)err;
	if (r && r->lines && r->traps && m->stage == MODULES_SETTLED)
		watch_joins(s, m);
	if (!r || m->stage != MODULES_EXEC)
		return 0;
	if (!r->traps)
		r->traps = base_alloc(1, sizeof(*r->traps));
	r->symbols = run_symbols(s);
	tracee_hasten(run_tracee(s), r->hasten);
	if (p == run_root(s) &&
	    (!r->program || (run_process_exe(p) && module_has_debug(run_process_exe(p)))))
		r->program = run_process_exe(p); /* a test may end as another program, by exec */
	if (!r->lines || !run_process_exe(p) || !module_has_debug(run_process_exe(p)) ||
	    p != run_root(s))
		return 0;
	array_each(const struct image, image, run_process_images(p))
		if (image->module == run_process_exe(p))
			e.bias = image->bias;
	source_each_entry(run_process_exe(p), put_entry, &e);
	return 0;
}

static bool is_first_time(struct convert_traps *traps, const struct run_process *p, uint64_t offset)
{
	array_each(const struct entered, e, &traps->entered)
		if (e->process == p && e->offset == offset)
			return false;
	*array_add(&traps->entered) = (struct entered){p, offset};
	return true;
}

static void watch_enter(struct run *s, struct run_thread *t, const struct act *a)
{
	struct convert_traps *traps = run_record(s)->traps;
	struct source_statements statements;
	struct source_symbolised where;
	struct source_site info = {.module = a->info->module};
	unsigned first_line = 0;

	if (!is_first_time(traps, run_process_of(t), a->info->offset))
		return;
	if (!source_statements(info.module, a->info->offset, &statements))
		return;
	if (source_symbolise(info.module, a->info->offset, false, &where)) {
		info.function = *array_add(&traps->names) =
			base_strdup(where.function ? where.function : "");
		source_symbolised_fini(&where);
	}
	array_each(const struct source_statement, st, &statements) {
		if (st->offset == a->info->offset && !first_line)
			first_line = st->line;
		info.offset = st->offset;
		info.file = st->file;
		info.line = st->line;
		if (is_own_file(st->file))
			watch_put(s, run_process_of(t), run_thread_tracee(t), &info, a->bias,
				  st->line == first_line);
	}
	array_fini(&statements);
}

/* ---- what happens --------------------------------------------------------------------------- */

static void note_line(struct run *s, struct run_thread *t, const struct act *a, uint64_t address,
		      bool opens)
{
	const struct source_site *at = a->info;
	struct arch_regs regs;
	struct convert_record *r = run_record(s);
	struct convert_thread *thread = convert_thread_of(r, t);
	const struct convert_event *last =
		thread->events.count ? &thread->events.items[thread->events.count - 1] : NULL;

	if (r->traps->events >= EVENTS_MOST)
		return;
	if (last && last->at.line == at->line && last->at.func == at->function)
		return;
	r->traps->events++;
	*array_add(&thread->events) = (struct convert_event){
		.at = {at->function, at->file, at->line, at->offset, opens},
		.frame = tracee_regs(run_thread_tracee(t), &regs) < 0
				 ? 0
				 : sites_frame(a, address, &regs),
		.t_us = run_elapsed_us(s),
	};
}

/* Records a pthread_join of the thread whose struct pthread is at the address. Threads that are
   joined already are passed over, since a later thread may reuse their memory. */
static void note_join(struct run *s, const struct run_thread *by, uint64_t address)
{
	struct convert_record *r = run_record(s);

	run_each_thread(t, s) {
		struct convert_thread *own;

		if (run_process_of(t) != run_process_of(by) || !glibc_thread_has(t, address))
			continue;
		own = convert_thread_of(r, t);
		if (own->joiner)
			continue;
		own->joiner = 1 + run_thread_index(by);
		own->join_us = run_elapsed_us(s);
	}
}

static void convert_over(struct run *s, struct run_thread *t, bool renamed)
{
	if (run_record(s) && !renamed)
		convert_thread_of(run_record(s), t)->over_us = run_elapsed_us(s);
}

/* Handles the entry of a function, of pthread_join, or the beginning of a statement. */
static enum hit_answer watch_hit(struct run *s, const struct act *a, const struct hit *h)
{
	struct trap *trap = (struct trap *)a->info; /* made by watch_put() */
	const struct site_use *use = h->site->user;

	if (trap->joins) {
		note_join(s, h->thread, h->regs.dwarf[ARCH_DWARF_ARG0]);
		return HIT_SEEN;
	}
	if (a->info->kind == SOURCE_ENTRY)
		watch_enter(s, h->thread, a);
	else
		note_line(s, h->thread, a, h->address, trap->opens);
	convert_thread_of(run_record(s), h->thread)->loops = trap->hits + 1 >= HITS_MOST;
	if (++trap->hits >= HITS_MOST && use->acts.count == 1)
		tracee_site_remove(run_process_tracee(run_process_of(h->thread)), h->site);
	return HIT_SEEN;
}

static const struct site_owner record_owner = {.hit = watch_hit};

/* ---- the end -------------------------------------------------------------------------------- */

static void convert_watch_end(struct run *s, struct run_result *out, const struct error *failed)
{
	(void)out;
	if (!run_record(s) || failed)
		return;
	convert_note_arrivals(s, &run_record(s)->arrivals);
	run_record(s)->clock_reads = tracee_clock_reads(run_tracee(s));
}

static void fini_turns(void *what)
{
	convert_record_fini(what);
}

/* elide_sleep { till = "rest" } needs the turns of a watched run. In explore's schedules, the
   scheduler decides which sleep ends. */
static void take_turns(struct run *s)
{
	static const struct keeper turns_keeper = {sizeof(struct convert_record), fini_turns};
	struct convert_record *r;

	if (!run_plan(s)->given.sleeps_till_rest || run_record(s) || run_options(s)->sched)
		return;
	r = kept_make(run_kept(s), &turns_keeper);
	r->hasten = CONVERT_HASTEN;
	r->only_turns = true;
	run_set_record(s, r);
}

static int ask_for_sleeps(struct run *s, struct tracee_launch *how, struct error *err)
{
	(void)err;
	take_turns(s);
	how->sleeps = run_record(s);
	if (how->sleeps)
		run_set_driven(s, true);
	return 0;
}

/* The program's modules must be known even if the script has no places. */
static void needs_modules(struct run *s, struct run_thread *t, bool first)
{
	(void)t;
	if (first && run_record(s))
		run_expect_places(s);
}

/* pthread_join is in a library. */
static bool watch_needs_libraries(struct run *s, const struct run_process *p)
{
	return run_record(s) && run_record(s)->lines && p == run_root(s);
}

static bool awaits(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)answer;
	return question == STUCK_AWAITED && run_record(s) && run_record(s)->waiting > 0;
}

extern const struct observer convert_observer;
const struct observer convert_observer = {
	.launch = ask_for_sleeps,
	.exec = needs_modules,
	.needs_libraries = watch_needs_libraries,
	.modules = watch_image,
	.thread_new = convert_born,
	.thread_over = convert_over,
	.call = convert_sleep,
	.tick = turns_look,
	.stuck = awaits,
	.judged = convert_watch_end,
};

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

void convert_sleep_fini(struct convert_sleep *s)
{
	base_free(s->what);
	array_fini(&s->others);
	array_fini(&s->before);
	array_fini(&s->after);
	array_fini(&s->rested_at);
}

void convert_record_fini(struct convert_record *r)
{
	array_each(struct convert_thread, t, &r->threads) {
		base_free(t->id);
		array_fini(&t->events);
	}
	array_each(struct convert_sleep, sleep, &r->sleeps)
		convert_sleep_fini(sleep);
	array_fini(&r->arrivals);
	array_fini(&r->threads);
	array_fini(&r->sleeps);
	array_fini(&r->spots);
	if (r->traps)
		free_traps(r->traps);
	*r = (struct convert_record){0};
}
