#include "tracer/explore/schedule/schedule.h"

#include "tracer/base/hash.h"

#include <string.h>

static void free_texts(char **items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		base_free(items[i]);
}

/* The threads, too: they are numbered as they come, and a digest must not know of earlier runs. */
void schedule_clear(struct schedule *s)
{
	free_texts(s->threads.items, s->threads.count);
	s->threads.count = s->steps.count = s->pending.count = 0;
}

void schedule_fini(struct schedule *s)
{
	free_texts(s->threads.items, s->threads.count);
	free_texts(s->texts.items, s->texts.count);
	array_fini(&s->threads);
	array_fini(&s->texts);
	array_fini(&s->steps);
	array_fini(&s->pending);
}

const char *schedule_text(struct schedule *s, const char *text)
{
	if (!text)
		return NULL;
	array_each(char *, known, &s->texts)
		if (strcmp(*known, text) == 0)
			return *known;
	return *array_add(&s->texts) = base_strdup(text);
}

unsigned schedule_thread(struct schedule *s, const char *id)
{
	for (size_t i = 0; i < s->threads.count; i++)
		if (strcmp(s->threads.items[i], id) == 0)
			return (unsigned)i;
	*array_add(&s->threads) = base_strdup(id);
	return (unsigned)s->threads.count - 1;
}

uint64_t schedule_digest(const struct schedule *s)
{
	uint64_t digest = HASH_START;

	array_each(const struct schedule_step, step, &s->steps) {
		digest = hash_word(digest, step->thread);
		digest = hash_word(digest, step->point.op);
		digest = hash_word(digest, step->point.place);
		digest = hash_word(digest, step->point.object);
	}
	return digest;
}

void schedule_copy(struct schedule *to, const struct schedule *from)
{
	array_each(char *, id, &from->threads)
		schedule_thread(to, *id);
	array_each(const struct schedule_step, step, &from->steps) {
		struct schedule_step *copy = array_add(&to->steps);

		*copy = *step;
		copy->where = (struct schedule_where){0};
	}
}
