/* Texts and locations of the script. */
#include "tracer/synth/synth_internal.h"

#include "tracer/base/files/path.h"
#include "tracer/base/signame.h"
#include "tracer/base/text/foreign.h"
#include "tracer/synth/location.h"
#include "tracer/synth/script/script.h"
#include "tracer/source/lines/source_lines.h"
#include "tracer/source/names/names.h"

#include <string.h>

static const double FIRST_PLAN_S = 2;

/* Limit of the program's output in the script, in bytes. */
enum { OUTPUT_MOST = 1024 };

/* ---- the script ---- */

static void add_word(struct str *out, const char *before, const char *word)
{
	str_add(out, before);
	foreign_shell_word(out, word);
}

static void add_command(const struct synth *g, struct str *out)
{
	const struct run_options *o = g->e->x.options;
	STR(words);

	for (size_t i = 0; g->expects != SYNTH_CAME && i < o->scripts.count; i++)
		add_word(&words, " -g ", o->scripts.items[i]);
	array_each(const char *, order, &o->orders)
		add_word(&words, " --order ", *order);
	str_add(&words, " -g gates.lua --");
	for (char *const *arg = o->argv; *arg; arg++)
		add_word(&words, " ", *arg);
	str_add(out, "gatectl run");
	foreign_line(out, str_text(&words)); /* the caller splits lines */
}

const char explore_gates_cut[] = "There was no time to try the script without each of its gates: "
				 "some of them may not matter";

void explore_gates_runs(unsigned long forced, unsigned long asked, double seconds, struct str *out)
{
	if (forced >= asked) {
		str_addf(out, "%lu of %lu runs", forced, asked);
		return;
	}
	if (forced == 1)
		str_add(out, "the only run");
	else
		str_addf(out, "all of the %lu runs", forced);
	if (seconds < 0.5)
		str_add(out, " for which there was time");
	else
		str_addf(out, " that %.0f s gave", seconds);
	str_addf(out, " of the %lu asked for", asked);
}

static void add_title(const struct synth *g, struct str *out)
{
	str_add(out, "Found by gatectl explore: ");
	foreign_line(out, g->f->where);
	str_add(out, ".\n");
	add_command(g, out);
	if (!g->f->forced)
		str_add(out, "\nIt is not verified yet.");
	if (g->f->forced) {
		str_add(out, "\nIt has failed like that in ");
		explore_gates_runs(g->f->forced, g->f->asked, g->f->forced_s, out);
		if (g->outcomes == SYNTH_ONE)
			str_addf(out, ", and in %lu searched schedule%s%s", g->schedules,
				 g->schedules == 1 ? "" : "s",
				 g->plain ? "" : " that its gates permit");
		str_add(out, ".");
	}
	if (g->late)
		str_addf(out,
			 "\nRuns in which %s started late had another outcome: its actions before "
			 "its first step matter.",
			 g->late);
	if (g->f->gates_cut)
		str_addf(out, "\n%s.", explore_gates_cut);
	if (g->plain)
		str_add(out, "\nIt needs no gate: none of these runs had another outcome.");
}

/* True if the outcome can be the expectation: other output is only written in full if it is short
   text. */
static bool can_say_what_came(const struct explore_failure *f)
{
	size_t length = f->out.length;

	return f->only_expects && f->ended >= 0 &&
	       (!f->expects_output ||
		(length && length <= OUTPUT_MOST && strlen(str_text(&f->out)) == length));
}

static void add_status(int status, bool signaled, const char *at, const char *output,
		       struct str *out)
{
	script_expect(signaled ? SCRIPT_END_SIGNAL : SCRIPT_END_EXIT,
		      signaled ? status - 128 : status, at, output, out);
}

/* Outcome and expectation of each kind of failure. Other kinds have a signal or status. */
static const struct ending {
	const char *kind, *outcome;
	enum script_expected end;
	const char *more; /* lines that follow the expectation */
} endings[] = {
	{"deadlock", "no thread can move: a deadlock", SCRIPT_END_DEADLOCK, ""},
	{"livelock", "the program repeats the same states for ever: a livelock",
	 SCRIPT_END_LIVELOCK, ""},
	{"hang", "no thread makes another step: the program hangs", SCRIPT_END_TIME_LIMIT,
	 "\nlimits { run = 2 }"}, /* it still runs after 2 s */
	{"expect", "the expect of the tester's script does not hold", SCRIPT_END_ANY,
	 "-- The expect that fails is in the script of the search."},
};

static const struct ending *ending_of(const struct explore_failure *f)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (strcmp(f->kind, endings[i].kind) == 0)
			return &endings[i];
	return NULL;
}

static void add_expect(const struct synth *g, struct str *out)
{
	const struct explore_failure *f = g->f;
	const struct ending *ending = ending_of(f);

	if (g->expects == SYNTH_CAME) {
		add_status(f->ended, f->ended >= 128, NULL,
			   f->expects_output ? str_text(&f->out) : NULL, out);
	} else if (ending) {
		script_expect(ending->end, 0, NULL, NULL, out);
		str_add(out, ending->more);
	} else {
		add_status(f->status, strcmp(f->kind, "signal") == 0, g->crash, NULL, out);
	}
}

