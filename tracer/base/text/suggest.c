/* Names similar to a wanted one, by edit distance. */
#include "tracer/base/text/suggest.h"

#include "tracer/base/array.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { WORD_MAX = 63, LINE_MAX_LENGTH = 255 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool suggest_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Returns the Damerau-Levenshtein distance (restricted), ignoring case, or limit + 1 if it is
 * above the limit. Three rows of the table are enough; if two successive rows are above the
 * limit, so are all later ones.
 */
static unsigned suggest_distance(const char *a, size_t a_length, const char *b, size_t b_length,
				 unsigned limit)
{
	unsigned rows[3][WORD_MAX + 1], lowest, before = 0;

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *two = rows[(i + 1) % 3];

		row[0] = lowest = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = least(above[j - 1] + !suggest_same(a[i - 1], b[j - 1]),
				       least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && suggest_same(a[i - 1], b[j - 2]) &&
			    suggest_same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], two[j - 2] + 1);
			lowest = least(lowest, row[j]);
		}
		if (lowest > limit && before > limit)
			return limit + 1;
		before = lowest;
	}
	return rows[a_length % 3][b_length];
}

static bool suggest_is_known(const struct suggestions *s, const char *name)
{
	for (int i = 0; i < SUGGESTIONS; i++)
		if (s->best[i].text && strcmp(s->best[i].text, name) == 0)
			return true;
	return false;
}

void suggest_offer_as(struct suggestions *s, const char *compared, const char *name)
{
	size_t wanted = strlen(s->wanted), length = strlen(compared);
	size_t apart = wanted > length ? wanted - length : length - wanted;
	unsigned limit = wanted < 5 ? 1 : (unsigned)(wanted + 1) / 3, far;
	struct suggestion *worst = &s->best[SUGGESTIONS - 1];

	if (wanted > WORD_MAX || length > WORD_MAX || apart > limit)
		return;
	/* Three names that are at least as near were offered before. */
	if (worst->text && worst->distance <= limit) {
		if (!worst->distance)
			return;
		limit = worst->distance - 1;
	}
	far = suggest_distance(s->wanted, wanted, compared, length, limit);
	if (far > limit || strcmp(s->wanted, compared) == 0 || suggest_is_known(s, name))
		return;
	base_free(worst->text);
	*worst = (struct suggestion){.text = base_strdup(name), .distance = far};
	for (int i = SUGGESTIONS - 1; i > 0; i--) {
		struct suggestion higher = s->best[i - 1];

		if (higher.text && higher.distance <= s->best[i].distance)
			break;
		s->best[i - 1] = s->best[i];
		s->best[i] = higher;
	}
}

void suggest_offer(struct suggestions *s, const char *name)
{
	suggest_offer_as(s, name, name);
}

char *suggest_best(const struct suggestions *s)
{
	return s->best[0].text ? base_strdup(s->best[0].text) : NULL;
}

/* Returns the number of names to show. Names much farther than the best one are left out. */
static int count_near(const struct suggestions *s)
{
	int count = 0;

	while (count < SUGGESTIONS && s->best[count].text &&
	       s->best[count].distance <= s->best[0].distance + 1)
		count++;
	return count;
}

void suggest_take(struct suggestions *s, struct str *out)
{
	int count = count_near(s);

	for (int i = 0; i < count; i++) {
		str_add(out, i == 0 ? "; did you mean " : i + 1 == count ? " or " : ", ");
		str_add(out, s->best[i].text);
		str_add(out, i + 1 == count ? "?" : "");
	}
	for (int i = 0; i < SUGGESTIONS; i++) {
		base_free(s->best[i].text);
		s->best[i].text = NULL;
	}
}

/* ---- a text in a line ----------------------------------------------------------------------- */

static size_t without_blanks(const char *text, char *out)
{
	size_t length = 0;

	for (; *text && length < LINE_MAX_LENGTH; text++)
		if (!isspace((unsigned char)*text))
			out[length++] = *text;
	return length;
}

/* Fills a row that begins with 0 everywhere: the match may begin and end anywhere in the line. */
unsigned suggest_distance_in(const char *text, const char *line)
{
	char a[LINE_MAX_LENGTH], b[LINE_MAX_LENGTH];
	size_t a_length = without_blanks(text, a), b_length = without_blanks(line, b);
	unsigned row[LINE_MAX_LENGTH + 1] = {0}, best = UINT_MAX;

	if (a_length == LINE_MAX_LENGTH)
		return UINT_MAX;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			unsigned change = corner + !suggest_same(a[i - 1], b[j - 1]);

			corner = row[j];
			row[j] = least(change, least(row[j], row[j - 1]) + 1);
		}
	}
	for (size_t j = 0; j <= b_length; j++)
		best = least(best, row[j]);
	return best;
}
