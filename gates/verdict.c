#include "gates/expect.h"
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

/* ---- what was expected and is not so, in words ---- */

static void add_signal(struct str *out, int signal)
{
	str_addf(out, "signal SIG%s", signame_text(signal));
}

void outcome_print_end(const struct outcome *o, struct str *out)
{
	if (o->exited) {
		str_addf(out, "exit status %d", o->exit);
	} else if (o->signaled) {
		str_add(out, "ended by ");
		add_signal(out, o->signal);
	} else if (o->deadlock) {
		str_add(out, "a deadlock");
	} else if (o->livelock) {
		str_add(out, "a livelock");
	} else if (o->time_limit) {
		str_add(out, "the program still ran at the time limit");
	} else {
		str_add(out, "did not end by itself");
	}
}

static void add_part(struct str *out, const char *text)
{
	str_addf(out, "%s%s", out->length ? ", " : "", text);
}

void expect_print(const struct expect *x, struct str *out)
{
	if (x->has_exit) {
		add_part(out, "exit status ");
		str_addf(out, "%d", x->exit);
	}
	if (x->has_signal) {
		add_part(out, "ended by ");
		add_signal(out, x->signal);
		if (x->at)
			str_addf(out, " at %s", x->at);
	}
	expect_print_more(x, out);
	for (size_t i = 0; i < x->stdout_has.count; i++) {
		add_part(out, "standard output has ");
		foreign_lua_string(out, x->stdout_has.items[i]);
	}
	for (size_t i = 0; i < x->stderr_has.count; i++) {
		add_part(out, "standard error has ");
		foreign_lua_string(out, x->stderr_has.items[i]);
	}
	expect_print_checks(x, out);
}

/* A signal that nobody expects is never as expected, not even where only the output matters. */
static bool end_unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	bool exit_ok = !x->has_exit || (o->exited && o->exit == x->exit);
	bool signal_ok = !x->has_signal || (o->signaled && o->signal == x->signal);
	bool surprise = !x->has_exit && !x->has_signal && !o->signal_judged && o->signaled &&
			o->signal != o->killed_by;
	bool elsewhere = x->at && signal_ok && !o->at;

	if (exit_ok && signal_ok && !surprise && !elsewhere)
		return false;
	outcome_print_end(o, out);
	if (o->signaled && o->place)
		str_add(out, o->place);
	if (surprise) {
		str_add(out, ", which was not expected");
	} else if (!exit_ok) {
		str_addf(out, o->exited ? ", expected %d" : ", expected exit status %d", x->exit);
	} else {
		str_add(out, ", expected ");
		if (!elsewhere)
			add_signal(out, x->signal);
		if (x->at)
			str_addf(out, elsewhere ? "it at %s" : " at %s", x->at);
	}
	return true;
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
		return true;
	}
	return false;
}

static bool unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	return expect_unmet_more(x, o, out) || end_unmet(x, o, out) ||
	       text_unmet(x->stdout_has.items, x->stdout_has.count, o->stdout_text,
			  "standard output", out) ||
	       text_unmet(x->stderr_has.items, x->stderr_has.count, o->stderr_text,
			  "standard error", out) ||
	       expect_unmet_checks(o, out);
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

static bool any_missing(const struct engine *e)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(e, i)); i++)
		if (place_missing(p))
			return true;
	return false;
}

/* A signal ends held threads with all others; a deadlock that was asked for may leave some too. */
static bool held_by_gates(const struct expect *x, const struct outcome *o)
{
	if (o->gate_limit)
		return true;
	return o->held_at_end && !o->signaled && !(o->deadlock && x->deadlock);
}

enum verdict verdict_of(const struct engine *e, const struct expect *x, const struct outcome *o)
{
	char *why;

	if (o->fault)
		return VERDICT_ERROR;
	if (o->diverged)
		return VERDICT_DIVERGED;
	if (o->failed)
		return VERDICT_NOT_AS_EXPECTED;
	if (o->gate_deadlock)
		return VERDICT_GATE_DEADLOCK;
	if (o->deadlock && !x->deadlock)
		return VERDICT_DEADLOCK;
	if (o->time_limit && !x->time_limit && !x->livelock)
		return VERDICT_TIME_LIMIT;
	if (held_by_gates(x, o))
		return VERDICT_NEVER_OPENED;
	if (any_missing(e))
		return VERDICT_NEVER_REACHED;
	why = verdict_unmet(x, o);
	base_free(why);
	if (why)
		return VERDICT_NOT_AS_EXPECTED;
	return o->crashed && !x->any && o->signal != o->killed_by ? VERDICT_CRASHED : VERDICT_OK;
}

int verdict_status(enum verdict v, const struct expect *x, const struct outcome *o)
{
	if (v != VERDICT_OK && v != VERDICT_CRASHED)
		return (int)v;
	if (x->any)
		return 0;
	return o->signaled ? 128 + o->signal : o->exit;
}
