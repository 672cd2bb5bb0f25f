/* Explains why a place was not reached, by the nearest miss. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/explain/hints.h"

#include "tracer/base/files/path.h"
#include "tracer/base/text/suggest.h"
#include "tracer/source/lines/source_lines.h"

#include <string.h>

bool hints_shut_out(struct run *s, const struct place *p, struct str *out)
{
	PASSERS(others);

	passers_of(s, p, false, &others);
	passers_add(&others, out);
	return others.count || others.more;
}

/* ---- the filters ---------------------------------------------------------------------------- */

static void near_by_condition(const struct place *p, struct str *out)
{
	str_addf(out, "when \"%s\" was false ", p->when);
	hints_times(p->refused, out);
	if (!p->arrivals)
		return;
	str_add(out, " and true ");
	hints_times(p->arrivals, out);
	str_addf(out, ", but hit = %lu was asked for", p->hit_first);
}

static void near_by_hit(struct run *s, const struct place *p, struct str *out)
{
	PASSERS(meant);

	passers_of(s, p, true, &meant);
	str_add(out, "it was arrived at only ");
	hints_times(p->arrivals, out);
	if (passers_inside(p))
		str_addf(out, ", %lu of them decided inside the program", passers_inside(p));
	if (meant.count) {
		str_add(out, passers_inside(p) ? ", the others by " : ", by ");
		passers_add(&meant, out);
	}
	str_addf(out, ", but hit = %lu was asked for", p->hit_first);
}

/* Finds threads that match by their present names, although no matching thread arrived: they were
 * renamed after their arrival. */
static bool near_by_time(struct run *s, const struct place *p, struct str *out)
{
	PASSERS(early);

	passers_of(s, p, true, &early);
	passers_add(&early, out);
	if (early.count)
		str_addf(out, " arrived there, but %s not yet called '%s' then",
			 early.count > 1 ? "were" : "was", p->thread);
	return early.count;
}

/* Returns false if the `thread` option is not the reason. */
static bool near_by_thread(struct run *s, const struct place *p, struct str *out)
{
	bool known = hints_match(s, p->thread), any;
	STR(others);
	STR(like);

	if (near_by_time(s, p, out))
		return true;
	any = hints_shut_out(s, p, &others);
	if (known && any) {
		str_addf(out, "no thread that matches '%s' arrived there, but %s did", p->thread,
			 str_text(&others));
	} else if (!known) {
		str_addf(out, "no thread of the run is called '%s'", p->thread);
		if (any)
			str_addf(out, "; %s came there", str_text(&others));
		hints_like(s, p->thread, &like, NULL);
		str_add(out, str_text(&like));
		if (!like.length && !any) {
			str_add(out, ": there were ");
			hints_threads(s, out);
		}
	}
	return !known || any;
}

/* ---- the object ----------------------------------------------------------------------------- */

static void offer_objects(struct run *s, struct suggestions *like)
{
	run_each_process(p, s) {
		array_each(const struct image, image, run_process_images(p)) {
			const char *path = module_path(image->module), *dot;
			const char *base = str_base_name(path);
			char *plain;

			suggest_offer(like, base);
			suggest_offer(like, module_name(image->module));
			dot = strstr(base, ".so.");
			if (!dot)
				continue;
			plain = base_strndup(base, (size_t)(dot - base) + 3);
			suggest_offer(like, plain);
			base_free(plain);
		}
	}
}

static void near_by_object(struct run *s, const struct run_place *sp, struct str *out)
{
	struct suggestions like = {.wanted = run_place_location(sp)->object};
	const char *name;

	for (size_t i = 0; (name = run_unreadable(s, i)); i++) {
		if (!module_path_matches(name, run_place_location(sp)->object))
			continue;
		str_addf(out, "the file that is loaded as %s cannot be opened by gatectl", name);
		return;
	}
	str_addf(out, "no object %s was ever loaded", run_place_location(sp)->object);
	offer_objects(s, &like);
	suggest_take(&like, out);
}

/* ---- the function --------------------------------------------------------------------------- */

