/*
 * Compares the order of events in several runs. The first run is kept: each text once, events as
 * numbers. An event of a later run is compared when it comes, and forgotten.
 *
 * A thread passes a place when it goes on from there, held before or not: that is the moment that
 * gates can order. When it arrived is up to the program.
 *
 * Which thread of a start routine is worker#1 depends on which is created first; such threads may
 * swap roles from run to run (order_roles.c).
 */
#include "tracer/base/hash.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/order_log/order_log.h"
#include "tracer/features/order_log/order_roles.h"
#include "tracer/run/places/sites.h"

#include "tracer/base/signame.h"

#include <string.h>

enum { FIRST_SLOTS = 1024, EVENTS_MOST = 1000000, NO_TEXT = UINT32_MAX };

struct order_event {
	uint32_t who, what; /* indexes of texts; `who` is "" for what no thread does */
};

struct order_log {
	ARRAY(char *) texts;		 /* each once */
	uint32_t *slots;		 /* hash table of indexes in texts, NO_TEXT: free */
	size_t slot_count;		 /* a power of two */
	ARRAY(struct order_event) first; /* the first run */
	struct order_roles roles;	 /* of this run's threads, in the first one */
	bool swapped;			 /* roles were swapped in some run */
	unsigned long run;		 /* number of the current run */
	unsigned long events;		 /* so far in this run */
	bool differs;			 /* this run differs from the first */
	unsigned long differing;
	struct str difference; /* of the first run that differed */
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
	order_roles_fini(&log->roles);
	base_free(log->slots);
	str_fini(&log->difference);
	str_fini(&log->line);
	base_free(log);
}

/* ---- texts ---- */

/* The slot of the text, or the free one where it belongs. */
static uint32_t *find_slot(const struct order_log *log, const char *text)
{
	size_t i = hash_slot(hash_text(HASH_START, text)) & (log->slot_count - 1);

	while (log->slots[i] != NO_TEXT && strcmp(log->texts.items[log->slots[i]], text) != 0)
		i = (i + 1) & (log->slot_count - 1);
	return &log->slots[i];
}

static void order_log_grow(struct order_log *log)
{
	base_free(log->slots);
	log->slot_count = log->slot_count ? log->slot_count * 2 : FIRST_SLOTS;
	log->slots = base_alloc(log->slot_count, sizeof(*log->slots));
	memset(log->slots, 0xff, log->slot_count * sizeof(*log->slots));
	for (size_t i = 0; i < log->texts.count; i++)
		*find_slot(log, log->texts.items[i]) = (uint32_t)i;
}

static uint32_t order_log_number_of(struct order_log *log, const char *text)
{
	uint32_t *slot;

	if (2 * log->texts.count >= log->slot_count)
		order_log_grow(log);
	slot = find_slot(log, text);
	if (*slot == NO_TEXT) {
		*slot = (uint32_t)log->texts.count;
		*array_add(&log->texts) = base_strdup(text);
	}
	return *slot;
}

/* ---- runs ---- */

static void add_event(const struct order_log *log, struct order_event ev, struct str *out)
{
	const char *who = log->texts.items[ev.who];

	str_addf(out, "%s%s%s", who, *who ? " " : "", log->texts.items[ev.what]);
}

/* It did the same, but in another thread's role until now. */
static void add_role(const struct order_log *log, struct order_event ev, struct str *out)
{
	uint32_t role = order_roles_of(&log->roles, ev.who);

	if (role != ORDER_NO_ROLE && role != ev.who)
		str_addf(out, " (until there %s did what %s did in run 1)",
			 log->texts.items[ev.who], log->texts.items[role]);
}

/* `ev` NULL: this run has ended already. */
static void note_difference(struct order_log *log, const struct order_event *ev)
{
	struct str *out = &log->difference;

	log->differs = true;
	if (log->differing++)
		return;
	str_addf(out, "run %lu differs from run 1 at event %lu: ", log->run, log->events + 1);
	if (ev)
		add_event(log, *ev, out);
	else
		str_add(out, "it ends there");
	str_add(out, "; in run 1 ");
	if (log->events < log->first.count)
		add_event(log, log->first.items[log->events], out);
	else
		str_add(out, "it ended there");
	if (ev)
		add_role(log, *ev, out);
}

static void end_run(struct order_log *log)
{
	if (log->run > 1 && !log->differs && log->events < log->first.count)
		note_difference(log, NULL);
	log->swapped |= order_roles_swapped(&log->roles);
	order_roles_clear(&log->roles);
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
	return log->events >= EVENTS_MOST;
}

static bool is_as_first(struct run *s, const struct engine_thread *t, struct order_event ev)
{
	struct order_log *log = s->options->order_log;
	const struct order_event *first;

	if (log->events >= log->first.count)
		return false;
	first = &log->first.items[log->events];
	if (first->what != ev.what)
		return false;
	if (!t)
		return first->who == ev.who;
	return order_roles_match(&log->roles, s->engine, t, ev.who, log->texts.items[first->who],
				 first->who);
}

/* Adds the event in `line`, done by the thread; NULL: by none. */
static void order_log_add(struct run *s, const struct engine_thread *t)
{
	struct order_log *log = s->options->order_log;
	struct order_event ev;

	if (log->differs || is_full(log))
		return;
	ev.who = order_log_number_of(log, t ? t->id : "");
	ev.what = order_log_number_of(log, str_text(&log->line));
	if (log->run == 1)
		*array_add(&log->first) = ev;
	else if (!is_as_first(s, t, ev))
		note_difference(log, &ev);
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

bool order_log_swapped(struct order_log *log)
{
	end_run(log);
	return log->swapped;
}

/* ---- events ---- */

/* Kept with a thread. */
struct at_place {
	const struct place *place; /* arrived at and not yet passed, or NULL */
};
static const struct keeper keeper = {sizeof(struct at_place), NULL};

/* A stop may have several places: each is passed when the thread arrives at the next one, or at the
   end. */
static void order_log_passes(struct run *s, struct run_thread *t)
{
	struct order_log *log = s->options->order_log;
	struct at_place *at = kept_of(&t->kept, &keeper);

	if (!at || !at->place)
		return;
	str_clear(&log->line);
	str_addf(&log->line, "passes %s", at->place->location);
	at->place = NULL;
	order_log_add(s, t->engine);
}

static void happens(struct run *s, const struct decision *d, const char *what, const char *text)
{
	struct order_log *log = s->options->order_log;

	str_clear(&log->line);
	str_addf(&log->line, "%s %s", what, text);
	order_log_add(s, d->thread);
}

static void order_log_decided(struct run *s, const struct decision *d)
{
	struct run_thread *t = d->thread ? threads_of(d->thread) : NULL;

	if (!s->options->order_log || s->over)
		return;
	switch (d->kind) {
	case DECISION_ARRIVED:
		order_log_passes(s, t);
		((struct at_place *)kept_make(&t->kept, &keeper))->place =
			d->place->companion_of ? NULL : d->place;
		break;
	case DECISION_RELEASE:
		order_log_passes(s, t);
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

static bool signals(struct run *s, struct run_thread *t, int signal)
{
	const struct decision d = {.thread = t->engine};

	if (s->options->order_log && !s->over)
		happens(s, &d, "gets signal", signame_text(signal));
	return false;
}

extern const struct observer order_log_observer;
const struct observer order_log_observer = {.decision = order_log_decided, .signal = signals};
