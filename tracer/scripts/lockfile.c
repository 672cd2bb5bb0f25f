/* Reads and writes the lock file: plain text for review, merged line by line.
 * README.md shows the format. */
#include "tracer/scripts/scripts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 300 };

char *drift_fold(const char *text)
{
	char *folded = base_strdup(text), *to = folded;
	const char *at = text;

	for (; *at && to - folded < TEXT_MOST; at++) {
		if (!isspace((unsigned char)*at))
			*to++ = *at;
		else if (to > folded && to[-1] != ' ')
			*to++ = ' ';
	}
	if ((*at & 0xC0) == 0x80) { /* the cut is inside a UTF-8 character */
		while (to > folded && (to[-1] & 0xC0) == 0x80)
			to--;
		if (to > folded)
			to--;
	}
	if (to > folded && to[-1] == ' ')
		to--;
	*to = '\0';
	return folded;
}

/* ---- meanings ------------------------------------------------------------------------------- */

static char *copied(const char *text)
{
	return text ? base_strdup(text) : NULL;
}

void meaning_copy(const struct meaning *from, struct meaning *to)
{
	*to = *from;
	to->location = copied(from->location);
	to->object = copied(from->object);
	to->build = copied(from->build);
	to->function = copied(from->function);
	to->file = copied(from->file);
	to->text = copied(from->text);
	for (unsigned i = 0; i < DRIFT_AROUND; i++) {
		to->before[i] = copied(from->before[i]);
		to->behind[i] = copied(from->behind[i]);
	}
}

void meaning_fini(struct meaning *m)
{
	base_free(m->location);
	base_free(m->object);
	base_free(m->build);
	base_free(m->function);
	base_free(m->file);
	base_free(m->text);
	for (unsigned i = 0; i < DRIFT_AROUND; i++) {
		base_free(m->before[i]);
		base_free(m->behind[i]);
	}
	*m = (struct meaning){0};
}

const struct meaning *lockfile_find(const struct lockfile *l, const char *location)
{
	char *folded = drift_fold(location);
	const struct meaning *found = NULL;

	array_each(const struct meaning, m, &l->meanings)
		if (!found && strcmp(m->location, folded) == 0)
			found = m;
	base_free(folded);
	return found;
}

void lockfile_add(struct lockfile *l, struct meaning *m)
{
	if (lockfile_find(l, m->location))
		meaning_fini(m);
	else
		*array_add(&l->meanings) = *m;
	*m = (struct meaning){0};
}

static const struct meaning *respelling(const struct meaning *m, const struct respelled *changes,
					size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(changes[i].from, m->location) == 0)
			return changes[i].to;
	return NULL;
}

/* The new name of one location may be the old name of another: all are renamed at once, then
 * duplicates are removed. */
void lockfile_respell(struct lockfile *l, const struct respelled *changes, size_t count)
{
	struct lockfile out = {0};

	array_each(struct meaning, m, &l->meanings) {
		const struct meaning *to = respelling(m, changes, count);
		struct meaning copy;

		meaning_copy(to ? to : m, &copy);
		lockfile_add(&out, &copy);
	}
	lockfile_fini(l);
	*l = out;
}