static void add_callers(const struct near_misses *nm, struct str *out)
{
	PASSERS(by);

	array_each(const struct near_miss_visit, v, &nm->visits)
		passers_count(&by, v->thread);
	if (by.count == 1)
		str_add(out, by.items[0].thread->id);
	else
		passers_add(&by, out);
}

/* Appends ", and returned at calc.c:31 and calc.c:33". */
static void add_exits(const struct near_misses *nm, struct str *out)
{
	ARRAY(const struct near_miss_visit *) exits = {0};

	array_each(const struct near_miss_visit, v, &nm->visits) {
		bool known = !v->line || !v->file || !v->left;

		array_each(const struct near_miss_visit *, old, &exits)
			known |= (*old)->line == v->line && (*old)->file == v->file;
		if (!known)
			*array_add(&exits) = v;
	}
	for (size_t i = 0; i < exits.count; i++) {
		str_add(out, i ? "" : ", and returned at ");
		hints_and(i, exits.count, out);
		hints_line(exits.items[i]->file, exits.items[i]->line, out);
	}
	array_fini(&exits);
}

/* True if the visited thread is certainly still in the function. */
static bool visit_lasts(const struct near_misses *nm, const struct near_miss_visit *v)
{
	const struct waiting *w = waiting_of(threads_of(v->thread));

	if (!waiting_is_alive(w) || (v->left && !v->into))
		return false;
	return (v->framed && !v->left) ||
	       (w->func && nm->function && strcmp(w->func, nm->function) == 0);
}

bool hints_inside(const struct near_misses *nm, const struct engine_thread *t)
{
	array_each(const struct near_miss_visit, v, &nm->visits)
		if (v->thread == t && visit_lasts(nm, v))
			return true;
	return false;
}

/* True if the thread is on the line of the place. */
static bool is_on_line(const struct near_misses *nm, const struct waiting *w)
{
	for (size_t i = 0; i < nm->meant->count; i++)
		if (w->line && nm->meant->items[i].line == w->line &&
		    str_same(nm->meant->items[i].file, w->file))
			return true;
	return false;
}

/* Appends each thread that has entered the function and not returned. */
static void add_inside(const struct run *s, const struct place *p, bool first, struct str *out)
{
	const struct near_misses *nm = near_miss_of(p);

	const struct engine_thread *t;

	for (size_t i = 0; (t = engine_thread_at(run_engine(s), i)); i++) {
		const struct waiting *w = waiting_of(threads_of(t));

		if (!hints_inside(nm, t))
			continue;
		str_addf(out, "%s%s is", first ? "" : "; ", t->id);
		if (!w->func || strcmp(w->func, t->start) != 0)
			str_addf(out, " in %s", w->func ? w->func : nm->function);
		if (w->file && w->line) {
			str_add(out, " at ");
			hints_line(w->file, w->line, out);
		}
		str_add(out, !is_on_line(nm, w) ? " and has not reached the place"
			     : p->after		? " and has not executed the statement to its end"
						: " and has not reached the code of the place");
		first = false;
	}
}

/* Returns the number of visits that have not ended. */
static size_t count_inside(const struct near_misses *nm)
{
	size_t count = 0;

	array_each(const struct near_miss_visit, v, &nm->visits)
		count += visit_lasts(nm, v);
	return count;
}

/* If the compiler gave the line no code of its own, its execution cannot be observed. */
static void add_not_executed(const struct place *p, const struct near_misses *nm, struct str *out)
{
	const struct source_site *bare = near_miss_bare(nm);

	if (!bare)
		str_add(out, p->after ? "; this line was not executed to its end"
				      : "; this line was not executed");
	else if (bare->inlined_into)
		str_addf(out,
			 "; whether this line was executed is not known where %s was inlined into "
			 "%s: it has no code of its own there",
			 nm->function, bare->inlined_into);
	else
		str_addf(out,
			 "; this line has code of its own only in inlined copies of %s: whether it "
			 "was executed "
			 "elsewhere is not known",
			 nm->function);
}

