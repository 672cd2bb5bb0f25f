/* gatectl run --fixed: the failure that the script expects must not happen any more. An order that
 * has become impossible is given up, so that the program runs to its own end. The note names the
 * orders that the program forbids. */
#include "tracer/features/explain/explain.h"
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

/* Gates for threads of other names force nothing: that the failure does not come is no answer. */
static void fixed_outcome(struct run *s)
{
	ERROR(err);

	if (!is_asked(s) || run_interrupted(s) || run_verdict(s) != VERDICT_OK ||
	    renamed_threads(s, &err) == 0)
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
	.stuck = fixed_stuck,
	.slow_tick = fixed_look,
	.outcome = fixed_outcome,
	.judged = fixed_judge,
};
