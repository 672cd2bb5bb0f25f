/*
 * The order of events, compared over several runs. Of the first run it is kept: texts once, events
 * as their numbers. Each event of a later run is looked at when it comes and forgotten.
 *
 * A thread passes a place when it goes on from there, held before or not: that is the moment which
 * gates can order. When it came there is the program's own affair.
 */
#include "tracer/session/trial.h"

#include <string.h>

enum { FIRST_SLOTS = 1024, NO_TEXT = UINT32_MAX };

struct order_log {
	ARRAY(char *) texts;   /* each once */
	uint32_t *slots;       /* hash table of indexes in texts, NO_TEXT: free */
	size_t slot_count;     /* a power of two */
	ARRAY(uint32_t) first; /* the first run */
	unsigned long run;     /* number of the one that is made now */
	unsigned long events;  /* so far in this run */
	bool differs;	       /* this run does, from the first */
	unsigned long differing;
	struct str difference; /* of the first that did */
	struct str line;       /* scratch */
};

struct order_log *order_log_new(void)
{
	return base_alloc(1, sizeof(struct order_log));
}

void order_log_free(struct order_log *log)
{
	if (!log)
		return;
	array_each(char *, text, &log->texts)
		base_free(*text);
	array_fini(&log->texts);
	array_fini(&log->first);
	base_free(log->slots);
	str_fini(&log->difference);
	str_fini(&log->line);
	base_free(log);
}

/* ---- texts ---- */

static uint64_t hash_of(const char *text)
{
	uint64_t h = 14695981039346656037u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h ^ h >> 29;
}

/* The slot that has the text, or the free one where it would be. */
static uint32_t *find_slot(const struct order_log *log, const char *text)
{
	size_t i = hash_of(text) & (log->slot_count - 1);

	while (log->slots[i] != NO_TEXT && strcmp(log->texts.items[log->slots[i]], text) != 0)
		i = (i + 1) & (log->slot_count - 1);
	return &log->slots[i];
}

static void grow(struct order_log *log)
{
	base_free(log->slots);
	log->slot_count = log->slot_count ? log->slot_count * 2 : FIRST_SLOTS;
	log->slots = base_alloc(log->slot_count, sizeof(*log->slots));
	memset(log->slots, 0xff, log->slot_count * sizeof(*log->slots));
	for (size_t i = 0; i < log->texts.count; i++)
		*find_slot(log, log->texts.items[i]) = (uint32_t)i;
}

static uint32_t number_of(struct order_log *log, const char *text)
{
	uint32_t *slot;

	if (2 * log->texts.count >= log->slot_count)
		grow(log);
	slot = find_slot(log, text);
	if (*slot == NO_TEXT) {
		*slot = (uint32_t)log->texts.count;
		*array_add(&log->texts) = base_strdup(text);
	}
	return *slot;
}

/* ---- runs ---- */

/* `text` NULL: this run has ended already. */
static void note_difference(struct order_log *log, const char *text)
{
	const char *other = log->events < log->first.count
				    ? log->texts.items[log->first.items[log->events]]
				    : NULL;

	log->differs = true;
	if (log->differing++)
		return;
	str_addf(&log->difference, "run %lu differs from run 1 at event %lu: %s; in run 1 %s",
		 log->run, log->events + 1, text ? text : "it ends there",
		 other ? other : "it ended there");
}

static void end_run(struct order_log *log)
{
	if (log->run > 1 && !log->differs && log->events < log->first.count)
		note_difference(log, NULL);
}

void order_log_begin(struct order_log *log)
{
	end_run(log);
	log->run++;
	log->events = 0;
	log->differs = false;
}

static bool is_full(const struct order_log *log)
{
	return log->events >= TIMELINE_MOST;
}

static void compare(struct order_log *log, const char *text)
{
	if (log->events < log->first.count &&
	    strcmp(log->texts.items[log->first.items[log->events]], text) == 0)
		return;
	note_difference(log, text);
}

static void add(struct order_log *log, const char *text)
{
	if (log->differs || is_full(log))
		return;
	if (log->run == 1)
		*array_add(&log->first) = number_of(log, text);
	else
		compare(log, text);
	log->events++;
}

const char *order_log_difference(struct order_log *log)
{
	end_run(log);
	if (!log->differing)
		return NULL;
	if (log->differing > 1)
		str_addf(&log->difference, " (and %lu more run%s)", log->differing - 1,
			 log->differing == 2 ? "" : "s");
	return str_text(&log->difference);
}

/* ---- events ---- */

/* A stop may have several places: each is passed when the next one is arrived at, or at the end. */
static void passes(struct session *s, struct session_thread *t)
{
	struct order_log *log = s->options->order_log;

	if (!t->at_place)
		return;
	str_clear(&log->line);
	str_addf(&log->line, "%s passes %s", t->engine->id, t->at_place->location);
	t->at_place = NULL;
	add(log, str_text(&log->line));
}

static void happens(struct session *s, const struct decision *d, const char *what, const char *text)
{
	struct order_log *log = s->options->order_log;

	str_clear(&log->line);
	str_addf(&log->line, "%s%s%s %s", d->thread ? d->thread->id : "", d->thread ? " " : "",
		 what, text);
	add(log, str_text(&log->line));
}

void order_log_decision(struct session *s, const struct decision *d)
{
	struct session_thread *t = d->thread ? threads_of(d->thread) : NULL;

	if (!s->options->order_log || s->over)
		return;
	switch (d->kind) {
	case DECISION_ARRIVED:
		passes(s, t);
		t->at_place = d->place->companion_of ? NULL : d->place;
		break;
	case DECISION_RELEASE:
		passes(s, t);
		break;
	case DECISION_OPENED:
		happens(s, d, d->thread ? "opens gate" : "opened: gate", d->gate->name);
		break;
	case DECISION_EVENT:
		happens(s, d, "event", d->text);
		break;
	case DECISION_LOG:
		happens(s, d, "logs", d->text);
		break;
	case DECISION_KILL:
		happens(s, d, "is killed at", d->place->location);
		break;
	default:
		break;
	}
}

void order_log_signal(struct session *s, const struct session_thread *t, const char *signal)
{
	const struct decision d = {.thread = t->engine};

	if (s->options->order_log && !s->over)
		happens(s, &d, "gets signal", signal);
}
