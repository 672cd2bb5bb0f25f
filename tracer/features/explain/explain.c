/* The text of a verdict: a first line in a fixed form, what happened, each thread and why it does
 * not move, the last events, and what to try. */
#include "tracer/source/lines/source_lines.h"
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/crash/crash.h"
#include "tracer/features/explain/hints.h"
#include "tracer/run/places/places.h"
#include "tracer/features/leftover/leftover.h"
#include "tracer/features/report/report.h"
#include "tracer/base/signame.h"

/* Many threads of a library would hide the threads of interest. */
enum { MOST_THREADS = 40 };

static void thread_lines(struct run *s, struct str *out)
{
	size_t shown = 0, exited = 0;

	run_each_thread(t, s) {
		const struct waiting *w = waiting_of(t);

		if (w->kind == WAITING_GONE) {
			exited++;
		} else if (shown++ < MOST_THREADS) {
			waiting_begin_line(w->file, w->line, out);
			waiting_sentence(t, out);
			str_addf(out, "%s\n", str_text(&w->around));
		}
	}
	if (shown > MOST_THREADS)
		str_addf(out, "  ... and %zu more threads\n", shown - MOST_THREADS);
	if (exited)
		str_addf(out, "  %zu thread%s exited\n", exited, exited == 1 ? " has" : "s have");
}

static void event_lines(const struct run *s, struct str *out)
{
	const struct timeline *tl = timeline_of(s);

	str_add(out, "last events:\n");
	for (size_t i = 0; i < tl->last_count; i++) {
		const struct happened *h = &tl->last[i];

		waiting_begin_line(h->file, h->line, out);
		str_addf(out, "%.6f ", (double)h->t_us / 1e6);
		timeline_line(h, out);
		str_add(out, "\n");
	}
}

/* ---- never reached -------------------------------------------------------------------------- */

/* Appends "LOCATION (SOURCE): why" for the first place, "SOURCE: LOCATION: why" for the others. */
static void missing_lines(struct run *s, struct str *out)
{
	const struct place *first = engine_missing(run_engine(s));

	engine_each_place(p, run_engine(s)) {
		if (!place_missing(p))
			continue;
		if (p != first) {
			str_addf(out, "%s: %s: ", place_source(p), p->location);
			hints_missing(s, p, out);
			str_add(out, "\n");
		}
		hints_missing_lines(s, p, out);
	}
	if (run_outcome(s)->end == OUTCOME_SIGNALED)
		str_addf(out, "the program was ended by SIG%s\n",
			 signame_text(run_outcome(s)->signal));
	else if (run_outcome(s)->exit)
		str_addf(out, "the program ended with exit status %d\n", run_outcome(s)->exit);
}

/* ---- parts that depend on the verdict ---------------------------------------------------- */

static void held_first_line(struct run *s, struct str *out)
{
	if (run_culprit(s) && waiting_of(run_culprit(s))->held) {
		waiting_sentence(run_culprit(s), out);
		str_addf(out, " for more than %g second%s", run_gate_limit(s),
			 run_gate_limit(s) == 1 ? "" : "s");
	} else {
		run_each_process(p, s)
			if (run_process_lost(p)) {
				str_addf(out, "%s when the program ended", run_process_lost(p));
				return;
			}
	}
	if (!run_culprit(s))
		str_add(out, "a thread is still held after the program ended");
}

static void crash_first_line(struct run *s, struct str *out)
{
	const struct crash *c = crash_of_root(s);

	if (!c) {
		str_addf(out,
			 "SIG%s, at an unknown place: the kernel did not report the signal to "
			 "gatectl (a seccomp filter, or the system)",
			 signame_text(run_outcome(s)->signal));
		return;
	}
	crash_summary(c, out);
}