static void near_by_function(struct run *s, const struct place *p, struct str *out)
{
	const struct near_misses *nm = near_miss_of(p);

	if (!nm->visits.count) {
		if (nm->complete && nm->function && !run_has_untraced_children(s))
			str_addf(out,
				 run_options(s)->pid ? "%s was not called since gatectl attached"
						     : "%s was never called",
				 nm->function);
		else
			str_add(out, "no thread arrived there");
		return;
	}
	if (!nm->many && count_inside(nm) == nm->visits.count) {
		add_inside(s, p, true, out);
		return;
	}
	str_addf(out, "%s was called %s", nm->function,
		 nm->complete || nm->many ? "" : "at least ");
	if (nm->many)
		str_addf(out, "more than %d times", NEAR_MISS_VISITS);
	else
		hints_times(nm->visits.count, out);
	str_add(out, ", by ");
	add_callers(nm, out);
	str_add(out, nm->many ? " first" : "");
	add_exits(nm, out);
	array_each(const struct near_miss_visit, v, &nm->visits)
		/* the thread ended there, or threw an exception */
		if (!v->left && v->framed && !visit_lasts(nm, v))
			str_addf(out,
				 hints_exited(s, v->thread) ? "; %s exited in it"
							    : "; %s has not returned from it",
				 v->thread->id);
	add_inside(s, p, false, out);
	if (nm->meant->items[0].kind == SOURCE_STATEMENT)
		add_not_executed(p, nm, out);
}

/* True if all threads that entered the function match the `thread` option; also if none entered. */
static bool all_meant(struct run *s, const struct place *p, const struct near_misses *nm)
{
	array_each(const struct near_miss_visit, v, &nm->visits)
		if (!engine_thread_matches(run_engine(s), v->thread, p->thread))
			return false;
	return true;
}

/* ---- a place ----------------------------------------------------------------------------- */

/* Mentions inlined calls: they have no return instruction, so FUNC%return misses them. */
static void add_inlined(const struct run_place *sp, struct str *out)
{
	unsigned copies = 0;

	array_each(struct source_sites *const, sites, run_place_results(sp))
		copies = (*sites)->inlined_skipped > copies ? (*sites)->inlined_skipped : copies;
	if (copies && run_place_location(sp)->kind == LOCATION_RETURN)
		str_addf(out,
			 "; %s was also inlined, at %u call%s, where there is no return to stop at",
			 run_place_location(sp)->name, copies, copies == 1 ? "" : "s");
}

static void near(struct run *s, const struct place *p, struct str *out)
{
	const struct run_place *sp = p->user;
	const struct near_misses *nm = near_miss_of(p);
	const struct run_thread *before = p->arrivals ? NULL : passers_held_before(s, p);

	if (before)
		str_addf(out, "%s is held there at %s (%s), which comes before it",
			 run_thread_id(before), run_thread_hold(before)->place->location,
			 place_source(run_thread_hold(before)->place));
	else if (p->refused)
		near_by_condition(p, out);
	else if (p->arrivals)
		near_by_hit(s, p, out);
	else if (sp && run_place_nearest(sp))
		str_add(out, run_place_nearest(sp));
	else if (run_place_lacks_object(sp))
		near_by_object(s, sp, out);
	else if (p->thread && near_by_thread(s, p, out))
		return;
	else if (nm && (!p->thread || all_meant(s, p, nm)))
		near_by_function(s, p, out);
	else if (p->thread)
		str_addf(out, "no thread that matches '%s' arrived there", p->thread);
	else
		str_add(out, "no thread arrived there");
}

void hints_near(struct run *s, const struct place *p, struct str *out)
{
	near(s, p, out);
	add_inlined(p->user, out);
}

void hints_missing(struct run *s, const struct place *p, struct str *out)
{
	if (p->kind == PLACE_REST)
		str_add(out,
			"there was no time at which a thread was held and no thread could move");
	else
		hints_near(s, p, out);
}

void hints_missing_lines(struct run *s, const struct place *p, struct str *out)
{
	const struct near_misses *nm = near_miss_of(p);
	const struct source_site *site;
	const char *text;

	if (!nm || passers_any(p))
		return;
	site = &nm->meant->items[0];
	text = source_line(run_symbols(s), site->file, site->line);
	if (text)
		str_addf(out, "%s:%u: this line was meant: %s\n", path_shown(site->file),
			 site->line, text + strspn(text, " \t"));
	array_each(const struct near_miss_copy, c, &nm->copies)
		if (c->by)
			str_addf(out,
				 "%s:%u: %s is another copy of this line, and was executed, first "
				 "by %s\n",
				 path_shown(c->site->file), c->site->line, c->location, c->by->id);
}

