/*
 * What a thread has done: which of the statements that it has begun are executed, and can be named
 * in a script.
 */
#include "tracer/features/convert/record.h"
#include "tracer/source/lines/source_lines.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool deeds_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool deeds_same_line(const struct convert_line *a, const struct convert_line *b)
{
	return a->line == b->line && deeds_same_text(a->file, b->file);
}

bool deeds_same_place(const struct convert_line *a, const struct convert_line *b)
{
	return deeds_same_line(a, b) && deeds_same_text(a->func, b->func);
}

bool deeds_sounds_like_sleep(const char *func)
{
	static const char *const words[] = {"sleep", "delay", "settle", "nap", "pause", "usec"};

	for (size_t i = 0; func && i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(func, words[i]))
			return true;
	return false;
}

bool deeds_is_empty(struct modules *symbols, const struct convert_line *at)
{
	const char *text = at->file ? source_line(symbols, at->file, at->line) : NULL;

	while (text && (isspace((unsigned char)*text) || *text == '}' || *text == ')' ||
			*text == ';' || *text == '{'))
		text++;
	if (!text)
		return false;
	return !*text || strncmp(text, "else", 4) == 0 ||
	       (strncmp(text, "return", 6) == 0 && !strchr(text, '('));
}

/* What follows the brackets of "while (...)"; NULL: it is no such statement. */
static const char *behind_while(const char *text)
{
	unsigned depth = 0;

	while (isspace((unsigned char)*text))
		text++;
	if (strncmp(text, "while", 5) != 0 || (text[5] != ' ' && text[5] != '('))
		return NULL;
	for (text += 5; *text && *text != '\n'; text++) {
		depth += *text == '(';
		if (*text == ')' && --depth == 0)
			return text + 1;
	}
	return text;
}

bool deeds_is_while(struct modules *symbols, const struct convert_line *at, bool with_body)
{
	const char *text = at->file ? source_line(symbols, at->file, at->line) : NULL;

	text = text ? behind_while(text) : NULL;
	return text && (!with_body || isalpha((unsigned char)text[strspn(text, " {")]));
}

/* Has the thread since been only in functions called from there or, with `same`, in the function
   itself? */
static bool stayed_in(const struct convert_thread *t, size_t event, size_t now, bool same)
{
	const struct convert_event *e = &t->events.items[event];

	for (size_t i = event + 1; i < now; i++)
		if (t->events.items[i].frame > e->frame ||
		    (!same && t->events.items[i].frame == e->frame))
			return false;
	return event + 1 < now;
}

/* A line that names a function, or begins it, stands for the whole function: nothing is done while
   that runs. */
static bool deeds_is_function(const struct convert_record *r, const struct convert_line *at)
{
	char *location = convert_location(r->symbols, r->program, at);
	bool is = location && (at->opens || deeds_same_text(location, at->func));

	base_free(location);
	return is;
}

bool deeds_is_done(const struct convert_record *r, const struct convert_thread *t, size_t event,
		   size_t now)
{
	if (stayed_in(t, event, now, false))
		return false;
	return !stayed_in(t, event, now, true) || !deeds_is_function(r, &t->events.items[event].at);
}

static bool has_location(const struct convert_record *r, const struct convert_line *at)
{
	char *location = convert_location(r->symbols, r->program, at);

	base_free(location);
	return location != NULL;
}

size_t deeds_last(const struct convert_record *r, const struct convert_thread *t, size_t n,
		  size_t now)
{
	for (; n > 0; n--) {
		const struct convert_line *at = &t->events.items[n - 1].at;

		if (!deeds_is_empty(r->symbols, at) && deeds_is_done(r, t, n - 1, now) &&
		    has_location(r, at))
			break;
	}
	return n;
}

bool deeds_is_all(const struct convert_record *r, const struct convert_thread *t, size_t n)
{
	for (size_t i = n; i < t->events.count; i++)
		if (!deeds_is_empty(r->symbols, &t->events.items[i].at))
			return false;
	/* a function that ends by a jump to what it calls has no closing brace */
	return n < t->events.count || (n && deeds_is_function(r, &t->events.items[n - 1].at));
}
