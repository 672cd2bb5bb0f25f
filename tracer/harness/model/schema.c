/* Parses and prints harnesses; compares them. */
#include "tracer/harness/model/model.h"

#include <ctype.h>
#include <stdlib.h>
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

static bool read_number(struct schema_reader *r, unsigned *out)
{
	skip(r);
	if (!isdigit((unsigned char)*r->at))
		return false;
	*out = (unsigned)strtoul(r->at, (char **)&r->at, 10);
	return *out < r->out->threads;
}

/* True if thread t would have to end before it begins. */
static bool is_cyclic(const struct schema *s, unsigned t)
{
	unsigned reached = s->after[t];

	for (unsigned n = 0; n < s->threads; n++)
		for (unsigned p = 0; p < s->threads; p++)
			reached |= reached & 1u << p ? s->after[p] : 0;
	return reached & 1u << t;
}

/* Parses "{ 0 < 2, 1 < 2 }", if it is there. */
static int read_order(struct schema_reader *r)
{
	unsigned before, after;

	if (skip(r) != '{')
		return 0;
	do {
		r->at++;
		if (!read_number(r, &before) || skip(r) != '<' || !r->at++ ||
		    !read_number(r, &after))
			return schema_refuse(r, "an order has the numbers of two threads, from 0: "
						"{ 0 < 2 }");
		r->out->after[after] |= (unsigned char)(1u << before);
		if (is_cyclic(r->out, after))
			return schema_refuse(r, "a thread would have to end before it begins");
	} while (skip(r) == ',');
	if (*r->at != '}')
		return schema_refuse(r, "the order has to end with }");
	r->at++;
	skip(r);
	return 0;
}

/* True if the next group in braces is an order of threads. */
static bool is_order(struct schema_reader *r)
{
	const char *at = r->at;

	if (*at == '{')
		at++;
	at += strspn(at, " \t\n0123456789");
	return *r->at == '{' && *at == '<';
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
	if (is_order(&r) && read_order(&r) < 0)
		return -1;
	if (*r.at)
		return schema_refuse(&r, "a || is missing between two threads");
	if (schema_size(out) > SCHEMA_SIZE)
		return schema_refuse(&r, "more than 16 calls");
	return out->threads > 1 ? 0 : schema_refuse(&r, "there is only one thread");
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_order(const struct schema *s, struct str *out)
{
	const char *before = " { ", *last = "";

	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned p = 0; p < s->threads; p++)
			if (s->after[t] & 1u << p) {
				str_addf(out, "%s%u < %u", before, p, t);
				before = ", ";
				last = " }";
			}
	str_add(out, last);
}

void schema_print(const struct harness_object *o, const struct schema *s, struct str *out)
{
	for (unsigned t = 0; t < s->threads; t++) {
		str_add(out, t ? " || { " : "{ ");
		for (unsigned i = 0; i < s->counts[t]; i++)
			str_addf(out, "%s%s", i ? "; " : "", o->calls.items[s->calls[t][i]].text);
		str_add(out, " }");
	}
	print_order(s, out);
}

bool schema_calls(const struct harness_object *o, const struct schema *s,
		  const struct harness_op *op)
{
	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < s->counts[t]; i++)
			if (harness_op_of(o, s->calls[t][i]) == op)
				return true;
	return false;
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