/* True if p is on("exit") for threads that have all ended while the process went on. */
static bool means_thread_exit(struct run *s, const struct place *p)
{
	const struct engine_thread *t;

	if (p->kind != PLACE_EXIT || !p->thread || p->arrivals || !hints_match(s, p->thread))
		return false;
	for (size_t i = 0; (t = engine_thread_at(run_engine(s), i)); i++)
		if (engine_thread_matches(run_engine(s), t, p->thread) &&
		    (!t->exited || strcmp(t->start, "main") == 0))
			return false;
	return true;
}

bool hints_is_mistaken(struct run *s, const struct place *p)
{
	const struct near_misses *nm = near_miss_of(p);

	if (!p->arrivals && passers_held_before(s, p))
		return false;
	if (p->arrivals || passers_any(p) || (p->thread && !hints_match(s, p->thread)) ||
	    means_thread_exit(s, p))
		return true;
	/* a thread in the function may still reach the line */
	return nm && nm->visits.count && !count_inside(nm);
}

/* ---- advice ------------------------------------------------------------------------------ */

/* Returns the start routine that all threads of the list share, else the id of the first one. */
static const char *common_name(const struct passers *list)
{
	const struct engine_thread *first = list->items[0].thread;

	array_each(const struct passer, one, list)
		if (strcmp(one->thread->start, first->start) != 0)
			return first->id;
	return *first->start && strchr(first->id, '#') ? first->start : first->id;
}

/* Returns a living thread that matches the `thread` option and waits or is held, or NULL. */
static const struct run_thread *kept_away(struct run *s, const struct place *p)
{
	run_each_thread(t, s) {
		const struct waiting *w = waiting_of(t);

		if (waiting_is_alive(w) && w->kind != WAITING_RUNNING &&
		    engine_thread_matches(run_engine(s), run_thread_engine(t), p->thread))
			return t;
	}
	return NULL;
}

static bool all_of_kind(const struct passers *list, const struct run_thread *t)
{
	array_each(const struct passer, one, list)
		if (strcmp(one->thread->start, run_thread_engine(t)->start) != 0)
			return false;
	return true;
}

/* Advice if the matching thread exists and the requested order keeps it from the place. */
static void try_order(const struct run_thread *kept, const struct place *p, struct str *out)
{
	str_addf(out, "another order: %s, for which %s is meant, %s and cannot reach it first",
		 run_thread_id(kept), p->location, str_text(&waiting_of(kept)->text));
}

/* Suggests the thread's id, which it has from the start, if its name was set after it arrived. */
static bool try_early(struct run *s, const struct place *p, struct str *out)
{
	PASSERS(early);

	passers_of(s, p, true, &early);
	if (early.count)
		str_addf(out,
			 "thread = \"%s\", its id from its start on, or a place after the call "
			 "that names it '%s'",
			 common_name(&early), p->thread);
	return early.count;
}

static void try_thread(struct run *s, const struct place *p, const struct passers *others,
		       struct str *out)
{
	const struct run_thread *kept = kept_away(s, p);
	STR(ignored);
	char *best = NULL;

	if (kept && others->count && all_of_kind(others, kept)) {
		try_order(kept, p, out);
		return;
	}
	if (!hints_match(s, p->thread))
		hints_like(s, p->thread, &ignored, &best);
	if (best)
		str_addf(out, "thread = \"%s\"", best);
	else if (others->count)
		str_addf(out, "thread = \"%s\", or no `thread` option", common_name(others));
	else
		str_add(out, "one of the threads above as `thread`, or `optional = true`");
	if (kept && others->count) {
		str_add(out, ", or ");
		try_order(kept, p, out);
	}
	base_free(best);
}

/* Appends advice for a line that is executed in some orders of the threads only. A repeated run
   comes here only after runs that met all gates. */