static void still_ran(const struct run *s, struct str *out)
{
	if (run_outcome(s)->hang > 0)
		hang_text(s, out);
	else if (run_outcome(s)->steps)
		str_addf(out, "the program still ran after %lu steps of its threads%s",
			 run_outcome(s)->steps,
			 run_outcome(s)->livelock ? ", and did the same again and again" : "");
	else if (run_outcome(s)->limit == OUTCOME_OUT_OF_TIME)
		str_addf(
			out,
			"the program still ran after %.1f seconds, at the end of the time of --for",
			(double)run_elapsed_us(s) / 1e6);
	else
		str_addf(out, "the program still ran after %g second%s", run_time_limit(s),
			 run_time_limit(s) == 1 ? "" : "s");
}

void explain_deadlock(const struct run *s, struct str *out)
{
	str_addf(out, "no thread of the program can move: %s", str_text(waiting_cycle(s)));
}

void explain_looked(const struct run *s, struct str *out)
{
	if (waiting_cycle(s)->length)
		str_addf(out, "process %d still moves, but some of its threads cannot: %s",
			 run_options(s)->pid, str_text(waiting_cycle(s)));
	else
		str_addf(out, "process %d is not in a deadlock", run_options(s)->pid);
}

static void failure_back(struct run *s, struct str *out)
{
	STR(expected);

	expect_print(&run_plan(s)->expect, &expected);
	if (run_outcome(s)->stuck)
		explain_deadlock(s, out);
	else if (crash_of_root(s))
		crash_first_line(s, out);
	else
		str_add(out, str_text(&expected));
}

static void first_line(struct run *s, enum verdict v, struct str *out)
{
	const struct place *missing = engine_missing(run_engine(s));
	char *unmet;

	str_addf(out, "gatectl: %s: ", verdict_word(v));
	switch (v) {
	case VERDICT_FOUND:
		str_add(out, "the failure is back: ");
		failure_back(s, out);
		break;
	case VERDICT_NOT_AS_EXPECTED:
		unmet = run_outcome(s)->fault == OUTCOME_FAILED
				? base_strdup(error_text(run_error(s)))
				: verdict_unmet(&run_plan(s)->expect, run_outcome(s));
		str_add(out, unmet ? unmet : "what the script expects does not hold");
		base_free(unmet);
		break;
	case VERDICT_NEVER_REACHED:
		if (missing) {
			str_addf(out, "%s (%s): ", missing->location, place_source(missing));
			hints_missing(s, missing, out);
		}
		break;
	case VERDICT_NEVER_OPENED:
		held_first_line(s, out);
		break;
	case VERDICT_GATE_DEADLOCK:
		str_addf(out, "no thread can move: %s", str_text(waiting_cycle(s)));
		break;
	case VERDICT_DEADLOCK:
		explain_deadlock(s, out);
		break;
	case VERDICT_CRASHED:
		crash_first_line(s, out);
		break;
	case VERDICT_TIME_LIMIT:
		still_ran(s, out);
		break;
	default:
		str_add(out, error_text(run_error(s)));
	}
	str_add(out, "\n");
}

/* True if no thread is held, running or polling: all wait for the program itself. */
static bool all_wait(const struct run *s)
{
	run_each_thread(t, s) {
		const struct waiting *w = waiting_of(t);

		if (w->held || w->spins || w->kind == WAITING_RUNNING || w->kind == WAITING_STOPPED)
			return false;
	}
	return true;
}