static void add_outcome(const struct explore_failure *f, struct str *out)
{
	const struct ending *ending = ending_of(f);

	if (ending)
		str_add(out, ending->outcome);
	else if (strcmp(f->kind, "signal") == 0)
		str_addf(out, "the program dies by SIG%s", signame_text(f->status - 128));
	else
		str_addf(out, "the program ends with status %d", f->status);
	if (!ending && f->crash_file)
		str_addf(out, " at %s:%u", str_base_name(f->crash_file), f->crash_line);
	if (!ending && f->who_freed)
		str_addf(out, ", where it uses freed memory: %s", f->who_freed);
}

void synth_script(const struct synth *g, struct str *out)
{
	STR(title);
	STR(outcome);
	STR(expect);
	struct plan_texts texts;

	add_title(g, &title);
	add_outcome(g->f, &outcome);
	add_expect(g, &expect);
	texts = (struct plan_texts){str_text(&title), g->plain ? NULL : str_text(&outcome),
				    str_text(&expect)};
	gate_plan_script(&g->plan, &g->schedule, &g->words, &texts, out);
}

/* ---- places ---- */

static struct module *module_named(const struct synth *g, const char *name)
{
	array_each(struct module *, m, &g->e->modules)
		if (name && strcmp(module_name(*m), name) == 0)
			return *m;
	return NULL;
}

static char *location(void *ctx, const struct schedule_where *w)
{
	const struct synth *g = ctx;
	struct convert_line at = {.func = w->func, .file = w->file, .line = w->line};
	struct module *module = module_named(g, w->object);
	char *plain = module ? location_of_line(g->e->x.symbols, module, &at) : NULL;
	struct str text = {0};

	if (!plain || module == g->program)
		return plain;
	str_addf(&text, "%s!%s", str_base_name(w->object), plain);
	base_free(plain);
	return str_take(&text);
}

/* Names an access by the library's line that makes it: "std::vector::push_back;TEXT:read", with
   template arguments if there are several instances. */
static char *in_library(const struct synth *g, struct module *module, uint64_t offset, bool writes)
{
	struct source_symbolised is = {0};
	const char *full = source_innermost(module, offset);
	char *text = NULL;

	if (full && source_symbolise(module, offset, true, &is) && path_is_system_source(is.file)) {
		struct convert_line at = {.file = is.file, .line = is.line, .offset = offset};
		OWNED(plain) = names_plain(full);

		at.func = plain;
		text = location_of_access(g->e->x.symbols, module, &at, writes);
		at.func = full;
		if (!text)
			text = location_of_access(g->e->x.symbols, module, &at, writes);
	}
	source_symbolised_fini(&is);
	return text;
}

static char *instruction(void *ctx, const struct schedule_step *step, bool called)
{
	const struct synth *g = ctx;
	const struct schedule_where *w = &step->where;
	const struct convert_line at = {
		.func = w->func, .file = w->file, .line = w->line, .offset = w->address};
	struct module *module = module_named(g, w->object);
	bool writes = step->point.op == STRATEGY_WRITE;
	char *text = NULL;

	if (!module || module != g->program || !w->func || w->inside)
		return NULL;
	if (called)
		return module_named(g, w->inner_object) == module
			       ? in_library(g, module, w->inner, writes)
			       : NULL;
	if (w->call)
		text = location_of_call(g->e->x.symbols, module, w->func, w->call, w->address);
	else if (w->file)
		text = location_of_access(g->e->x.symbols, module, &at, writes);
	return text ? text : in_library(g, module, w->address, writes);
}

static bool code_sum(void *ctx, const char *object, uint32_t *sum)
{
	struct module *module = module_named(ctx, object);

	if (module)
		*sum = module_code_sum(module);
	return module != NULL;
}

char *synth_crash_location(const struct synth *g)
{
	const struct convert_line at = {.file = g->f->crash_file, .line = g->f->crash_line};

	return at.file && g->program && g->expects != SYNTH_UNMET
		       ? location_of_line(g->e->x.symbols, g->program, &at)
		       : NULL;
}

static const char *line_text(void *ctx, const char *file, unsigned line)
{
	const struct synth *g = ctx;

	return source_line(g->e->x.symbols, file, line);
}

/* True if planning must end; the first plan is made even after the deadline. */
static bool words_is_over(void *ctx)
{
	const struct synth *g = ctx;
	double until = g->f->until > 0 && !g->any ? g->f->until + FIRST_PLAN_S : g->f->until;

	return synth_is_past(until) || run_signals_came();
}

void synth_words(struct synth *g)
{
	if (strcmp(g->f->kind, "expect") == 0)
		g->expects = can_say_what_came(g->f) ? SYNTH_CAME : SYNTH_UNMET;
	g->program = g->e->modules.count ? g->e->modules.items[0] : NULL;
	g->words = (struct plan_words){
		.ctx = g,
		.program = g->program ? str_base_name(module_name(g->program)) : NULL,
		.line_text = line_text,
		.location = location,
		.instruction = instruction,
		.code_sum = code_sum,
		.is_over = words_is_over,
	};
}
