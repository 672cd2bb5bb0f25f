/* Records of words and texts, framed by length and checksum. */
#include "tracer/search/search_internal.h"

#include <string.h>

struct record_frame {
	uint32_t length, sum;
};

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t sum_of(const char *bytes, size_t length)
{
	uint32_t sum = 0x811c9dc5;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)bytes[i]) * 0x01000193;
	return sum;
}

void record_begin(struct record *r, enum record_kind kind)
{
	str_clear(&r->bytes);
	r->at = 0;
	r->bad = r->reads = false;
	record_add(r, kind);
}

void record_add(struct record *r, uint64_t word)
{
	str_add_bytes(&r->bytes, (const char *)&word, sizeof(word));
}

void record_add_text(struct record *r, const char *text)
{
	size_t length = text ? strlen(text) + 1 : 0;

	record_add(r, length);
	str_add_bytes(&r->bytes, text ? text : "", length);
}

static const char *journal_record_take(struct record *r, size_t length)
{
	const char *at = r->bytes.text + r->at;

	if (r->bad || length > r->bytes.length - r->at) {
		r->bad = true;
		return NULL;
	}
	r->at += length;
	return at;
}

uint64_t record_get(struct record *r)
{
	const char *at = journal_record_take(r, sizeof(uint64_t));
	uint64_t word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	return word;
}

char *record_get_text(struct record *r)
{
	size_t length = (size_t)record_get(r);
	const char *at = length ? journal_record_take(r, length) : NULL;

	return at ? base_strndup(at, length - 1) : NULL;
}

void record_word(struct record *r, uint64_t *word)
{
	if (r->reads)
		*word = record_get(r);
	else
		record_add(r, *word);
}

void record_text(struct record *r, char **text)
{
	if (r->reads)
		*text = record_get_text(r);
	else
		record_add_text(r, *text);
}

void record_put(const struct record *r, struct str *out)
{
	const struct record_frame f = {(uint32_t)r->bytes.length,
				       sum_of(r->bytes.text, r->bytes.length)};

	str_add_bytes(out, (const char *)&f, sizeof(f));
	str_add_bytes(out, r->bytes.text, r->bytes.length);
}

int record_take(struct record *r, const struct str *from, size_t *at)
{
	struct record_frame f;

	str_clear(&r->bytes);
	r->at = 0;
	r->bad = false;
	r->reads = true;
	if (from->length - *at < sizeof(f))
		return 0;
	memcpy(&f, from->text + *at, sizeof(f));
	if (from->length - *at - sizeof(f) < f.length)
		return 0;
	if (f.length < sizeof(uint64_t) || sum_of(from->text + *at + sizeof(f), f.length) != f.sum)
		return -1;
	str_add_bytes(&r->bytes, from->text + *at + sizeof(f), f.length);
	*at += sizeof(f) + f.length;
	return 1;
}

void record_fini(struct record *r)
{
	str_fini(&r->bytes);
}
