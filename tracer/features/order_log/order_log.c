/* Compares the order of events in several runs. The events of the first run are kept, as
 * numbers of texts; an event of a later run is compared when it happens. README.md says when
 * two orders are the same. */
#include "tracer/base/hash.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/order_log/order_log.h"
#include "tracer/run/places/places.h"

#include "tracer/base/signame.h"

#include <string.h>

enum { FIRST_SLOTS = 1024, EVENTS_MOST = 1000000, NO_TEXT = UINT32_MAX };
#define NO_ROLE UINT32_MAX

struct order_event {
	uint32_t who, what; /* indexes of texts; `who` is "" for an event without a thread */
};

struct order_log {
	ARRAY(char *) texts;		 /* without duplicates */
	uint32_t *slots;		 /* hash table of indexes in texts; NO_TEXT: free */
	size_t slot_count;		 /* a power of two */
	ARRAY(struct order_event) first; /* events of the first run */
	/* Both arrays are indexed by the number of a thread id's text. */
	/* thread of this run: its role, the thread of the first run that it matches */
	ARRAY(uint32_t) role;
	ARRAY(uint32_t) taken; /* role: the thread of this run that has it */
	bool swapped;	       /* roles differed from threads in some run */
	unsigned long run;     /* number of the current run */
	unsigned long events;  /* number of events of this run */
	bool differs;	       /* this run differs from the first */
	unsigned long differing;
	struct str difference; /* description of the first run that differed */
	struct str line;       /* buffer for one event */
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
	array_fini(&log->role);
	array_fini(&log->taken);
	base_free(log->slots);
	str_fini(&log->difference);
	str_fini(&log->line);
	base_free(log);
}

/* ---- texts ---- */

/* Returns the slot of the text, or the free slot where it belongs. */
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

/* ---- roles ---- */

static uint32_t role_of(const struct order_log *log, uint32_t who)
{
	return who < log->role.count ? log->role.items[who] : NO_ROLE;
}

static bool has_swapped(const struct order_log *log)
{
	for (size_t i = 0; i < log->role.count; i++)
		if (log->role.items[i] != NO_ROLE && log->role.items[i] != i)
			return true;
	return false;
}

static void bind(struct order_log *log, uint32_t who, uint32_t first)
{
	while (log->role.count <= who)
		*array_add(&log->role) = NO_ROLE;
	while (log->taken.count <= first)
		*array_add(&log->taken) = NO_ROLE;
	log->role.items[who] = first;
	log->taken.items[first] = who;
}

/* Compares ids such as "p1/worker#2" up to the number; main has none. */
static bool same_start(const char *a, const char *b)
{
	const char *end = strrchr(a, '#');
	size_t length = end ? (size_t)(end - a) : 0;

	return length && strncmp(a, b, length + 1) == 0 && strrchr(b, '#') == b + length;
}

static bool parts(const char *pattern, const char *a, const char *b)
{
	return pattern && str_wildcard(pattern, a) != str_wildcard(pattern, b);
}

/* True if the script distinguishes the threads. Names that the program sets belong to the role,
 * whichever thread has it. */
static bool told_apart(struct engine *e, const char *a, const char *b)
{
	const struct place *p;

	for (size_t i = 0; (p = engine_place_at(e, i)); i++) {
		if (parts(p->thread, a, b))
			return true;
		array_each(const struct step, step, &p->steps)
			if (parts(step->thread, a, b))
				return true;
	}
	return false;
}

/* True if thread t, whose id has the number `who`, can have the role of `first_id`; it then has the
 * role for the rest of the run. */
static bool roles_match(struct order_log *log, struct engine *e, const struct engine_thread *t,
			uint32_t who, const char *first_id, uint32_t first)
{
	uint32_t role = role_of(log, who);

	if (who != first && t->identified)
		return false;
	if (role != NO_ROLE)
		return role == first;
	if (first < log->taken.count && log->taken.items[first] != NO_ROLE)
		return false;
	if (who != first && (!same_start(t->id, first_id) || told_apart(e, t->id, first_id)))
		return false;
	bind(log, who, first);
	return true;
}

/* ---- runs ---- */

static void add_event(const struct order_log *log, struct order_event ev, struct str *out)
{
	const char *who = log->texts.items[ev.who];

	str_addf(out, "%s%s%s", who, *who ? " " : "", log->texts.items[ev.what]);
}

/* `ev` is NULL if this run has ended already. */
static void note_difference(struct order_log *log, const struct order_event *ev)
{
	struct str *out = &log->difference;
	uint32_t role = ev ? role_of(log, ev->who) : NO_ROLE;

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
	if (role != NO_ROLE &&
	    role != ev->who) /* same event, by a thread that had another role so far */
		str_addf(out, " (until there %s did what %s did in run 1)",
			 log->texts.items[ev->who], log->texts.items[role]);
}

static void end_run(struct order_log *log)
{
	if (log->run > 1 && !log->differs && log->events < log->first.count)
		note_difference(log, NULL);
	log->swapped |= has_swapped(log);
	log->role.count = log->taken.count = 0;
}

void order_log_begin(struct order_log *log)
{
	end_run(log);
	log->run++;
	log->events = 0;
	log->differs = false;
}

static bool is_as_first(struct run *s, const struct engine_thread *t, struct order_event ev)
{
	struct order_log *log = run_options(s)->order_log;
	const struct order_event *first;

	if (log->events >= log->first.count)
		return false;
	first = &log->first.items[log->events];
	if (first->what != ev.what)
		return false;
	if (!t)
		return first->who == ev.who;
	return roles_match(log, run_engine(s), t, ev.who, log->texts.items[first->who], first->who);
}

/* Adds the event in `line`, by thread t, or by no thread if t is NULL. */
static void order_log_add(struct run *s, const struct engine_thread *t)
{
	struct order_log *log = run_options(s)->order_log;
	struct order_event ev;

	if (log->differs || log->events >= EVENTS_MOST)
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

/* Per-thread data. */
struct at_place {
	const struct place *place; /* arrived at and not yet passed, or NULL */
};
static const struct keeper keeper = {sizeof(struct at_place), NULL};

/* One trap may have several places: each is passed when the thread arrives at the next
 * one, or leaves the trap. */
static void order_log_passes(struct run *s, struct run_thread *t)
{
	struct order_log *log = run_options(s)->order_log;
	struct at_place *at = kept_of(run_thread_kept(t), &keeper);

	if (!at || !at->place)
		return;
	str_clear(&log->line);
	str_addf(&log->line, "passes %s", at->place->location);
	at->place = NULL;
	order_log_add(s, run_thread_engine(t));
}

static void happens(struct run *s, const struct decision *d, const char *what, const char *text)
{
	struct order_log *log = run_options(s)->order_log;

	str_clear(&log->line);
	str_addf(&log->line, "%s %s", what, text);
	order_log_add(s, d->thread);
}

static void order_log_decided(struct run *s, const struct decision *d)
{
	struct run_thread *t = d->thread ? threads_of(d->thread) : NULL;

	if (!run_options(s)->order_log || run_is_over(s))
		return;
	switch (d->kind) {
	case DECISION_ARRIVED:
		order_log_passes(s, t);
		((struct at_place *)kept_make(run_thread_kept(t), &keeper))->place =
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
	const struct decision d = {.thread = run_thread_engine(t)};

	if (run_options(s)->order_log && !run_is_over(s))
		happens(s, &d, "gets signal", signame_text(signal));
	return false;
}

extern const struct observer order_log_observer;
const struct observer order_log_observer = {.decision = order_log_decided, .signal = signals};
