/* Digests of output that ignore durations, and the first line that differs. */
#include "tracer/base/text/digest.h"

#include "tracer/base/array.h"
#include "tracer/base/hash.h"
#include "tracer/base/text/foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { START_MOST = 65536 };

static void digest_take(struct digest *d, const char *bytes, size_t n)
{
	d->sums.text = hash_bytes(d->sums.text, bytes, n);
	d->line = hash_bytes(d->line, bytes, n);
	if (n == 1 && *bytes == '\n') {
		d->sums.lines += d->line;
		d->line = HASH_START;
	}
}

/* True for a unit of time: "s", "ms", "usecs", "milliseconds" ... */
static bool is_unit(const char *text, size_t n)
{
	static const char *const units[] = {"s", "sec", "secs", "second", "seconds"};
	static const char *const parts[] = {"", "m", "u", "n", "milli", "micro", "nano"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		size_t k = strlen(parts[i]);

		if (k > n || strncmp(parts[i], text, k) != 0)
			continue;
		for (size_t u = 0; u < sizeof(units) / sizeof(*units); u++)
			if (strlen(units[u]) == n - k && strncmp(units[u], text + k, n - k) == 0)
				return true;
	}
	return false;
}

static void take_held(struct digest *d)
{
	static const char any[] = "<time>";

	if (d->unit && is_unit(d->held + d->unit, d->length - d->unit))
		digest_take(d, any, sizeof(any) - 1);
	else
		digest_take(d, d->held, d->length);
	d->length = d->unit = 0;
}

/* True if the text held may still be a duration, or become one, with this byte. */
static bool digest_goes_on(const struct digest *d, unsigned char byte)
{
	if (!d->length)
		return isdigit(byte) && !d->in_word;
	if (d->length == DIGEST_TIME_MOST)
		return false;
	if (d->unit)
		return isalnum(byte) || byte == '_';
	if (d->held[d->length - 1] == ' ')
		return isalpha(byte);
	return isalnum(byte) || byte == '.' || byte == ' ';
}

static void output_digest_add(struct digest *d, char byte)
{
	bool alpha = isalpha((unsigned char)byte);

	if (!digest_goes_on(d, (unsigned char)byte))
		take_held(d);
	if (digest_goes_on(d, (unsigned char)byte)) {
		if (alpha && !d->unit)
			d->unit = d->length;
		d->held[d->length++] = byte;
	} else {
		digest_take(d, &byte, 1);
	}
	d->in_word = isalnum((unsigned char)byte) || byte == '_' || byte == '.';
}

void digest_begin(struct digest *d)
{
	*d = (struct digest){.sums.text = HASH_START, .line = HASH_START};
}

void digest_add(struct digest *d, const char *bytes, size_t n)
{
	size_t room = START_MOST - d->sums.start.length;

	str_add_bytes(&d->sums.start, bytes, n < room ? n : room);
	for (size_t i = 0; i < n; i++)
		output_digest_add(d, bytes[i]);
}

void digest_fini(struct digest *d)
{
	digest_written_fini(&d->sums);
}

struct digest_written digest_end(struct digest *d)
{
	struct digest_written written;

	take_held(d);
	written = d->sums;
	written.lines += d->line;
	d->sums = (struct digest_written){0};
	return written;
}

void digest_written_fini(struct digest_written *w)
{
	str_fini(&w->start);
}

void digest_written_copy(struct digest_written *to, const struct digest_written *from)
{
	digest_written_fini(to);
	*to = (struct digest_written){from->text, from->lines, {0}};
	str_add_bytes(&to->start, str_text(&from->start), from->start.length);
}

/* ---- lines that differ ----------------------------------------------------------------------- */

/* Returns the checksum of a line, in which all durations are the same. */
static uint64_t sum_of_line(const char *line, size_t n)
{
	struct digest d;
	struct digest_written written;

	digest_begin(&d);
	digest_add(&d, line, n);
	written = digest_end(&d);
	digest_written_fini(&written);
	return written.text;
}

struct line_sum {
	uint64_t sum;
	const char *line;
};

static int by_sum(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;

	return x->sum != y->sum ? (x->sum > y->sum) - (x->sum < y->sum)
				: (x->line > y->line) - (x->line < y->line);
}

/* Returns the lines of the text, sorted by checksum. The caller frees them;
   *count is their number. */
static struct line_sum *sort_lines(const struct str *text, size_t *count)
{
	struct line_sum *lines = base_alloc(text->length + 1, sizeof(*lines));
	size_t n;

	*count = 0;
	for (const char *line = str_text(text); *line; line += n + (line[n] != '\0')) {
		n = strcspn(line, "\n");
		lines[(*count)++] = (struct line_sum){sum_of_line(line, n), line};
	}
	qsort(lines, *count, sizeof(*lines), by_sum);
	return lines;
}

/* Returns a line that `text` has more often than `other`, or NULL; *n is its length. */
static const char *find_other_line(const struct str *text, const struct str *other, size_t *n)
{
	size_t count, others, k = 0;
	struct line_sum *own = sort_lines(text, &count), *theirs = sort_lines(other, &others);
	const char *found = NULL;

	for (size_t i = 0; i < count && !found; i++) {
		while (k < others && theirs[k].sum < own[i].sum)
			k++;
		if (k < others && theirs[k].sum == own[i].sum)
			k++;
		else
			found = own[i].line;
	}
	*n = found ? strcspn(found, "\n") : 0;
	base_free(own);
	base_free(theirs);
	return found;
}

/* Appends `what` and a line that `text` has more often than `other`. Returns
   false if there is none. */
static bool add_other_line(const struct str *text, const struct str *other, const char *what,
			   struct str *out)
{
	enum { LINE_MOST = 80 };
	size_t n;
	const char *line = find_other_line(text, other, &n);
	STR(quoted);
	STR(plain);

	if (!line)
		return false;
	str_add_bytes(&quoted, line, n);
	str_add(out, what);
	str_add(out, " \"");

	foreign_line(&plain, str_text(&quoted));
	str_add_short(out, str_text(&plain), LINE_MOST);
	str_add(out, "\"");
	return true;
}

bool digest_other_line(const struct digest_written *was, const struct digest_written *is,
		       struct str *out)
{
	return add_other_line(&is->start, &was->start, "it also writes", out) ||
	       add_other_line(&was->start, &is->start, "it does not write", out);
}