void lockfile_fini(struct lockfile *l)
{
	array_each(struct meaning, m, &l->meanings)
		meaning_fini(m);
	array_fini(&l->meanings);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void print_meaning(const struct meaning *m, struct str *out)
{
	str_addf(out, "\nat %s\n", m->location);
	if (m->object)
		str_addf(out, "\tobject %s\n", m->object);
	if (m->function && m->has_offset)
		str_addf(out, "\tfunction %s +%u\n", m->function, m->in_function);
	else if (m->function)
		str_addf(out, "\tfunction %s\n", m->function);
	if (m->file)
		str_addf(out, "\tline %s:%u\n", m->file, m->line);
	for (unsigned i = DRIFT_AROUND; i-- > 0;)
		if (m->before[i])
			str_addf(out, "\t- %s\n", m->before[i]);
	if (m->text)
		str_addf(out, "\t= %s\n", m->text);
	for (unsigned i = 0; i < DRIFT_AROUND; i++)
		if (m->behind[i])
			str_addf(out, "\t+ %s\n", m->behind[i]);
}

/* Returns the object's first meaning with a build id, or NULL. */
static const struct meaning *first_of(const struct lockfile *l, const char *object)
{
	array_each(const struct meaning, m, &l->meanings)
		if (m->build && strcmp(m->object, object) == 0)
			return m;
	return NULL;
}

/* True if all meanings of the object are from one build: --fix keeps the meaning of a lost location
 * from an older build, which must not count as unchanged. */
static bool one_build(const struct lockfile *l, const struct meaning *first)
{
	array_each(const struct meaning, m, &l->meanings)
		if (m->object && strcmp(m->object, first->object) == 0 &&
		    !(m->build && strcmp(m->build, first->build) == 0))
			return false;
	return true;
}

/* One line for each object, so that a new build changes no other lines. */
static void print_builds(const struct lockfile *l, struct str *out)
{
	array_each(const struct meaning, m, &l->meanings)
		if (m->build && first_of(l, m->object) == m && one_build(l, m))
			str_addf(out, "build %s %s\n", m->object, m->build);
}

void lockfile_print(const struct lockfile *l, const char *script, struct str *out)
{
	str_addf(out,
		 "# What the locations of %s meant. Written by gatectl check --lock; keep it "
		 "beside the script.\nlock 1\n",
		 str_base_name(script));
	print_builds(l, out);
	array_each(const struct meaning, m, &l->meanings)
		print_meaning(m, out);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct lockfile_build {
	char *object, *build;
};

struct parser {
	const char *path;
	unsigned line;
	bool begun; /* the line "lock 1" has been read */
	ARRAY(struct lockfile_build) builds;
	struct lockfile *out;
	struct error *err;
};

static int unknown(struct parser *p)
{
	error_set(p->err, ERROR_SCRIPT, "%s:%u: this is not a line of a lock file", p->path,
		  p->line);
	return error_hint(p->err, "write the file again: gatectl check --lock -g FILE.lua PROG");
}

/* Returns what follows the word, or NULL if the line begins otherwise. */
static char *behind_word(char *line, const char *word)
{
	size_t length = strlen(word);

	return strncmp(line, word, length) == 0 && line[length] ? line + length : NULL;
}

static void set(char **to, const char *value)
{
	base_free(*to);
	*to = base_strdup(value);
}

/* Splits the text at the last `mark`. Returns false if no number follows it. */
static bool split_number(char *text, char mark, unsigned *number)
{
	char *at = strrchr(text, mark);

	if (!at || at == text || !isdigit((unsigned char)at[1]) ||
	    at[1 + strspn(at + 1, "0123456789")])
		return false;
	*number = (unsigned)strtoul(at + 1, NULL, 10);
	while (at > text && isspace((unsigned char)at[-1]))
		at--;
	*at = '\0';
	return true;
}

/* The nearest preceding line is the last one in the file: earlier ones move back. */
static void push_before(struct meaning *m, const char *text)
{
	base_free(m->before[DRIFT_AROUND - 1]);
	memmove(m->before + 1, m->before, (DRIFT_AROUND - 1) * sizeof(m->before[0]));
	m->before[0] = base_strdup(text);
}

static void push_behind(struct meaning *m, const char *text)
{
	for (unsigned i = 0; i < DRIFT_AROUND; i++)
		if (!m->behind[i]) {
			m->behind[i] = base_strdup(text);
			return;
		}
}

static int take_build(struct parser *p, char *rest)
{
	char *build = strrchr(rest, ' ');
	struct lockfile_build *b;

	if (!build)
		return unknown(p);
	*build++ = '\0';
	b = array_add(&p->builds);
	*b = (struct lockfile_build){base_strdup(rest), base_strdup(build)};
	return 0;
}

static void take_object(struct parser *p, struct meaning *m, const char *object)
{
	set(&m->object, object);
	array_each(const struct lockfile_build, b, &p->builds)
		if (strcmp(b->object, object) == 0)
			set(&m->build, b->build);
}

static int take_detail(struct parser *p, struct meaning *m, char *line)
{
	char *rest;

	if ((rest = behind_word(line, "object "))) {
		take_object(p, m, rest);
	} else if ((rest = behind_word(line, "function "))) {
		m->has_offset = split_number(rest, '+', &m->in_function);
		set(&m->function, rest);
	} else if ((rest = behind_word(line, "line "))) {
		if (!split_number(rest, ':', &m->line))
			return unknown(p);
		set(&m->file, rest);
	} else if ((rest = behind_word(line, "- "))) {
		push_before(m, rest);
	} else if ((rest = behind_word(line, "= "))) {
		set(&m->text, rest);
	} else if ((rest = behind_word(line, "+ "))) {
		push_behind(m, rest);
	} else {
		return unknown(p);
	}
	return 0;
}

static int take_line(struct parser *p, char *line)
{
	size_t count = p->out->meanings.count;
	char *rest;

	if (!line[strspn(line, " \t\r")] || line[0] == '#')
		return 0;
	line[strcspn(line, "\r")] = '\0';
	if (!p->begun) {
		p->begun = strcmp(line, "lock 1") == 0;
		return p->begun ? 0 : unknown(p);
	}
	if ((rest = behind_word(line, "build ")))
		return take_build(p, rest);
	if ((rest = behind_word(line, "at "))) {
		array_add(&p->out->meanings)->location = drift_fold(rest);
		return 0;
	}
	if (line[0] == '\t' && count)
		return take_detail(p, &p->out->meanings.items[count - 1], line + 1);
	return unknown(p);
}

int lockfile_parse(const char *text, const char *path, struct lockfile *out, struct error *err)
{
	struct parser p = {.path = path, .out = out, .err = err};
	char *copy = base_strdup(text), *rest = copy, *line;
	int answer = 0;

	while (answer == 0 && (line = strsep(&rest, "\n"))) {
		p.line++;
		answer = take_line(&p, line);
	}
	if (answer == 0 && !p.begun)
		answer = unknown(&p);
	array_each(struct lockfile_build, b, &p.builds) {
		base_free(b->object);
		base_free(b->build);
	}
	array_fini(&p.builds);
	base_free(copy);
	return answer;
}
