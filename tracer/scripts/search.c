/* Finds source lines that may be the line that a location meant. */
#include "tracer/scripts/search.h"

#include <ctype.h>
#include <string.h>

static bool search_has_word(const char *line)
{
	while (*line && !isalnum((unsigned char)*line))
		line++;
	return *line != '\0';
}

const char *drift_around(const struct source_text *t, unsigned line, int step, unsigned k)
{
	for (long n = (long)line + step; n >= 1 && n <= (long)t->count; n += step)
		if (search_has_word(t->lines[n - 1]) && k-- == 0)
			return t->lines[n - 1];
	return NULL;
}

/* ---- similarity of a line ---------------------------------------------------------------- */

bool drift_same(const char *was, const char *now)
{
	return was && now ? drift_same_text(was, now) : !was && !now;
}

static unsigned same_around(const struct meaning *was, const struct source_text *t, unsigned line)
{
	unsigned count = 0;

	for (unsigned i = 0; i < DRIFT_AROUND; i++) {
		count += drift_same(was->before[i], drift_around(t, line, -1, i));
		count += drift_same(was->behind[i], drift_around(t, line, 1, i));
	}
	return count;
}

unsigned drift_nearness(unsigned a, unsigned b)
{
	unsigned far = a < b ? b - a : a - b;

	return NEAR * 50 / (50 + far);
}

/* Excludes most lines by their first character, unless a comment may begin there. */
static bool may_be_same(const char *was, const char *line)
{
	line += strspn(line, " \t");
	return *line == *was || *line == '/' || *was == '/';
}

static bool is_same_file(const struct drift_search *s)
{
	return s->pass == PASS_SAME_FILE || s->pass == PASS_SIMILAR;
}

static unsigned alike(const struct drift_search *s, const char *text)
{
	const char *was = s->was->text;

	if (may_be_same(was, text) && drift_same_text(was, text))
		return s->pass >= PASS_SIMILAR ? 0 : 100; /* found by an earlier pass */
	return s->pass >= PASS_SIMILAR ? drift_similarity(was, text) : 0;
}

static bool seed_score(const struct drift_search *s, const struct source_text *t, struct seed *seed)
{
	unsigned percent = alike(s, t->lines[seed->line - 1]);

	if (percent < SIMILAR_LEAST)
		return false;
	seed->same_text = s->pass < PASS_SIMILAR;
	seed->same_function = s->pass == PASS_ELSEWHERE;
	seed->around = same_around(s->was, t, seed->line);
	seed->score = seed->same_text ? SAME_TEXT : SIMILAR_TEXT * percent;
	seed->score += SAME_AROUND * seed->around + drift_nearness(seed->line, s->was->line) +
		       (is_same_file(s) ? SAME_FILE : 0);
	return true;
}

/* Keeps the best lines, best first. */
static void keep_seed(struct drift_search *s, const struct seed *seed)
{
	unsigned i = s->seed_count;

	if (i == SEEDS && seed->score <= s->seeds[SEEDS - 1].score)
		return;
	if (i < SEEDS)
		s->seed_count++;
	else
		i--;
	for (; i > 0 && s->seeds[i - 1].score < seed->score; i--)
		s->seeds[i] = s->seeds[i - 1];
	s->seeds[i] = *seed;
}

static void look_in_file(struct drift_search *s, const char *path)
{
	struct source_text text;

	if (!source_text(s->symbols, path, &text))
		return;
	for (unsigned line = 1; line <= text.count; line++) {
		struct seed seed = {.path = path, .line = line};

		if (search_has_word(text.lines[line - 1]) && seed_score(s, &text, &seed))
			keep_seed(s, &seed);
	}
}

static void each_path(void *ctx, const char *path)
{
	struct drift_search *s = ctx;
	bool same_name = path && strcmp(str_base_name(path), s->was->file) == 0;

	if (path && same_name == is_same_file(s))
		*array_add(&s->paths) = path;
}

static int search_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Collects the files of the recorded object or, if no module has that name now, of all modules. */
static void gather_paths(struct drift_search *s)
{
	bool any = false;

	s->paths.count = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (!s->was->object || strcmp(module_name(s->modules[i]), s->was->object) != 0)
			continue;
		source_paths(s->modules[i], each_path, s);
		any = true;
	}
	for (size_t i = 0; !any && i < s->count; i++)
		source_paths(s->modules[i], each_path, s);
}

/* Many compilation units share files: each file is searched once. */
static void search_look(struct drift_search *s, enum drift_pass pass)
{
	s->pass = pass;
	gather_paths(s);
	array_sort(&s->paths, search_by_name);
	for (size_t i = 0; i < s->paths.count; i++)
		if (i == 0 || strcmp(s->paths.items[i], s->paths.items[i - 1]) != 0)
			look_in_file(s, s->paths.items[i]);
}

/* True if the best line is better than any that this pass can find. */
static bool found(const struct drift_search *s, enum drift_pass pass)
{
	return s->seed_count && (pass == PASS_ELSEWHERE ||
				 (s->seeds[0].same_text && s->seeds[0].around >= DRIFT_AROUND));
}

void drift_lines(struct drift_search *s)
{
	for (enum drift_pass pass = PASS_SAME_FILE; pass <= PASS_ELSEWHERE && !found(s, pass);
	     pass++)
		search_look(s, pass);
	array_fini(&s->paths);
}
