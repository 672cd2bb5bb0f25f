/* What the script says, and what it calls places. */
#include "tracer/synth/script/gates.h"
#include "tracer/synth/gating_internal.h"

#include "tracer/base/text/foreign.h"
#include "tracer/base/signame.h"
#include "tracer/features/convert/convert.h"
#include "tracer/source/lines/source_lines.h"

#include <stdio.h>
#include <string.h>

/* A plain run of a program that hangs still goes on after so many seconds. */
enum { HANG_SHOWN_S = 2 };
/* So many of the last steps of a livelock have all that it does for ever. */
enum { LAST_ROUNDS = 512 };

static const double FIRST_PLAN_S = 2;

/* Of the program's output in the script. */
enum { OUTPUT_MOST = 1024 };

/* ---- places ------------------------------------------------------------------------------------------ */

static struct module *module_named(const struct gating *g, const char *name)
{
	array_each(struct module *, m, &g->e->modules)
		if (name && strcmp(module_name(*m), name) == 0)
			return *m;
	return NULL;
}

static char *location(void *ctx, const struct schedule_where *w)
{
	const struct gating *g = ctx;
	struct convert_line at = {.func = w->func, .file = w->file, .line = w->line};
	struct module *module = module_named(g, w->object);
	char *plain = module ? convert_location(g->e->x.symbols, module, &at) : NULL;
	struct str text = {0};

	if (!plain || module == g->program)
		return plain;
	str_addf(&text, "%s!%s", str_base_name(w->object), plain);
	base_free(plain);
	return str_take(&text);
}

static const char *line_text(void *ctx, const char *file, unsigned line)
{
	const struct gating *g = ctx;

	return source_line(g->e->x.symbols, file, line);
}

/* The first plan is made also when there is no time any more. */
static bool words_is_over(void *ctx)
{
	const struct gating *g = ctx;
	double until = g->f->until > 0 && !g->any ? g->f->until + FIRST_PLAN_S : g->f->until;

	return gating_is_past(until) || run_signals_came();
}

/* ---- the schedule ------------------------------------------------------------------------------------- */

/* The thread that this one has made as its so manieth; NULL: none. */
static const char *child_of(const struct explore_failure *f, unsigned thread, unsigned children,
			    size_t *at)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.%04x", f->paths.items[thread], children);
	for (*at = 0; *at < f->paths.count; (*at)++)
		if (strcmp(f->paths.items[*at], path) == 0)
			return f->paths.items[*at];
	return NULL;
}

/* A CREATE and the START that comes of it have one object: the thread. */
static void link_threads(struct gating *g)
{
	unsigned *children = base_alloc(g->f->paths.count + 1, sizeof(*children));

	array_each(struct schedule_step, step, &g->schedule.steps) {
		struct strategy_point *p = &step->point;
		size_t child;

		if (p->op == STRATEGY_START)
			p->object = p->thread + 1;
		else if (p->op == STRATEGY_CREATE && p->thread < g->f->paths.count &&
			 child_of(g->f, p->thread, ++children[p->thread], &child))
			p->object = child + 1;
	}
	base_free(children);
}

/* The locks that a thread holds, the last one last. */
struct locks_taken {
	ARRAY(uint64_t) locks;
};

static void note_lock(struct locks_taken *held, const struct strategy_point *p)
{
	if (p->op == STRATEGY_LOCK)
		*array_add(&held->locks) = p->object;
	else if (p->op == STRATEGY_UNLOCK && held->locks.count)
		held->locks.count--;
}

/* A thread that goes on from a wait for a condition takes the lock again: the last one that it has
   taken. */
static void link_waits(struct schedule *s)
{
	struct locks_taken *held = base_alloc(s->threads.count + 1, sizeof(*held));

	array_each(struct schedule_step, step, &s->steps) {
		struct locks_taken *own = &held[step->thread];
		uint64_t lock = own->locks.count ? own->locks.items[own->locks.count - 1]
						 : STRATEGY_NO_OBJECT;

		if (step->point.op == STRATEGY_WAIT && step->where.inside &&
		    lock != STRATEGY_NO_OBJECT) {
			step->point.op = STRATEGY_LOCK;
			step->point.object = lock;
		}
		note_lock(own, &step->point);
	}
	for (size_t t = 0; t < s->threads.count; t++)
		array_fini(&held[t].locks);
	base_free(held);
}

/* Of a raw futex nobody knows whether it is a lock: its waits wait, and are woken. */
static void link_futexes(struct schedule *s)
{
	array_each(struct schedule_step, step, &s->steps) {
		const char *call = step->where.call;

		if (step->point.op != STRATEGY_LOCK || !call || strcmp(call, "syscall") != 0)
			continue;
		if (step->where.inside)
			step->point.object = STRATEGY_NO_OBJECT;
		else
			step->point.op = STRATEGY_WAIT;
	}
}

