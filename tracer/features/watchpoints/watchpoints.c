/*
 * Shut conditions are asked again when what they have read changes, though nobody arrives anywhere.
 *
 * While a condition is asked, the memory that it reads is written down. If its thread is held
 * afterwards, these words are watched: up to four by the processor's debug registers, so that the
 * thread that stores is stopped right behind its store and the condition is asked there and then.
 * Where they are more, or there are no debug registers, the words are looked at again, at intervals
 * that grow from 1 to 4 ms; and so they are besides, for stores that no debug register sees: the
 * kernel's (read(2) into a buffer) and those of other processes in shared memory.
 */
#include "tracer/run/internal.h"

#include <string.h>

extern const struct observer watchpoints_observer;

enum { UNREADABLE = 0 }; /* instead of a sum: it may be mapped later, with what is waited for */
enum { FIRST_MS = 1, LAST_MS = 4, MOST_READS = 4096 };

/*
 * Other words are an interruption for each thread that runs, and a wait of it with a relative
 * time-out begins anew: where they change all the time (the tail of a list) it would never pass.
 */
enum { MOST_REWATCHED = 32 };

/* ---- what is read --------------------------------------------------------------------------- */

static uint64_t sum_of(const uint8_t *bytes, size_t n)
{
	uint64_t sum = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ bytes[i]) * 1099511628211u;
	return sum;
}

static void begin(struct session *s, struct session_thread *t)
{
	s->asker = t;
	s->watchpoints.stale = true;
	t->reads.count = 0;
	t->reads_call = false;
}

static void end(struct session *s)
{
	s->asker = NULL;
}

static void gone(struct session *s, struct session_thread *t)
{
	s->watchpoints.stale |= t->reads.count > 0 || t->reads_call;
	t->reads.count = 0;
	t->reads_call = false;
}

static void note_read(struct session *s, struct session_process *p, uint64_t address,
		      const void *bytes, size_t n)
{
	struct session_thread *t = s->asker;

	if (!t || t->reads.count == MOST_READS)
		return;
	array_each(const struct watchpoint_read, r, &t->reads)
		if (r->process == p && r->address == address && r->size == n)
			return;
	*array_add(&t->reads) = (struct watchpoint_read){p, address, (uint32_t)n,
							 bytes ? sum_of(bytes, n) : UNREADABLE};
}

static void called(struct session *s)
{
	if (s->asker)
		s->asker->reads_call = true;
}

/* No store tells of it; an asker's own is the same as long as it is held. */
static void looks_at(struct session *s, const struct session_thread *of)
{
	if (s->asker && s->asker != of)
		s->asker->reads_call = true;
}

/* Is the thread held until a function of the tester's says yes? */
bool watchpoints_is_asked(const struct session_thread *t)
{
	return t->target && t->engine->held && (t->reads.count || t->reads_call) &&
	       (!t->hold.gate || t->hold.gate->kind == GATE_CUSTOM);
}

/* ---- debug registers ------------------------------------------------------------------------ */

struct words {
	struct target_watch items[TARGET_WATCHES];
	size_t count;
	bool too_many;
};

static void add_word(struct words *w, uint64_t address)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->items[i].addr == address)
			return;
	if (w->count == TARGET_WATCHES)
		w->too_many = true;
	else
		w->items[w->count++] = (struct target_watch){address, 8};
}

/* Whole aligned words: what else is in them makes a condition be asked in vain, no more. */
static void collect(const struct session *s, const struct session_process *p, struct words *w)
{
	array_each(struct session_thread *, t, &s->threads) {
		if (!watchpoints_is_asked(*t))
			continue;
		w->too_many |= (*t)->reads_call;
		array_each(const struct watchpoint_read, r, &(*t)->reads) {
			if (r->process != p || r->sum == UNREADABLE)
				continue;
			for (uint64_t a = r->address & ~7ull;
			     a < r->address + r->size && !w->too_many; a += 8)
				add_word(w, a);
		}
	}
}

static bool same_words(const struct session_process *p, const struct words *w)
{
	return p->watch_count == w->count &&
	       memcmp(p->watches, w->items, w->count * sizeof(*w->items)) == 0;
}

/* True: others than before are watched now. */
static bool set_words(struct session *s, struct session_process *p, const struct words *w)
{
	if (!p->target || same_words(p, w))
		return false;
	p->rewatched += w->count > 0;
	if (!s->watchpoints.refused && target_watch(s->target, p->target, w->items, w->count) < 0) {
		s->watchpoints.refused = true;
		target_watch(s->target, p->target, NULL, 0);
	}
	memcpy(p->watches, w->items, sizeof(w->items));
	p->watch_count = w->count;
	return w->count && !s->watchpoints.refused;
}

