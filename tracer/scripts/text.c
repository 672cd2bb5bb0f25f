/* Computes how similar two lines of source text are; blanks do not count. */
#include "tracer/scripts/scripts.h"

#include <ctype.h>
#include <string.h>

/* Returns the text without blanks and comments, except in quotes, cut to the length of lock files;
 * freed by the caller. */
static char *solid(const char *text)
{
	char *out = drift_fold(text), *to = out, quote = '\0';

	for (const char *at = out; *at; at++) {
		if (!quote && at[0] == '/' && at[1] == '/')
			break;
		if (!quote && at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");

			if (!end)
				break;
			at = end + 1;
			continue;
		}
		if (quote && *at == '\\' && at[1])
			*to++ = *at++;
		else if (*at == quote)
			quote = '\0';
		else if (!quote && *at == '"')
			quote = *at;
		if (!isspace((unsigned char)*at))
			*to++ = *at;
	}
	*to = '\0';
	return out;
}

static bool same_folded(const char *a, const char *b)
{
	char *x = drift_fold(a), *y = drift_fold(b);
	bool same = strcmp(x, y) == 0;

	base_free(x);
	base_free(y);
	return same;
}

bool drift_same_text(const char *a, const char *b)
{
	char *x = solid(a), *y = solid(b);
	/* a line that is only a comment must have the same comment */
	bool same = *x || *y ? strcmp(x, y) == 0 : same_folded(a, b);

	base_free(x);
	base_free(y);
	return same;
}

/* Returns the length of the longest common subsequence. */
static size_t common(const char *a, size_t n, const char *b, size_t m)
{
	unsigned short *row = base_alloc(m + 1, sizeof(*row));
	size_t result;

	for (size_t i = 0; i < n; i++) {
		unsigned short corner = 0;

		for (size_t j = 0; j < m; j++) {
			unsigned short above = row[j + 1];

			if (a[i] == b[j])
				row[j + 1] = (unsigned short)(corner + 1);
			else if (row[j] > above)
				row[j + 1] = row[j];
			corner = above;
		}
	}
	result = row[m];
	base_free(row);
	return result;
}

unsigned drift_similarity(const char *a, const char *b)
{
	char *x = solid(a), *y = solid(b);
	size_t n = strlen(x), m = strlen(y);
	size_t less = n < m ? n : m, most = n + m;
	unsigned answer = 0;

	if (!most)
		answer = 100;
	else if (4 * less >= most) /* else the similarity is below 50 */
		answer = (unsigned)(200 * common(x, n, y, m) / most);
	base_free(x);
	base_free(y);
	return answer;
}
