/* gatectl run --fixed: the failure that the script expects must not happen any more. An order that
 * has become impossible is given up, so that the program runs to its own end. The note names the
 * orders that the program forbids. */
#include "tracer/features/explain/explain.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"

#include <string.h>

/* Per-run data: "the order A -> B cannot come about: ...", a line each. */
struct forbidden {
	struct str orders;
};

static void free_forbidden(void *what)
{
	str_fini(&((struct forbidden *)what)->orders);
}

static const struct keeper keeper = {sizeof(struct forbidden), free_forbidden};

static bool is_asked(const struct run *s)
{
	return run_options(s)->aim == AIM_FIXED;
}

static int check_expect(struct run *s, struct error *err)
{
	STR(expected);

	if (!is_asked(s) || expect_is_failure(&run_plan(s)->expect))
		return 0;
	expect_print(&run_plan(s)->expect, &expected);
	if (expected.length)
		error_set(err, ERROR_USAGE, "--fixed: what the script expects is no failure: %s",
			  str_text(&expected));
	else
		error_set(err, ERROR_USAGE, "--fixed: no script expects a failure");
	return error_hint(err,
			  "`expect { ... }` in the script, as explore writes it, or no --fixed");
}

static bool is_stale(const struct module *m, const char *file, struct error *err)
{
	STR(text);

	if (!source_is_newer(m, file))
		return false;
	source_add_newer(m, file, &text);
	error_set(err, ERROR_OBJECT, "--fixed: %s", str_text(&text));
	error_hint(err, "build %s again: it was built before the repair", module_name(m));
	return true;
}

/* A line that has no code may have it once the program is built again. */
static bool is_bare_stale(struct run *s, const struct run_place *p, struct module *const *modules,
			  size_t count, struct error *err)
{
	struct source_matches found = {0};
	ERROR(ignored);
	bool stale = false;

	if (!count || !run_place_nearest(p) ||
	    source_matches(run_symbols(s), modules, count, run_place_location(p), &found,
			   &ignored) < 0)
		return false;
	array_each(const struct source_match, match, &found)
		stale = stale || is_stale(modules[0], match->file, err);
	array_fini(&found);
	return stale;
}

static bool is_place_stale(const struct run_place *p, struct error *err)
{
	array_each(struct source_sites *const, sites, run_place_results(p))
		array_each(const struct source_site, site, *sites)
			if (is_stale(site->module, site->file, err))
				return true;
	return false;
}

/* Locations quote the sources as they are now: an older program may have other code there. */
static int check_built(struct run *s, struct run_process *p, struct error *err)
{
	struct module **modules = images_modules(p);
	bool stale = false;

	engine_each_place(place, run_engine(s))
		stale = stale || is_place_stale(place->user, err) ||
			is_bare_stale(s, place->user, modules, run_process_images(p)->count, err);
	base_free(modules);
	return stale ? -1 : 0;
}

static int fixed_modules(struct run *s, const struct modules_seen *m, struct error *err)
{
	if (m->stage != MODULES_PLACED || !is_asked(s))
		return 0;
	return check_built(s, m->process, err);
}

/* No thread can move, or none makes progress, and a gate is part of the reason. */
static bool give_up_order(struct run *s)
{
	struct forbidden *forbidden = kept_make(run_kept(s), &keeper);
	struct run_thread *held = infeasible_order(s, &forbidden->orders);

	if (!held || !engine_let_go(run_engine(s), run_thread_engine(held)))
		return false;
	apply_decisions(s);
	run_goes_on(s);
	return true;
}

static bool fixed_stuck(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	return question == STUCK_EXCUSED && is_asked(s) && *answer == WAITS_GATE &&
	       give_up_order(s);
}

/* A thread that spins until the held one goes on is no deadlock, but makes no progress. */
static void fixed_look(struct run *s, uint64_t now, bool quiet)
{
	(void)now;
	if (!quiet || !is_asked(s) || !waiting_goes_round(s))
		return;
	waiting_explain(s);
	give_up_order(s);
}

/* Gates for threads of other names force nothing: that the failure does not come is no answer.
 * Libraries may have been loaded since the start. */
static void fixed_outcome(struct run *s)
{
	ERROR(err);

	if (!is_asked(s) || run_interrupted(s) || run_verdict(s) != VERDICT_OK)
		return;
	if (check_built(s, run_root(s), &err) == 0 && renamed_threads(s, &err) == 0)
		return;
	outcome_fault(run_outcome(s), &err);
	error_move(run_error(s), &err);
}

static void fixed_judge(struct run *s, struct run_result *out, const struct error *failed)
{
	struct forbidden *forbidden = kept_make(run_kept(s), &keeper);

	if (failed || !is_asked(s) || run_interrupted(s) || out->verdict == VERDICT_ERROR)
		return;
	infeasible_missing(s, &forbidden->orders);
	if (out->verdict == VERDICT_OK && out->status)
		str_addf(&out->note,
			 "fixed: not the failure that the script expects, but the program ended "
			 "with exit status %d\n",
			 out->status);
	for (const char *at = str_text(&forbidden->orders); *at;) {
		size_t length = strcspn(at, "\n");

		str_addf(&out->note, "fixed: %.*s\n", (int)length, at);
		at += length + (at[length] == '\n');
	}
}

extern const struct observer fixed_observer;
const struct observer fixed_observer = {
	.loaded = check_expect,
	.modules = fixed_modules,
	.stuck = fixed_stuck,
	.slow_tick = fixed_look,
	.outcome = fixed_outcome,
	.judged = fixed_judge,
};
