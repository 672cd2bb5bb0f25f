/* Expectations of the script, outcome of the run, and the verdict on it. */
#include "gates/engine.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/str.h"
#include "tracer/base/signame.h"

#include <string.h>

const char *verdict_word(enum verdict v)
{
	switch (v) {
	case VERDICT_OK:
		return "ok";
	case VERDICT_FOUND:
		return "found";
	case VERDICT_DIVERGED:
		return "diverged";
	case VERDICT_NOT_AS_EXPECTED:
		return "not-as-expected";
	case VERDICT_NEVER_REACHED:
		return "never-reached";
	case VERDICT_NEVER_OPENED:
		return "never-opened";
	case VERDICT_GATE_DEADLOCK:
		return "gate-deadlock";
	case VERDICT_DEADLOCK:
		return "deadlock";
	case VERDICT_TIME_LIMIT:
		return "time-limit";
	case VERDICT_ERROR:
		return "error";
	case VERDICT_CRASHED:
		return "crashed";
	}
	return "error";
}

/* ---- what the script expects ---- */

void expect_fini(struct expect *x)
{
	array_each(char *, text, &x->stdout_has)
		base_free(*text);
	array_each(char *, text, &x->stderr_has)
		base_free(*text);
	array_each(struct expect_never, never, &x->never)
		base_free(never->location);
	array_each(struct expect_check, check, &x->checks) {
		base_free(check->text);
		base_free(check->source);
	}
	base_free(x->at);
	base_free(x->at_source);
	array_fini(&x->stdout_has);
	array_fini(&x->stderr_has);
	array_fini(&x->never);
	array_fini(&x->checks);
	*x = (struct expect){0};
}

bool expect_wants_stdout(const struct expect *x)
{
	return x->stdout_has.count || x->checks.count;
}

bool expect_wants_stderr(const struct expect *x)
{
	return x->stderr_has.count || x->checks.count;
}

bool expect_is_plain(const struct expect *x)
{
	return x->any && !x->at && !x->stderr_has.count && !x->never.count && !x->checks.count;
}

/* ---- never reached ---- */

static bool expect_is_meant(const struct expect_never *never, const struct place *p)
{
	return !p->optional && p->kind == PLACE_LOCATION &&
	       strcmp(p->location, never->location) == 0;
}

void expect_settle(struct expect *x, const struct engine *e)
{
	engine_each_place(p, e)
		array_each(struct expect_never, never, &x->never) {
			if (!expect_is_meant(never, p))
				continue;
			never->place = p;
			p->optional = true;
		}
}

/* A place that was dropped no longer counts; `own` does. */
static bool is_reached(const struct expect_never *never)
{
	const struct place *p = never->place->dropped ? never->own : never->place;

	return place_reached(p);
}

bool expect_looks_at(const struct expect *x, const struct place *p)
{
	array_each(const struct expect_never, never, &x->never)
		if (never->own == p)
			return true;
	return false;
}

static const struct expect_never *first_reached(const struct expect *x)
{
	array_each(const struct expect_never, never, &x->never)
		if (is_reached(never))
			return never;
	return NULL;
}

/* ---- in words ---- */

#define GATE_DEADLOCK "a deadlock with a gate in it"

static void add_signal(struct str *out, int signal)
{
	str_addf(out, "signal SIG%s", signame_text(signal));
}

/*
 * The program's end in words: "exit status 1", "ended by signal SIGABRT", "the program still ran at
 * the time limit".
 */
static void outcome_print_end(const struct outcome *o, struct str *out)
{
	if (o->end == OUTCOME_EXITED) {
		str_addf(out, "exit status %d", o->exit);
	} else if (o->end == OUTCOME_SIGNALED) {
		str_add(out, "ended by ");
		add_signal(out, o->signal);
	} else if (o->stuck) {
		str_add(out, o->stuck == OUTCOME_DEADLOCK ? "a deadlock" : GATE_DEADLOCK);
	} else if (o->livelock) {
		str_add(out, "a livelock");
	} else if (o->limit) {
		str_add(out, "the program still ran at the time limit");
	} else {
		str_add(out, "did not end by itself");
	}
}

void outcome_print(const struct outcome *o, struct str *out)
{
	if (o->fault == OUTCOME_FAULT)
		str_add(out, "a fault of the script");
	else if (o->fault == OUTCOME_FAILED)
		str_add(out, "the script failed the run");
	else if (o->stuck == OUTCOME_GATE_DEADLOCK)
		str_add(out, GATE_DEADLOCK);
	else if (o->stuck == OUTCOME_DEADLOCK)
		str_add(out, "a deadlock");
	else if (o->livelock)
		str_add(out, "a livelock");
	else if (o->limit || o->gate_limit)
		str_add(out, "a limit that passed");
	else
		outcome_print_end(o, out);
}

