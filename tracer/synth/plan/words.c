/* Words for steps: descriptions and names of gates. */
#include "tracer/synth/plan/plan_internal.h"
#include "tracer/base/text/token.h"

#include <ctype.h>
#include <string.h>

/* Limit of the object's part in a gate's name. */
enum { NAME_MOST = 32 };

struct verb {
	const char *does, *did;
	const char *call; /* usual function for it, for which the verb alone is enough */
};

/* Returns the function that the point enters, or NULL. */
static const char *entered(const struct schedule_where *w)
{
	return w->wrapped ? w->wrapped : w->call;
}

static struct verb verb_of(const struct schedule_step *step)
{
	static const struct verb verbs[] = {
		[STRATEGY_START] = {"starts", "started", NULL},
		[STRATEGY_CREATE] = {"creates a thread", "created", NULL},
		[STRATEGY_END] = {"ends", "ended", NULL},
		[STRATEGY_LOCK] = {"locks", "locked", "mutex_lock"},
		[STRATEGY_UNLOCK] = {"unlocks", "unlocked", "mutex_unlock"},
		[STRATEGY_WAIT] = {"waits for", "waited_for", "cond_wait"},
		[STRATEGY_SIGNAL] = {"signals", "signalled", "cond_signal"},
		[STRATEGY_READ] = {"reads", "read", NULL},
		[STRATEGY_WRITE] = {"writes", "wrote", NULL},
		[STRATEGY_ATOMIC] = {"changes", "changed", NULL},
		[STRATEGY_LINE] = {"comes to a line", "came", NULL},
		[STRATEGY_YIELD] = {"yields", "yielded", NULL},
		[STRATEGY_BLOCK] = {"calls into the kernel", "called", ""},
		[STRATEGY_TIMEOUT] = {"waits no longer for", "no_longer_waits", NULL},
		[STRATEGY_WAKE] = {"is woken", "woken", NULL},
		[STRATEGY_SPURIOUS] = {"returns without a signal from", "returned", NULL},
	};
	bool only_loads = step->point.op == STRATEGY_ATOMIC && !step->point.writes;
	struct verb v = verbs[only_loads ? STRATEGY_READ : step->point.op];
	const char *call = entered(&step->where);

	if (call && v.call && (!*v.call || !strstr(call, v.call)))
		v = (struct verb){"calls", "called", ""};
	return v;
}

static bool calls(const struct verb *v)
{
	return v->call && !*v->call;
}

/* Adds the statement without indentation, comment and punctuation. */
static void add_statement(const char *text, struct str *out)
{
	const char *comment = strstr(text, "//");
	size_t n;

	text += strspn(text, " \t");
	n = comment && comment > text ? (size_t)(comment - text) : strlen(text);
	while (n && strchr(" \t\r{", text[n - 1]))
		n--;
	str_add_bytes(out, text, n);
}

/* Adds a wait whose object is unknown. Returns false if the verb alone is enough. */
static bool add_wait(const struct schedule_step *step, struct str *out)
{
	const char *call = entered(&step->where);

	if (step->point.op == STRATEGY_TIMEOUT)
		str_addf(out, "%s%s", call ? "comes back from " : "waits no longer",
			 call ? call : "");
	else if (step->point.op == STRATEGY_WAIT)
		str_addf(out, "%s%s", call ? "waits in " : "waits", call ? call : "");
	else
		return false;
	return true;
}

void plan_deed(const struct schedule_step *step, const struct plan_words *words, struct str *out)
{
	const struct schedule_where *w = &step->where;
	struct verb v = verb_of(step);
	const char *text = NULL;

	if (step->point.op == STRATEGY_SPURIOUS) {
		str_addf(out, "returns from its wait%s%s%s without a signal (POSIX permits it)",
			 w->var ? " for `" : "", w->var ? w->var : "", w->var ? "`" : "");
		return;
	}
	if (!w->var && !calls(&v) && add_wait(step, out))
		return;
	str_add(out, v.does);
	if (calls(&v) && entered(w) && strcmp(v.does, "calls") == 0)
		str_addf(out, " %s", entered(w));
	if (w->var) {
		str_addf(out, "%s`%s`", calls(&v) ? " on " : " ", w->var);
		return;
	}
	switch (step->point.op) {
	case STRATEGY_READ:
	case STRATEGY_WRITE:
	case STRATEGY_ATOMIC:
		if (words->line_text && w->file)
			text = words->line_text(words->ctx, w->file, w->line);
		str_add(out, text ? " memory in `" : " memory");
		if (text) {
			add_statement(text, out);
			str_add(out, "`");
		}
		return;
	default:
		return;
	}
}

/* Position after the parenthesis that closes the one at `text`, if there is one. */
static const char *behind_parentheses(const char *text)
{
	int depth = 0;

	for (text += strspn(text, " \t"); *text; text++) {
		depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
		if (depth <= 0)
			return text + (*text == ')');
	}
	return text;
}

static bool has_body(const char *text)
{
	text += strspn(text, " \t");
	return *text && strncmp(text, "//", 2) != 0 && strncmp(text, "/*", 2) != 0 &&
	       !(*text == '{' && !text[1 + strspn(text + 1, " \t")]);
}

bool plan_is_loop(const char *text)
{
	for (struct token t = token_at(text); t.kind != TOKEN_END; t = token_at(t.start + t.length))
		if ((token_is(&t, "for") || token_is(&t, "while")) &&
		    has_body(behind_parentheses(t.start + t.length)))
			return true;
	return false;
}

/* ---- names ---- */

static void add_name(const char *text, struct str *out)
{
	if (out->length)
		str_add(out, "_");
	script_identifier(text, "#", NAME_MOST, out);
}

/* A lambda or an instance of a template has no short name: its thread's number, from 1 for main as
   in the REPL and in the page, takes its place. */
static void add_thread(const struct schedule *s, unsigned thread, struct str *out)
{
	const char *id = s->threads.items[thread];

	if (!strpbrk(id, "{<($"))
		add_name(id, out);
	if (out->length && !isdigit((unsigned char)*out->text))
		return;
	str_clear(out);
	str_addf(out, "thread%u", thread + 1);
}

char *plan_name(const struct schedule *s, const struct schedule_step *step, enum plan_tense tense)
{
	const struct schedule_where *w = &step->where;
	struct verb v = verb_of(step);
	struct str name = {0};

	add_thread(s, step->thread, &name);
	add_name(tense == PLAN_DID ? v.did : v.does, &name);
	if (calls(&v) && entered(w))
		add_name(entered(w), &name);
	else if (w->var)
		add_name(w->var, &name);
	else if (w->file && step->point.op != STRATEGY_END && step->point.op != STRATEGY_START)
		str_addf(&name, "_line%u", w->line);
	return str_take(&name);
}
