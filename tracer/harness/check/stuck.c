/* Calls one after the other that do not end: the shortest for each operation, and where. */
#include "tracer/harness/hunt.h"

#include <string.h>

/* A run that computes is ended after so many seconds. */
enum { STUCK_SECONDS = 2 };

static struct harness_stuck *stuck_in(struct harness_hunt *h, const struct harness_op *op)
{
	array_each(struct harness_stuck, s, &h->stuck)
		if (harness_op_of(&h->object, s->calls[s->count - 1]) == op)
			return s;
	return NULL;
}

void harness_note_stuck(struct harness_hunt *h, const struct harness_order *o)
{
	const unsigned count = o->done < (int)o->count ? (unsigned)o->done + 1 : o->count;
	const struct harness_op *last;
	struct harness_stuck *s;
	STR(ends);

	if (o->done < 0 || o->end == ORDER_UNKNOWN || harness_left(h) < 0)
		return;
	last = harness_op_of(&h->object, o->calls[count - 1] % ORDER_THREAD);
	s = stuck_in(h, last);
	if (s && s->count <= count)
		return;
	s = s ? s : array_add(&h->stuck);
	s->count = count;
	for (unsigned i = 0; i < count; i++)
		s->calls[i] = o->calls[i] % ORDER_THREAD;
	harness_say_end(o, &ends);
	base_free(s->ends);
	s->ends = str_take(&ends);
}

/* Returns what the first line of the verdict says after its word, without the newline. */
static char *where_it_crashed(const char *text)
{
	const char *word = strstr(text, ": "), *what = word ? strstr(word + 2, ": ") : NULL;

	return what ? base_strndup(what + 2, strcspn(what + 2, "\n")) : NULL;
}

/* Returns what the second line says of the only thread, "main waits for mutex m, in f at x.c:9",
   without its place in the generated program. */
static char *where_it_waits(const char *text)
{
	static const char call[] = ", in call_", inside[] = "; inside ";
	const char *line = strchr(text, '\n'), *what = line ? strstr(line, ": ") : NULL;
	OWNED(found) = what ? base_strndup(what + 2, strcspn(what + 2, "\n")) : NULL;
	char *in_call = found ? strstr(found, call) : NULL;
	const char *in = in_call ? strstr(in_call, inside) : NULL;
	struct str out = {0};

	if (!found)
		return NULL;
	if (in)
		*in_call = '\0';
	str_addf(&out, "%s%s%s", found, in ? ", in " : "", in ? in + sizeof(inside) - 1 : "");
	return str_take(&out);
}

/* Runs the calls in one thread of the program. */
static int look_where(struct harness_hunt *h, struct harness_stuck *s)
{
	struct run_options *o = h->x.options, before = *o;
	STR(calls);
	char *argv[] = {h->program, "run", "", NULL, "=", NULL};
	struct run_result r;
	int failed;

	for (unsigned i = 0; i < s->count; i++)
		str_addf(&calls, "%s%u", i ? " " : "", s->calls[i]);
	argv[3] = calls.text;
	o->argv = argv;
	o->features = h->plain;
	o->time_limit = STUCK_SECONDS;
	failed = experiment_run(&h->x, NULL, NULL, &r);
	*o = before;
	if (failed)
		return -1;
	base_free(s->where);
	s->where = r.verdict == VERDICT_DEADLOCK  ? where_it_waits(str_text(&r.text))
		   : r.verdict == VERDICT_CRASHED ? where_it_crashed(str_text(&r.text))
						  : NULL;
	run_result_fini(&r);
	return 0;
}

int harness_look_where_stuck(struct harness_hunt *h)
{
	array_each(struct harness_stuck, s, &h->stuck)
		if (look_where(h, s) < 0)
			return -1;
	return 0;
}

const struct harness_stuck *harness_stuck_with(const struct harness_hunt *h,
					       const struct harness_op *op)
{
	array_each(const struct harness_stuck, s, &h->stuck)
		for (unsigned i = 0; i < s->count; i++)
			if (harness_op_of(&h->object, s->calls[i]) == op)
				return s;
	return NULL;
}

void harness_say_stuck(const struct harness_hunt *h, const struct harness_stuck *s, bool where,
		       struct str *out)
{
	for (unsigned i = 0; i < s->count; i++)
		str_addf(out, "%s%s", i ? "; " : "{ ", h->object.calls.items[s->calls[i]].text);
	str_addf(out, " } %s", s->ends);
	if (where && s->where)
		str_addf(out, ": %s", s->where);
}

void harness_stuck_fini(struct harness_hunt *h)
{
	array_each(struct harness_stuck, s, &h->stuck) {
		base_free(s->ends);
		base_free(s->where);
	}
	array_fini(&h->stuck);
}
