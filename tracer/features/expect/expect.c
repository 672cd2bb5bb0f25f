/* Checks the script's expectations about the end of a run; calls its end functions when the run is
 * over. */
#include "tracer/run/places/places.h"
#include "tracer/features/expect/expect.h"

static int check_time_limit(struct run *s, struct error *err)
{
	if (run_plan(s)->expect.end != EXPECT_TIME_LIMIT || run_time_limit(s) > 0 ||
	    run_is_attended(s))
		return 0;
	error_set(err, ERROR_USAGE,
		  "the script expects that the time limit passes, but there is none");
	return error_hint(err, "limits { run = SECONDS } in the script, or --time-limit SECONDS");
}

static void note_unfound(struct run *s)
{
	array_each(const struct expect_never, never, &run_plan(s)->expect.never) {
		const struct run_place *sp = never->own->user;

		if (!sp || !run_place_nearest(sp) || run_outcome(s)->fault == OUTCOME_FAULT ||
		    run_interrupted(s))
			continue;
		run_outcome(s)->fault = OUTCOME_FAULT;
		error_set(run_error(s), ERROR_LOCATION, "%s: expect: never_reached: %s",
			  never->own->source, run_place_nearest(sp));
	}
}

/* True if only the script's end functions can still make the run fail. */
static bool is_theirs_to_say(struct run *s)
{
	const struct outcome *o = run_outcome(s);
	enum verdict v;
	char *why;

	if (!run_plan(s)->expect.checks.count || run_interrupted(s) || o->fault)
		return false;
	run_outcome(s)->signal_judged = true; /* an end function may accept the signal */
	v = run_verdict(s);
	why = verdict_unmet(&run_plan(s)->expect, o);
	base_free(why);
	run_outcome(s)->signal_judged = false;
	if (run_options(s)->aim == AIM_FIXED)
		return v == VERDICT_FOUND;
	return v == VERDICT_OK || (run_options(s)->trial && !why && v != VERDICT_DEADLOCK &&
				   v != VERDICT_GATE_DEADLOCK && v != VERDICT_TIME_LIMIT);
}

/* Per-run data. */
struct end_asked {
	bool is_asked;
};
static const struct keeper keeper = {sizeof(struct end_asked), NULL};

void expected_ask(struct run *s)
{
	struct end_asked *ended = kept_make(run_kept(s), &keeper);
	struct outcome *o = run_outcome(s);
	struct script_end end = {
		.exited = o->end == OUTCOME_EXITED,
		.status = o->exit,
		.signal = o->end == OUTCOME_SIGNALED ? o->signal : 0,
		.stdout_text = run_options(s)->pid ? NULL : o->stdout_text,
		.stderr_text = run_options(s)->pid ? NULL : o->stderr_text,
		.signal_judged = &o->signal_judged,
	};
	ERROR(err);

	if (ended->is_asked || !is_theirs_to_say(s))
		return;
	ended->is_asked = true;
	array_each(const struct expect_check, check_time_limit, &run_plan(s)->expect.checks) {
		enum engine_answer answer =
			script_end(run_scripts(s), check_time_limit, &end, &err);

		if (answer == ENGINE_FAULT) {
			outcome_fault(o, &err);
			error_move(run_error(s), &err);
		} else if (answer == ENGINE_NO) {
			o->refused = check_time_limit;
		}
		if (answer != ENGINE_YES)
			break;
	}
	apply_decisions(s); /* carries out what the functions have printed */
}

static void expect_judge(struct run *s)
{
	note_unfound(s);
	expected_ask(s);
}

extern const struct observer expected_observer;
const struct observer expected_observer = {.loaded = check_time_limit, .outcome = expect_judge};