static void add_part(struct str *out, const char *text)
{
	str_addf(out, "%s%s", out->length ? ", " : "", text);
}

static void add_text(struct str *out, const char *what, const char *text)
{
	add_part(out, what);
	foreign_lua_string(out, text);
}

void expect_print(const struct expect *x, struct str *out)
{
	if (x->end == EXPECT_EXIT) {
		add_part(out, "exit status ");
		str_addf(out, "%d", x->exit);
	}
	if (x->end == EXPECT_SIGNAL) {
		add_part(out, "ended by ");
		add_signal(out, x->signal);
		if (x->at)
			str_addf(out, " at %s", x->at);
	}
	if (x->end == EXPECT_DEADLOCK)
		add_part(out, "a deadlock");
	if (x->end == EXPECT_GATE_DEADLOCK)
		add_part(out, GATE_DEADLOCK);
	if (x->gate)
		str_addf(out, ", \"%s\"", x->gate->name);
	if (x->end == EXPECT_LIVELOCK)
		add_part(out, "a livelock");
	if (x->end == EXPECT_TIME_LIMIT)
		add_part(out, "the time limit passes");
	array_each(const struct expect_never, never, &x->never) {
		add_part(out, never->location);
		str_add(out, " is never reached");
	}
	array_each(char *, text, &x->stdout_has)
		add_text(out, "standard output has ", *text);
	array_each(char *, text, &x->stderr_has)
		add_text(out, "standard error has ", *text);
	array_each(const struct expect_check, check, &x->checks)
		add_part(out, check->text);
}

/* The expected end that did not come, or NULL. */
static const char *other_end(const struct expect *x, const struct outcome *o)
{
	if (x->end == EXPECT_DEADLOCK && o->stuck != OUTCOME_DEADLOCK)
		return "a deadlock";
	if (x->end == EXPECT_GATE_DEADLOCK && o->stuck != OUTCOME_GATE_DEADLOCK)
		return GATE_DEADLOCK;
	if (x->end == EXPECT_LIVELOCK && !o->livelock)
		return "a livelock";
	if (x->end == EXPECT_TIME_LIMIT && !o->limit)
		return "that the time limit passes";
	return NULL;
}

static bool more_unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	const char *end = other_end(x, o);
	const struct expect_never *reached = end ? NULL : first_reached(x);

	if (end) {
		outcome_print_end(o, out);
		if (x->end == EXPECT_LIVELOCK && o->limit)
			str_add(out, ", and whether some thread makes progress is not known");
		str_addf(out, ", expected %s", end);
	} else if (reached) {
		str_addf(out, "%s was reached, expected that it never is", reached->location);
	}
	return end || reached;
}

/* An unexpected signal is never as expected, even if the expectation concerns only the output. */
static bool end_unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	bool exit_ok = x->end != EXPECT_EXIT || (o->end == OUTCOME_EXITED && o->exit == x->exit);
	bool signal_ok =
		x->end != EXPECT_SIGNAL || (o->end == OUTCOME_SIGNALED && o->signal == x->signal);
	bool surprise = x->end != EXPECT_EXIT && x->end != EXPECT_SIGNAL && !o->signal_judged &&
			o->end == OUTCOME_SIGNALED && o->signal != o->killed_by;
	bool elsewhere = x->at && signal_ok && !o->at;

	if (exit_ok && signal_ok && !surprise && !elsewhere)
		return false;
	outcome_print_end(o, out);
	if (o->end == OUTCOME_SIGNALED && o->place)
		str_add(out, o->place);
	if (surprise) {
		str_add(out, ", which was not expected");
	} else if (!exit_ok) {
		str_addf(out,
			 o->end == OUTCOME_EXITED ? ", expected %d" : ", expected exit status %d",
			 x->exit);
	} else {
		str_add(out, ", expected ");
		if (!elsewhere)
			add_signal(out, x->signal);
		if (x->at)
			str_addf(out, elsewhere ? "it at %s" : " at %s", x->at);
	}
	return true;
}

static void add_written(const struct str *written, struct str *out)
{
	enum { SHOWN = 200 };
	OWNED(begin) = base_strndup(str_text(written), SHOWN);

	if (!written->length) {
		str_add(out, ": it is empty");
		return;
	}
	str_add(out, written->length > strlen(begin) ? "; it begins with " : "; it is ");
	foreign_lua_string(out, begin);
}

