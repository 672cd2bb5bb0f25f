#include "gates/verdict.h"
#include "tracer/base/str.h"

#include <string.h>

void expect_fini(struct expect *x)
{
	for (size_t i = 0; i < x->stdout_has.count; i++)
		base_free(x->stdout_has.items[i]);
	for (size_t i = 0; i < x->stderr_has.count; i++)
		base_free(x->stderr_has.items[i]);
	array_fini(&x->stdout_has);
	array_fini(&x->stderr_has);
	*x = (struct expect){0};
}

const char *verdict_word(enum verdict v)
{
	switch (v) {
	case VERDICT_OK:
		return "ok";
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
	}
	return "error";
}

/* ---- what was expected and is not so, in words ---- */

static void add_signal(struct str *out, int signal)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		str_addf(out, "signal SIG%s", name);
	else
		str_addf(out, "signal %d", signal);
}

static void add_end(struct str *out, const struct outcome *o)
{
	if (o->exited) {
		str_addf(out, "exit status %d", o->exit);
	} else if (o->signaled) {
		str_add(out, "ended by ");
		add_signal(out, o->signal);
	} else {
		str_add(out, "did not end by itself");
	}
}

/* On one line: the text may have several. */
static void add_quoted(struct str *out, const char *text)
{
	str_add(out, "\"");
	for (; *text; text++) {
		if (*text == '\n')
			str_add(out, "\\n");
		else if (*text == '\t')
			str_add(out, "\\t");
		else if (*text == '"' || *text == '\\')
			str_addf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20 || *text == 0x7f)
			str_addf(out, "\\x%02x", (unsigned char)*text);
		else
			str_add_bytes(out, text, 1);
	}
	str_add(out, "\"");
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
	}
	if (x->deadlock)
		add_part(out, "a deadlock");
	for (size_t i = 0; i < x->stdout_has.count; i++) {
		add_part(out, "standard output has ");
		add_quoted(out, x->stdout_has.items[i]);
	}
	for (size_t i = 0; i < x->stderr_has.count; i++) {
		add_part(out, "standard error has ");
		add_quoted(out, x->stderr_has.items[i]);
	}
}

void outcome_print(const struct outcome *o, struct str *out)
{
	if (o->fault)
		str_add(out, "a fault of the script");
	else if (o->gate_deadlock)
		str_add(out, "a deadlock with a gate in it");
	else if (o->deadlock)
		str_add(out, "a deadlock");
	else if (o->time_limit || o->gate_limit)
		str_add(out, "a limit that passed");
	else
		add_end(out, o);
}

static bool deadlock_unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	if (!x->deadlock || o->deadlock)
		return false;
	add_end(out, o);
	str_add(out, ", expected a deadlock");
	return true;
}

/* A signal that nobody expects is never as expected, not even where only the output matters. */
static bool end_unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	bool exit_ok = !x->has_exit || (o->exited && o->exit == x->exit);
	bool signal_ok = !x->has_signal || (o->signaled && o->signal == x->signal);
	bool surprise = !x->has_exit && !x->has_signal && o->signaled && o->signal != o->killed_by;

	if (exit_ok && signal_ok && !surprise)
		return false;
	add_end(out, o);
	if (surprise) {
		str_add(out, ", which was not expected");
	} else if (!exit_ok) {
		str_addf(out, o->exited ? ", expected %d" : ", expected exit status %d", x->exit);
	} else {
		str_add(out, ", expected ");
		add_signal(out, x->signal);
	}
	return true;
}

static bool text_unmet(char *const *texts, size_t count, const char *written, const char *name,
		       struct str *out)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(written ? written : "", texts[i]))
			continue;
		str_addf(out, "%s does not have ", name);
		add_quoted(out, texts[i]);
		return true;
	}
	return false;
}

static bool unmet(const struct expect *x, const struct outcome *o, struct str *out)
{
	return deadlock_unmet(x, o, out) || end_unmet(x, o, out) ||
	       text_unmet(x->stdout_has.items, x->stdout_has.count, o->stdout_text,
			  "standard output", out) ||
	       text_unmet(x->stderr_has.items, x->stderr_has.count, o->stderr_text,
			  "standard error", out);
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
	if (o->gate_deadlock)
		return VERDICT_GATE_DEADLOCK;
	if (o->deadlock && !x->deadlock)
		return VERDICT_DEADLOCK;
	if (o->time_limit)
		return VERDICT_TIME_LIMIT;
	if (held_by_gates(x, o))
		return VERDICT_NEVER_OPENED;
	if (any_missing(e))
		return VERDICT_NEVER_REACHED;
	why = verdict_unmet(x, o);
	base_free(why);
	return why ? VERDICT_NOT_AS_EXPECTED : VERDICT_OK;
}

int verdict_status(enum verdict v, const struct expect *x, const struct outcome *o)
{
	if (v != VERDICT_OK)
		return (int)v;
	if (x->any)
		return 0;
	return o->signaled ? 128 + o->signal : o->exit;
}
