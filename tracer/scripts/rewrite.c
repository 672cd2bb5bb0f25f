/* Replaces a location in the text of a Lua script; all other bytes stay. */
#include "tracer/scripts/scripts.h"

#include <ctype.h>
#include <string.h>

/* A string of the script, without its quotes. */
struct literal {
	const char *begin, *end;
	unsigned line; /* line of its begin */
};

struct scanner {
	const char *at;
	unsigned line;
	ARRAY(struct literal) literals;
};

/* ---- the strings of a script ---------------------------------------------------------------- */

static void rewrite_step(struct scanner *s)
{
	if (*s->at == '\n')
		s->line++;
	if (*s->at)
		s->at++;
}

/* Returns the number of equals signs if "[[" or "[==[" begins here, else -1. */
static int long_level(const char *at)
{
	size_t level = at[0] == '[' ? strspn(at + 1, "=") : 0;

	return at[0] == '[' && at[1 + level] == '[' ? (int)level : -1;
}

/* Skips past the closing bracket, or to the end of the text. */
static void long_bracket(struct scanner *s, int level, struct literal *out)
{
	s->at += 2 + level;
	*out = (struct literal){s->at, s->at, s->line};
	for (; *s->at; rewrite_step(s)) {
		if (s->at[0] == ']' && (int)strspn(s->at + 1, "=") == level &&
		    s->at[1 + level] == ']')
			break;
	}
	out->end = s->at;
	if (*s->at)
		s->at += 2 + level;
}

static void quoted(struct scanner *s, struct literal *out)
{
	char quote = *s->at++;

	*out = (struct literal){s->at, s->at, s->line};
	while (*s->at && *s->at != quote && *s->at != '\n') {
		if (*s->at == '\\' && s->at[1])
			rewrite_step(s);
		rewrite_step(s);
	}
	out->end = s->at;
	if (*s->at == quote)
		s->at++;
}

static void comment(struct scanner *s)
{
	struct literal ignored;
	int level;

	s->at += 2;
	level = long_level(s->at);
	if (level >= 0)
		long_bracket(s, level, &ignored);
	else
		s->at += strcspn(s->at, "\n");
}

static void scan(struct scanner *s)
{
	struct literal found;

	if (s->at[0] == '#') /* the shebang line */
		s->at += strcspn(s->at, "\n");
	while (*s->at) {
		int level = long_level(s->at);

		if (s->at[0] == '-' && s->at[1] == '-') {
			comment(s);
		} else if (level >= 0) {
			long_bracket(s, level, &found);
			*array_add(&s->literals) = found;
		} else if (*s->at == '"' || *s->at == '\'') {
			quoted(s, &found);
			*array_add(&s->literals) = found;
		} else {
			rewrite_step(s);
		}
	}
}

/* ---- location in a string ---------------------------------------------------------------- */

static const char *rewrite_whole(const struct literal *l, const char *from)
{
	const char *begin = l->begin, *end = l->end;

	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	return (size_t)(end - begin) == strlen(from) && memcmp(begin, from, strlen(from)) == 0
		       ? begin
		       : NULL;
}

static bool is_edge(char c, const char *others)
{
	return isspace((unsigned char)c) || strchr(others, c);
}

/* An order contains several locations: "a -> calc.c:7, [calc.c:9]". Returns the first match
 * from `at` on, or NULL. */
static const char *in_order(const struct literal *l, const char *at, const char *from)
{
	size_t length = strlen(from);

	for (; length && at + length <= l->end; at++) {
		const char *behind = at + length;

		if (memcmp(at, from, length) != 0)
			continue;
		if (at > l->begin && !is_edge(at[-1], ",[>'\""))
			continue;
		if (behind == l->end || is_edge(*behind, ",]'\"@") ||
		    (behind[0] == '-' && behind[1] == '>'))
			return at;
	}
	return NULL;
}

struct spot {
	const char *at;
	const struct rewrite *edit;
};
struct spots {
	ARRAY(struct spot) items;
};

static void add_spot(struct spots *out, const char *at, const struct rewrite *edit)
{
	struct spot *spot;

	array_each(const struct spot, old, &out->items)
		if (old->at == at)
			return;
	spot = array_add(&out->items);
	spot->at = at;
	spot->edit = edit;
}

static bool is_order(const struct literal *l)
{
	return memmem(l->begin, (size_t)(l->end - l->begin), "->", 2) != NULL;
}

/* Returns the number of matches in this string. `out` (may be NULL) gets them. */
static size_t look_in(const struct literal *l, const struct rewrite *edit, struct spots *out)
{
	const char *at = rewrite_whole(l, edit->from);
	size_t count = 0;

	if (at) {
		if (out)
			add_spot(out, at, edit);
		return 1;
	}
	if (!is_order(l))
		return 0;
	for (at = l->begin; (at = in_order(l, at, edit->from)); at += strlen(edit->from)) {
		if (out)
			add_spot(out, at, edit);
		count++;
	}
	return count;
}

/* A location is usually written on the line that uses it. After a loop or a call over several lines
 * it is elsewhere: then exactly one string of the script must match. */
static void rewrite_place(const struct scanner *s, struct rewrite *edit, struct spots *out)
{
	size_t here = 0, anywhere = 0;

	array_each(const struct literal, l, &s->literals)
		if (l->line == edit->line)
			here += look_in(l, edit, out);
	edit->answer = REWRITE_DONE;
	if (here)
		return;
	array_each(const struct literal, l, &s->literals)
		anywhere += look_in(l, edit, NULL) > 0;
	if (anywhere != 1) {
		edit->answer = anywhere ? REWRITE_AMBIGUOUS : REWRITE_NOT_FOUND;
		return;
	}
	array_each(const struct literal, l, &s->literals)
		look_in(l, edit, out);
}

static const struct spot *first_behind(const struct spots *spots, const char *at)
{
	const struct spot *first = NULL;

	array_each(const struct spot, spot, &spots->items)
		if (spot->at >= at && (!first || spot->at < first->at))
			first = spot;
	return first;
}

char *rewrite_script(const char *text, struct rewrite *edits, size_t count)
{
	struct scanner s = {.at = text, .line = 1};
	const struct spot *spot;
	struct spots spots = {0};
	const char *from = text;
	struct str out = {0};

	scan(&s);
	for (size_t i = 0; i < count; i++)
		rewrite_place(&s, &edits[i], &spots);
	while ((spot = first_behind(&spots, from))) {
		str_add_bytes(&out, from, (size_t)(spot->at - from));
		str_add(&out, spot->edit->to);
		from = spot->at + strlen(spot->edit->from);
	}
	str_add(&out, from);
	array_fini(&spots.items);
	array_fini(&s.literals);
	return str_take(&out);
}