static void try_order_that_decides(const struct run *s, bool repeated, struct str *out)
{
	if (repeated)
		str_addf(out,
			 "run %lu is the first that does not reach it, so the order of threads "
			 "decides: force this order with gates too, or `optional = true`",
			 run_number(s));
	else
		str_add(out, "; or, if the order of threads decides whether this one is executed, "
			     "force this order with gates too (`--repeat 20` shows it)");
}

static void try_line(const struct run *s, const struct place *p, struct str *out)
{
	const struct near_misses *nm = near_miss_of(p);
	const struct near_miss_visit *way_out = NULL;

	array_each(const struct near_miss_visit, v, &nm->visits)
		way_out = way_out || !v->line || !v->file || !v->left ? way_out : v;
	array_each(const struct near_miss_copy, c, &nm->copies) {
		if (c->by) {
			str_addf(out, "at \"%s\"", c->location);
			return;
		}
	}
	if (run_options(s)->repeat > 1 && run_number(s) > 1) {
		try_order_that_decides(s, true, out);
		return;
	}
	if (way_out) {
		str_add(out, "name a line that is executed on the way to ");
		hints_line(way_out->file, way_out->line, out);
		try_order_that_decides(s, false, out);
	} else if (nm->function && nm->complete && !nm->visits.count) {
		str_addf(out, "give the program arguments or input that make it call %s",
			 nm->function);
	} else if (nm->visits.count) {
		str_addf(out, "name a line of %s that is executed", nm->function);
		try_order_that_decides(s, false, out);
	} else {
		str_add(out, "name a line that is executed");
	}
	str_addf(out, "; `gatectl lines %s '%s'` shows what the location means",
		 run_options(s)->argv[0], p->location);
}

bool hints_jumped_try(const struct run *s, struct str *out)
{
	engine_each_place(p, run_engine(s)) {
		const struct run_place *sp = p->user;
		const struct location *l = run_place_location(sp);

		if (!passers_jumped(p))
			continue;
		str_addf(out,
			 "at(\"%s%s%s\", { after = true }): where %s acted, the function ends in a "
			 "jump to another function, which had not run yet",
			 l->object ? l->object : "", l->object ? "!" : "", l->name, l->text);
		return true;
	}
	return false;
}

void hints_missing_try(struct run *s, const struct place *p, struct str *out)
{
	const struct run_place *sp = p->user;
	PASSERS(others);

	passers_of(s, p, false, &others);
	if (p->arrivals)
		str_addf(out,
			 "hit = %lu, the number of arrivals in this run; or hold the thread that "
			 "keeps other threads from arriving here again",
			 p->arrivals);
	else if (p->refused)
		str_add(out,
			":log \"{var.NAME}\" there without `when`, which prints what the condition "
			"sees");
	else if (run_place_lacks_object(sp))
		str_addf(out,
			 "the name of an object that the program loads: `gatectl lines %s "
			 "'OBJECT!...'` finds those that it starts with",
			 run_options(s)->argv[0]);
	else if (p->kind == PLACE_THREAD_START && p->thread && strcmp(p->thread, "main") == 0)
		str_add(out, "at \"main\": the main thread exists from the beginning, and no "
			     "thread starts it");
	else if (means_thread_exit(s, p))
		str_addf(out,
			 "on(\"thread-exit\", { thread = \"%s\" }): \"exit\" is only for the "
			 "thread that ends the whole process",
			 p->thread);
	else if (p->thread && try_early(s, p, out))
		;
	else if (p->thread && (others.count || others.more || !hints_match(s, p->thread)))
		try_thread(s, p, &others, out);
	else if (run_plan(s)->expect.end == EXPECT_SIGNAL &&
		 run_outcome(s)->end == OUTCOME_SIGNALED &&
		 run_outcome(s)->signal == run_plan(s)->expect.signal)
		str_addf(out, "optional = true at %s, if the expected crash may come before it",
			 place_source(p));
	else if (p->kind != PLACE_LOCATION)
		str_add(out, "remove the line, or make it optional");
	else if (near_miss_of(p))
		try_line(s, p, out);
	else
		str_addf(out, "`gatectl lines %s '%s'` shows what the location means",
			 run_options(s)->argv[0], p->location);
}
