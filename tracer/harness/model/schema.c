/* Parses and prints harnesses; compares them. */
#include "tracer/harness/model/model.h"

#include <ctype.h>
#include <string.h>

/* ---- parsing --------------------------------------------------------------------------------- */

struct schema_reader {
	struct harness_object *object;
	const char *text, *at;
	struct schema *out;
	struct error *err;
};

static int schema_refuse(struct schema_reader *r, const char *what)
{
	error_set(r->err, ERROR_USAGE, "--schema: '%s': %s", r->text, what);
	return error_hint(r->err, "--schema '{ f(1); g() } || { h() }'");
}

static char skip(struct schema_reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
	return *r->at;
}

static int read_call(struct schema_reader *r, unsigned thread)
{
	const char *end = harness_scan(r->at, r->at + strlen(r->at), ";}", true);
	unsigned *count = &r->out->counts[thread];

	if (*count == SCHEMA_CALLS)
		return schema_refuse(r, "too many calls in one thread");
	if (end == r->at)
		return schema_refuse(r, "a call is missing");
	if (harness_call_named(r->object, r->at, (size_t)(end - r->at),
			       &r->out->calls[thread][*count], r->err) < 0)
		return error_prefix(r->err, "--schema: ");
	++*count;
	r->at = end;
	return 0;
}

static int read_thread(struct schema_reader *r, unsigned thread)
{
	if (skip(r) != '{')
		return schema_refuse(r, "a thread has to begin with {");
	r->at++;
	while (skip(r) != '}') {
		if (read_call(r, thread) < 0)
			return -1;
		if (skip(r) == ';')
			r->at++;
		else if (*r->at != '}')
			return schema_refuse(r, "a ; is missing between two calls");
	}
	r->at++;
	return r->out->counts[thread] ? 0
				      : schema_refuse(r, "a thread has to make at least one call");
}

int schema_parse(struct harness_object *o, const char *text, struct schema *out, struct error *err)
{
	struct schema_reader r = {o, text, text, out, err};

	*out = (struct schema){0};
	do {
		if (out->threads == SCHEMA_THREADS)
			return schema_refuse(&r, "too many threads");
		if (read_thread(&r, out->threads++) < 0)
			return -1;
		skip(&r);
	} while (strncmp(r.at, "||", 2) == 0 && (r.at += 2));
	if (*r.at)
		return schema_refuse(&r, "a || is missing between two threads");
	if (schema_size(out) > SCHEMA_SIZE)
		return schema_refuse(&r, "more than 16 calls");
	return out->threads > 1 ? 0 : schema_refuse(&r, "there is only one thread");
}

/* ---- printing -------------------------------------------------------------------------------- */

void schema_print(const struct harness_object *o, const struct schema *s, struct str *out)
{
	for (unsigned t = 0; t < s->threads; t++) {
		str_add(out, t ? " || { " : "{ ");
		for (unsigned i = 0; i < s->counts[t]; i++)
			str_addf(out, "%s%s", i ? "; " : "", o->calls.items[s->calls[t][i]].text);
		str_add(out, " }");
	}
}

unsigned schema_size(const struct schema *s)
{
	unsigned size = 0;

	for (unsigned t = 0; t < s->threads; t++)
		size += s->counts[t];
	return size;
}

/* ---- containment ----------------------------------------------------------------------------- */

static bool thread_contains(const struct harness_object *o, const struct schema *whole, unsigned w,
			    const struct schema *part, unsigned p)
{
	unsigned at = 0;

	for (unsigned i = 0; i < whole->counts[w] && at < part->counts[p]; i++)
		at += o->calls.items[whole->calls[w][i]].op ==
		      o->calls.items[part->calls[p][at]].op;
	return at == part->counts[p];
}

/* `used` has a bit for each thread of `whole` that is taken. */
static bool contains_from(const struct harness_object *o, const struct schema *whole,
			  const struct schema *part, unsigned p, unsigned used)
{
	if (p == part->threads)
		return true;
	for (unsigned w = 0; w < whole->threads; w++)
		if (!(used & 1u << w) && thread_contains(o, whole, w, part, p) &&
		    contains_from(o, whole, part, p + 1, used | 1u << w))
			return true;
	return false;
}

bool schema_contains(const struct harness_object *o, const struct schema *whole,
		     const struct schema *part)
{
	return contains_from(o, whole, part, 0, 0);
}