static bool any_asked(const struct session *s)
{
	array_each(struct session_thread *, t, &s->threads)
		if (watchpoints_is_asked(*t))
			return true;
	return false;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* What cannot be read any more, or can be now, has changed, too. */
static bool has_changed(struct watchpoint_read *r)
{
	uint8_t small[256], *bytes = r->size > sizeof(small) ? base_alloc(r->size, 1) : small;
	uint64_t sum = UNREADABLE;

	if (r->process->target && target_read(r->process->target, r->address, bytes, r->size) == 0)
		sum = sum_of(bytes, r->size);
	if (bytes != small)
		base_free(bytes);
	return sum != r->sum;
}

static bool look(struct session *s)
{
	array_each(struct session_thread *, t, &s->threads) {
		if (!watchpoints_is_asked(*t))
			continue;
		if ((*t)->reads_call)
			return true;
		array_each(struct watchpoint_read, r, &(*t)->reads)
			if (has_changed(r))
				return true;
	}
	return false;
}

static bool is_stale(struct session *s)
{
	return s->watchpoints.active && look(s);
}

/* The clock fires that often, but is not seen at once each time: half a period is slack enough. */
static void plan_look(struct session *s, unsigned period_ms)
{
	s->watchpoints.period_ms = period_ms;
	s->watchpoints.next_us = session_now_us() + period_ms * 1000u - FIRST_MS * 500u;
	ticks_wish(s, &watchpoints_observer, period_ms);
}

static void look_again(struct session *s)
{
	unsigned next = s->watchpoints.period_ms + 1;

	if (!s->watchpoints.active || session_now_us() < s->watchpoints.next_us)
		return;
	plan_look(s, next < LAST_MS ? next : LAST_MS);
	if (look(s))
		session_ask_again(s);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool watch_all(struct session *s)
{
	bool others = false;

	s->watchpoints.looks = s->watchpoints.refused;
	array_each(struct session_process *, p, &s->processes) {
		struct words words = {0};

		if (s->watchpoints.active)
			collect(s, *p, &words);
		if (!words.count && !words.too_many)
			(*p)->rewatched = 0;
		if (words.too_many || (*p)->rewatched >= MOST_REWATCHED) {
			s->watchpoints.looks = true;
			words = (struct words){0};
		}
		others |= set_words(s, *p, &words);
	}
	return others;
}

static bool update(struct session *s)
{
	bool was = s->watchpoints.active, others;

	if (!s->watchpoints.stale || s->over)
		return false;
	s->watchpoints.stale = false;
	s->watchpoints.active = any_asked(s);
	if (!s->watchpoints.active && !was)
		return false;
	others = watch_all(s);
	if (s->watchpoints.active)
		plan_look(s, FIRST_MS);
	else
		ticks_wish(s, &watchpoints_observer, 0);
	return others && look(s);
}

/* All words that conditions have read in this thread's process. */
static size_t words_of(const struct session *s, const struct session_process *p)
{
	size_t words = 0;

	array_each(struct session_thread *, t, &s->threads) {
		array_each(const struct watchpoint_read, r, &(*t)->reads)
			if (watchpoints_is_asked(*t) && r->process == p)
				words += (r->size + (r->address & 7) + 7) / 8;
	}
	return words;
}

void watchpoints_describe(const struct session *s, const struct session_thread *t, struct str *out)
{
	if (!watchpoints_is_asked(t) || !s->watchpoints.looks)
		return;
	if (t->reads_call)
		str_addf(out,
			 " (it calls functions or looks at other threads: asked again every %d ms)",
			 LAST_MS);
	else if (s->watchpoints.refused)
		str_addf(out,
			 " (there are no debug registers: what it reads is looked at every %d ms)",
			 LAST_MS);
	else if (t->process->rewatched >= MOST_REWATCHED)
		str_addf(out,
			 " (conditions here read other words again and again: they are looked at "
			 "every %d ms)",
			 LAST_MS);
	else
		str_addf(out,
			 " (conditions here read %zu words, more than the %d that debug registers "
			 "can watch: they are looked at every %d ms)",
			 words_of(s, t->process), TARGET_WATCHES, LAST_MS);
}

const struct observer watchpoints_observer = {
	.thread_over = gone,
	.decided = update,
	.asks = begin,
	.answered = end,
	.reads = note_read,
	.calls = called,
	.looks_at = looks_at,
	.tick = look_again,
	.stale = is_stale,
};