/*
 * Who waits until a predicate holds is in one line of the tester's all the time, and in one call: where it begins
 * to wait is a line of the header.
 */
static void place_in_header(struct schedule_where *w)
{
	if (!w->header.file || w->inside)
		return;
	w->file = w->header.file;
	w->line = w->header.line;
	w->func = w->header.func;
	w->address = w->header.address;
}

static void place_waits(struct schedule *s)
{
	array_each(struct schedule_step, step, &s->steps)
		place_in_header(&step->where);
	array_each(struct schedule_step, step, &s->pending)
		place_in_header(&step->where);
}

static bool is_like(const struct schedule_step *a, const struct schedule_step *b)
{
	return a->thread == b->thread && a->point.op == b->point.op &&
	       a->point.place == b->point.place;
}

/* Is there its like among the steps between? */
static bool comes_between(const struct schedule *s, size_t at, size_t low, size_t high)
{
	for (size_t i = low; i < high; i++)
		if (is_like(&s->steps.items[i], &s->steps.items[at]))
			return true;
	return false;
}

/* Of what goes round for ever all that matters has happened before, and in the first round. */
static void cut_rounds(struct schedule *s)
{
	size_t last = s->steps.count > LAST_ROUNDS ? s->steps.count - LAST_ROUNDS : 0;
	size_t begin = last, end;

	while (begin && comes_between(s, begin - 1, last, s->steps.count))
		begin--;
	end = begin;
	while (end < s->steps.count && !comes_between(s, end, begin, end))
		end++;
	s->steps.count = end;
	s->pending.count = 0;
}

/* Does its thread do nothing but wait for somebody in a loop: read the same once more, or yield? */
static bool goes_round(const struct schedule *s, size_t at)
{
	const struct schedule_step *step = &s->steps.items[at];

	if (step->point.op == STRATEGY_YIELD)
		return true;
	if (step->point.op != STRATEGY_READ)
		return false;
	for (size_t i = at + 1; i < s->steps.count; i++) {
		const struct schedule_step *next = &s->steps.items[i];

		if (next->thread == step->thread && next->point.op != STRATEGY_WAKE &&
		    next->point.op != STRATEGY_YIELD)
			return is_like(next, step) && next->point.object == step->point.object;
	}
	return false;
}

bool gating_cut_spins(struct gating *g)
{
	struct schedule *s = &g->schedule;
	size_t kept = 0, count = s->steps.count;

	for (size_t i = 0; i < count; i++)
		if (!goes_round(s, i))
			s->steps.items[kept++] = s->steps.items[i];
	s->steps.count = kept;
	return kept < count;
}

/* That the program has written something else is told by what it has written: all of it, on few lines. */
static bool can_say_what_came(const struct explore_failure *f)
{
	size_t length = f->out.length;

	return f->only_expects && f->ended >= 0 &&
	       (!f->expects_output ||
		(length && length <= OUTPUT_MOST && strlen(str_text(&f->out)) == length));
}

void gating_begin(struct gating *g)
{
	const struct schedule *s = &g->f->schedule;

	g->schedule = *s;
	g->schedule.steps.items = g->schedule.pending.items = NULL;
	g->schedule.steps.count = g->schedule.steps.capacity = 0;
	g->schedule.pending.count = g->schedule.pending.capacity = 0;
	array_each(const struct schedule_step, step, &s->steps)
		*array_add(&g->schedule.steps) = *step;
	array_each(const struct schedule_step, step, &s->pending)
		*array_add(&g->schedule.pending) = *step;
	g->livelock = strcmp(g->f->kind, "livelock") == 0;
	g->endless = g->livelock || strcmp(g->f->kind, "hang") == 0;
	if (g->livelock)
		cut_rounds(&g->schedule);
	link_threads(g);
	link_waits(&g->schedule);
	link_futexes(&g->schedule);
	place_waits(&g->schedule);
	g->instead = strcmp(g->f->kind, "expect") == 0 && can_say_what_came(g->f);
	g->defies = strcmp(g->f->kind, "expect") == 0 && !g->instead;
	g->program = g->e->modules.count ? g->e->modules.items[0] : NULL;
	g->words = (struct plan_words){
		.ctx = g,
		.program = g->program ? str_base_name(module_name(g->program)) : NULL,
		.line_text = line_text,
		.location = location,
		.is_over = words_is_over,
	};
}

void gating_end(struct gating *g)
{
	array_fini(&g->schedule.steps);
	array_fini(&g->schedule.pending);
}

/* ---- the script --------------------------------------------------------------------------------------- */