static bool text_unmet(char *const *texts, size_t count, const struct str *written,
		       const char *name, struct str *out)
{
	for (size_t i = 0; i < count; i++) {
		if (written &&
		    memmem(str_text(written), written->length, texts[i], strlen(texts[i])))
			continue;
		str_addf(out, "%s does not have ", name);
		foreign_lua_string(out, texts[i]);
		if (written)
			add_written(written, out);
		return true;
	}
	return false;
}

static bool checks_unmet(const struct outcome *o, struct str *out)
{
	if (o->refused)
		str_addf(out, "%s: the function at %s does not return true", o->refused->text,
			 o->refused->source);
	return o->refused != NULL;
}

static bool unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	return more_unmet(x, o, out) || end_unmet(x, o, out) ||
	       text_unmet(x->stdout_has.items, x->stdout_has.count, o->stdout_text,
			  "standard output", out) ||
	       text_unmet(x->stderr_has.items, x->stderr_has.count, o->stderr_text,
			  "standard error", out) ||
	       checks_unmet(o, out);
}

char *verdict_unmet(const struct expect *x, const struct outcome *o)
{
	struct str out = {0};

	if (x->any && unmet(x, o, &out))
		return str_take(&out);
	str_fini(&out);
	return NULL;
}

/* ---- the verdict ---- */

void outcome_fault(struct outcome *o, const struct error *err)
{
	enum outcome_fault fault = err->code == ERROR_FAILED ? OUTCOME_FAILED : OUTCOME_FAULT;

	if (fault > o->fault)
		o->fault = fault;
}

const struct place *engine_missing(const struct engine *e)
{
	engine_each_place(p, e)
		if (place_missing(p))
			return p;
	return NULL;
}

/* A signal ends held threads too, and an expected deadlock may leave some held. */
static bool held_by_gates(const struct expect *x, const struct outcome *o)
{
	if (o->gate_limit)
		return true;
	return o->held_at_end && o->end != OUTCOME_SIGNALED &&
	       !(o->stuck == OUTCOME_DEADLOCK && x->end == EXPECT_DEADLOCK);
}

bool outcome_is_at_gate(const struct outcome *o, const struct expect *x)
{
	return o->stuck == OUTCOME_GATE_DEADLOCK && x->end == EXPECT_GATE_DEADLOCK &&
	       (o->at || !x->gate);
}

enum verdict verdict_of(const struct engine *e, const struct expect *x, const struct outcome *o)
{
	char *why;

	if (o->fault == OUTCOME_FAULT)
		return VERDICT_ERROR;
	if (o->fault == OUTCOME_DIVERGED)
		return VERDICT_DIVERGED;
	if (o->fault == OUTCOME_FAILED)
		return VERDICT_NOT_AS_EXPECTED;
	if (o->stuck == OUTCOME_GATE_DEADLOCK && !outcome_is_at_gate(o, x))
		return VERDICT_GATE_DEADLOCK;
	if (o->stuck == OUTCOME_DEADLOCK && x->end != EXPECT_DEADLOCK)
		return VERDICT_DEADLOCK;
	if (o->limit && x->end != EXPECT_TIME_LIMIT && x->end != EXPECT_LIVELOCK)
		return VERDICT_TIME_LIMIT;
	if (held_by_gates(x, o))
		return VERDICT_NEVER_OPENED;
	/* in a gate-deadlock its opener cannot arrive */
	if (e && o->stuck != OUTCOME_GATE_DEADLOCK && engine_missing(e))
		return VERDICT_NEVER_REACHED;
	why = verdict_unmet(x, o);
	base_free(why);
	if (why)
		return VERDICT_NOT_AS_EXPECTED;
	return o->crashed && !x->any && o->signal != o->killed_by ? VERDICT_CRASHED : VERDICT_OK;
}

bool expect_is_failure(const struct expect *x)
{
	bool shown = x->stdout_has.count || x->stderr_has.count || x->checks.count;

	return x->any && x->end != EXPECT_GATE_DEADLOCK &&
	       (shown || (x->end != EXPECT_ANY_END && (x->end != EXPECT_EXIT || x->exit)));
}

enum verdict verdict_of_fixed(const struct expect *x, const struct outcome *o)
{
	const struct expect nothing = {0};
	struct outcome without_gates = *o;

	without_gates.held_at_end = false;
	return verdict_of(NULL, x, &without_gates) == VERDICT_OK
		       ? VERDICT_FOUND
		       : verdict_of(NULL, &nothing, &without_gates);
}

int verdict_status(enum verdict v, const struct expect *x, const struct outcome *o)
{
	if (v != VERDICT_OK && v != VERDICT_CRASHED)
		return (int)v;
	if (x->any)
		return 0;
	return o->end == OUTCOME_SIGNALED ? 128 + o->signal : o->exit;
}
