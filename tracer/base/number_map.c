/* Open-addressing hash tables of numbers and interned strings. */
#include "tracer/base/number_map.h"

#include "tracer/base/hash.h"

#include <string.h>

enum { FIRST_SIZE = 256 };

/* Returns the first slot to probe. Fibonacci hashing spreads neighbouring
   keys; probing is linear. */
static size_t first_slot(const struct number_map *m, unsigned key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15 >> 32) & (m->size - 1);
}

unsigned number_map_next(const struct number_map *m, unsigned key, size_t *at)
{
	if (!m->size || !key)
		return 0;
	if (!*at)
		*at = first_slot(m, key) + 1;
	for (;;) {
		const struct number_slot *s = &m->slots[(*at - 1) & (m->size - 1)];

		++*at;
		if (!s->key || s->key == key)
			return s->value;
	}
}

unsigned number_map_get(const struct number_map *m, unsigned key)
{
	size_t at = 0;

	return number_map_next(m, key, &at);
}

static void put_slot(struct number_map *m, struct number_slot slot)
{
	size_t at = first_slot(m, slot.key);

	while (m->slots[at].key)
		at = (at + 1) & (m->size - 1);
	m->slots[at] = slot;
	m->count++;
}

void number_map_add(struct number_map *m, unsigned key, unsigned value)
{
	if (2 * m->count >= m->size) {
		struct number_map old = *m;

		m->size = old.size ? 2 * old.size : FIRST_SIZE;
		m->slots = base_alloc(m->size, sizeof(*m->slots));
		m->count = 0;
		for (size_t i = 0; i < old.size; i++)
			if (old.slots[i].key)
				put_slot(m, old.slots[i]);
		base_free(old.slots);
	}
	put_slot(m, (struct number_slot){key, value});
}

void number_map_set(struct number_map *m, unsigned key, unsigned value)
{
	if (!key)
		return;
	for (size_t at = m->size ? first_slot(m, key) : 0; m->size && m->slots[at].key;
	     at = (at + 1) & (m->size - 1))
		if (m->slots[at].key == key) {
			m->slots[at].value = value;
			return;
		}
	number_map_add(m, key, value);
}

void number_map_fini(struct number_map *m)
{
	base_free(m->slots);
	*m = (struct number_map){0};
}

unsigned interned_add(struct interned *n, const char *text)
{
	const unsigned key = number_map_key(hash_text(HASH_START, text));
	unsigned known;

	if (!n->texts.count)
		*array_add(&n->texts) = base_strdup("");
	if (!*text)
		return 0;
	for (size_t at = 0; (known = number_map_next(&n->index, key, &at));)
		if (strcmp(n->texts.items[known], text) == 0)
			return known;
	number_map_add(&n->index, key, (unsigned)n->texts.count);
	*array_add(&n->texts) = base_strdup(text);
	return (unsigned)n->texts.count - 1;
}

const char *interned_text(const struct interned *n, unsigned number)
{
	return number < n->texts.count ? n->texts.items[number] : "";
}

void interned_fini(struct interned *n)
{
	array_each(char *, text, &n->texts)
		base_free(*text);
	array_fini(&n->texts);
	number_map_fini(&n->index);
}