static void script_words_add_word(struct str *out, const char *before, const char *word)
{
	str_add(out, before);
	foreign_shell_word(out, word);
}

static void words_add_command(const struct gating *g, struct str *out)
{
	const struct run_options *o = g->e->x.options;

	struct str words = {0};

	for (size_t i = 0; !g->instead && i < o->scripts.count; i++)
		script_words_add_word(&words, " -g ", o->scripts.items[i]);
	array_each(const char *, order, &o->orders)
		script_words_add_word(&words, " --order ", *order);
	str_add(&words, " -g gates.lua --");
	for (char *const *arg = o->argv; *arg; arg++)
		script_words_add_word(&words, " ", *arg);
	str_add(out, "gatectl run");
	foreign_line(out, str_text(&words)); /* the caller splits lines */
	str_fini(&words);
}

const char explore_gates_cut[] =
	"There was no time to try it without each of its gates: some of them may not matter";

void explore_gates_runs(unsigned long forced, unsigned long asked, double seconds, struct str *out)
{
	if (forced >= asked)
		str_addf(out, "%lu of %lu runs", forced, asked);
	else
		str_addf(out, "all of the %lu runs that %.0f s gave of the %lu asked for", forced,
			 seconds, asked);
}

static void add_title(const struct gating *g, struct str *out)
{
	str_add(out, "Found by gatectl explore: ");
	foreign_line(out, g->f->where);
	str_add(out, ".\n");
	words_add_command(g, out);
	if (g->f->forced) {
		str_add(out, "\nIt has failed like that in ");
		explore_gates_runs(g->f->forced, g->f->asked, g->f->forced_s, out);
		if (g->strict)
			str_addf(out, ", and in %lu searched schedule%s%s", g->schedules,
				 g->schedules == 1 ? "" : "s",
				 g->plain ? "" : " that its gates permit");
		str_add(out, ".");
	}
	if (g->late)
		str_addf(out,
			 "\nWhere %s began late it came out differently: what it does before its "
			 "first step matters.",
			 g->late);
	if (g->f->gates_cut)
		str_addf(out, "\n%s.", explore_gates_cut);
	if (g->plain)
		str_add(out, "\nIt needs no gate: none of those has come out differently.");
}

static void add_what_came(const struct explore_failure *f, struct str *out)
{
	if (f->ended >= 128)
		str_addf(out, "expect { signal = \"SIG%s\"", signame_text(f->ended - 128));
	else
		str_addf(out, "expect { exit = %d", f->ended);
	if (f->expects_output) {
		str_add(out, ", stdout = ");
		foreign_lua_string(out, str_text(&f->out));
	}
	str_add(out, " }");
}

static void add_expect(const struct gating *g, struct str *out)
{
	const struct explore_failure *f = g->f;

	if (g->instead)
		add_what_came(f, out);
	else if (g->defies)
		str_add(out, "-- What fails is an expect of the script that it was found with.");
	else if (strcmp(f->kind, "deadlock") == 0)
		str_add(out, "expect { deadlock = true }");
	else if (g->livelock)
		str_add(out, "expect { livelock = true }");
	else if (g->endless)
		str_addf(out, "expect { time_limit = true }\nlimits { run = %d }", HANG_SHOWN_S);
	else if (strcmp(f->kind, "signal") == 0)
		str_addf(out, "expect { signal = \"SIG%s\" }", signame_text(f->status - 128));
	else
		str_addf(out, "expect { exit = %d }", f->status);
}

static void add_outcome(const struct explore_failure *f, struct str *out)
{
	if (strcmp(f->kind, "deadlock") == 0)
		str_add(out, "no thread can move: a deadlock");
	else if (strcmp(f->kind, "livelock") == 0)
		str_add(out, "the program goes round for ever: a livelock");
	else if (strcmp(f->kind, "hang") == 0)
		str_add(out, "no thread makes a step any more: the program hangs");
	else if (strcmp(f->kind, "signal") == 0)
		str_addf(out, "the program dies by SIG%s", signame_text(f->status - 128));
	else if (strcmp(f->kind, "expect") == 0)
		str_add(out, "what the tester's script expects does not hold");
	else
		str_addf(out, "the program ends with status %d", f->status);
}

void gating_script(const struct gating *g, struct str *out)
{
	struct str title = {0}, outcome = {0}, expect = {0};
	struct plan_texts texts;

	add_title(g, &title);
	add_outcome(g->f, &outcome);
	add_expect(g, &expect);
	texts = (struct plan_texts){str_text(&title), g->plain ? NULL : str_text(&outcome),
				    str_text(&expect)};
	gate_plan_script(&g->plan, &g->schedule, &g->words, &texts, out);
	str_fini(&title);
	str_fini(&outcome);
	str_fini(&expect);
}