static const char *advice(const struct run *s, enum verdict v)
{
	switch (v) {
	case VERDICT_NOT_AS_EXPECTED:
		return "run with -v to see every arrival, or without the script to see the "
		       "program alone";
	case VERDICT_NEVER_OPENED:
		return "check that a thread reaches the place that opens the gate; `--gate-limit` "
		       "makes the wait longer";
	case VERDICT_GATE_DEADLOCK:
		return "the order asked for cannot happen: open the gate earlier, or hold the "
		       "thread where it has not yet taken what the opener needs";
	case VERDICT_TIME_LIMIT:
		if (run_outcome(s)->hang > 0)
			return "find out which thread should end these waits; `--hang 0` is for "
			       "programs that wait for other programs";
		if (run_outcome(s)->steps)
			return "check in the last steps of the schedule which thread should end "
			       "the loop; `--steps` makes schedules longer";
		if (run_outcome(s)->limit == OUTCOME_OUT_OF_TIME)
			return "a longer --for, or a longer TIMEOUT of the CTest test, which sets "
			       "it; -v shows what the program does";
		if (all_wait(s))
			return "no thread runs: a longer --time-limit helps only where one of "
			       "these waits ends by itself; a test of it says `expect { time_limit "
			       "= true }`";
		return "a longer --time-limit, or -v to see what the program does";
	default:
		if (run_options(s)->aim == AIM_FIXED && run_error(s)->code == ERROR_LOCATION)
			return "write the line's text as it is now into the script; or make a new "
			       "script by `gatectl explore`";
		if (run_error(s)->hint)
			return run_error(s)->hint;
		return run_error(s)->code == ERROR_SCRIPT
			       ? "correct the script there; gatectl-gates(5) describes gate scripts"
			       : "`gatectl lines PROG LOCATION` shows what a location means";
	}
}

/* The script is the last one that is given: those before it have definitions. */
static void add_story(const struct run_options *o, struct str *out)
{
	const char *script = o->scripts.count ? o->scripts.items[o->scripts.count - 1] : NULL;

	str_addf(out,
		 "the comment at the head of %s, which tells the story; `gatectl repl -g %s %s` "
		 "goes "
		 "through it step by step",
		 script ? script : "the script", script ? script : "FILE", o->argv[0]);
}

static void add_advice(struct run *s, enum verdict v, struct str *out)
{
	const struct place *missing =
		v == VERDICT_NEVER_REACHED ? engine_missing(run_engine(s)) : NULL;

	if (missing && leftover_try(s, missing, out))
		return;
	if (missing)
		hints_missing_try(s, missing, out);
	else if (v == VERDICT_FOUND)
		add_story(run_options(s), out);
	else if (v == VERDICT_CRASHED)
		crash_try(s, out);
	else if (v == VERDICT_DEADLOCK)
		own_deadlock_try(s, out);
	else if (v == VERDICT_TIME_LIMIT && waiting_spin_try(s, out))
		return;
	else if (v == VERDICT_NOT_AS_EXPECTED &&
		 (hints_jumped_try(s, out) || loose_end_try(s, out) || opened_before_try(s, out)))
		return;
	else if ((v != VERDICT_NEVER_OPENED && v != VERDICT_GATE_DEADLOCK) ||
		 (!infeasible_try(s, out) && !hints_gates_try(s, out)))
		str_add(out, advice(s, v));
}

/* Describes an expected outcome that does not end the program by itself. */
static void explain_expected(struct run *s, struct str *out)
{
	if (run_outcome(s)->stuck == OUTCOME_DEADLOCK) {
		str_add(out, "as expected, a deadlock: ");
		explain_deadlock(s, out);
		str_add(out, "\n");
	} else if (run_outcome(s)->stuck == OUTCOME_GATE_DEADLOCK) {
		str_addf(out, "as expected, a deadlock with a gate in it: %s\n",
			 str_text(waiting_cycle(s)));
	} else if (run_outcome(s)->livelock && run_plan(s)->expect.end == EXPECT_LIVELOCK) {
		str_add(out, "as expected, ");
		livelock_line(s, out);
	} else if (run_outcome(s)->limit) {
		str_add(out, "as expected, ");
		still_ran(s, out);
		str_add(out, "\n");
		livelock_line(s, out);
	} else {
		return;
	}
	thread_lines(s, out);
}

/* Describes the crash if the first line is about something else. */
static void what_was_seen(struct run *s, enum verdict v, bool brief, struct str *out)
{
	const struct crash *c = crash_of_root(s);

	if (!c)
		thread_lines(s, out);
	if (c && !brief && v != VERDICT_CRASHED && v != VERDICT_FOUND) {
		crash_summary(c, out);
		str_add(out, "\n");
	}
	if (c && !brief)
		crash_lines(c, out);
	crash_child_lines(s, out);
	event_lines(s, out);
}

