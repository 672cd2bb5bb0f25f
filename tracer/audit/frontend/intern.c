#include "tracer/audit/frontend/intern.h"

#include "tracer/base/hash.h"

#include <string.h>

enum { FIRST = 1024 };

/* Where the text is, or would be. */
static size_t intern_slot_of(const struct interned *n, const char *text)
{
	size_t at = (size_t)hash_text(HASH_START, text) & (n->index.size - 1);

	while (n->index.slots[at] && strcmp(n->texts.items[n->index.slots[at]], text) != 0)
		at = (at + 1) & (n->index.size - 1);
	return at;
}

static void intern_grow(struct interned *n)
{
	n->index.size = n->index.size ? 2 * n->index.size : FIRST;
	base_free(n->index.slots);
	n->index.slots = base_alloc(n->index.size, sizeof(*n->index.slots));
	for (unsigned i = 1; i < n->texts.count; i++)
		n->index.slots[intern_slot_of(n, n->texts.items[i])] = i;
}

unsigned interned_add(struct interned *n, const char *text)
{
	size_t at;

	if (!n->texts.count)
		*array_add(&n->texts) = base_strdup("");
	if (!*text)
		return 0;
	if (2 * n->texts.count >= n->index.size)
		intern_grow(n);
	at = intern_slot_of(n, text);
	if (!n->index.slots[at]) {
		n->index.slots[at] = (unsigned)n->texts.count;
		*array_add(&n->texts) = base_strdup(text);
	}
	return n->index.slots[at];
}

const char *interned_text(const struct interned *n, unsigned name)
{
	return name < n->texts.count ? n->texts.items[name] : "";
}

void interned_fini(struct interned *n)
{
	array_each(char *, text, &n->texts)
		base_free(*text);
	array_fini(&n->texts);
	base_free(n->index.slots);
	n->index = (struct slots){NULL, 0};
}