struct newer_files {
	const struct module *module;
	struct str *out;
};

static void add_newer(void *ctx, const char *path)
{
	struct newer_files *n = ctx;
	STR(quoted);
	STR(line);

	str_addf(&quoted, "%s:", str_base_name(path));
	if (!strstr(str_text(n->out), str_text(&quoted)) || !source_is_newer(n->module, path))
		return;
	str_add(&line, "note: ");
	source_add_newer(n->module, path, &line);
	str_add(&line, "\n");
	if (!strstr(str_text(n->out), str_text(&line)))
		str_add(n->out, str_text(&line));
}

/* Names the quoted source files that are newer than their object. */
static void newer_lines(struct run *s, struct str *out)
{
	for (size_t i = 0; run_root(s) && i < run_process_images(run_root(s))->count; i++) {
		struct module *m = run_process_images(run_root(s))->items[i].module;
		struct newer_files n = {m, out};

		if (module_find_debug(m) && !m->debug_separate)
			source_paths(m, add_newer, &n);
	}
}

/* Names the page for people: output of CTest is read without the command that made it. */
static void report_line(const struct run *s, struct str *out)
{
	const struct run_options *o = run_options(s);

	for (size_t i = 0; !o->sched && i < o->reports.count; i++)
		if (report_kind_of(o->reports.items[i]) == REPORT_HTML)
			str_addf(out, "report: %s\n", o->reports.items[i]);
}

/* `brief`: only the first line if the verdict is a crash. `note`: what earlier observers noted. */
static void explain_verdict(struct run *s, enum verdict v, bool brief, const char *note,
			    struct str *out)
{
	if (v == VERDICT_OK)
		return;
	first_line(s, v, out);
	if (v == VERDICT_CRASHED && brief)
		return;
	if (v == VERDICT_NEVER_REACHED)
		missing_lines(s, out);
	livelock_line(s, out);
	if ((v == VERDICT_NEVER_OPENED || v == VERDICT_TIME_LIMIT) && waiting_cycle(s)->length)
		str_addf(out, "deadlocked: %s\n", str_text(waiting_cycle(s)));
	if (v == VERDICT_NEVER_OPENED || v == VERDICT_GATE_DEADLOCK) {
		infeasible_lines(s, out);
		hints_gates(s, out);
	}
	if (v != VERDICT_ERROR)
		what_was_seen(s, v, brief, out);
	str_add(out, note);
	newer_lines(s, out);
	report_line(s, out);
	str_add(out, "try: ");
	add_advice(s, v, out);
	str_add(out, "\n");
}

/* Observer hook: writes the text of the verdict, the line that represents it, and the reports. */
static void explain_tell(struct run *s, struct run_result *out, const struct error *failed)
{
	if (failed)
		return;
	OWNED(noted) = base_strdup(str_text(&out->note));

	if (!run_interrupted(s))
		explain_verdict(s, out->verdict, false, noted, &out->text);
	if (out->verdict != VERDICT_OK)
		str_clear(&out->note);
	if (out->verdict == VERDICT_OK && run_only_looks(s)) {
		str_add(&out->text, "gatectl: ");
		explain_looked(s, &out->text);
		str_add(&out->text, "\n");
		thread_lines(s, &out->text);
	}
	leftover_tell(s, &out->text);
	crash_expected(s, out->verdict, &out->note);
	out->note_always = out->note.length > 0;
	if (out->verdict == VERDICT_OK && !run_interrupted(s) && !out->note.length)
		explain_expected(s, &out->note);
	blame_verdict(s, out->verdict, out);
	report_run(s, out);
	if (run_options(s)->quiet && crash_of_root(s) && !run_interrupted(s)) {
		/* the reports contain the whole text */
		str_clear(&out->text);
		explain_verdict(s, out->verdict, true, noted, &out->text);
	}
}

extern const struct observer explain_observer;
const struct observer explain_observer = {
	.comes = passers_comes,
	.passed = passers_passed,
	.judged = explain_tell,
};
