/* Evaluates closed conditions again when the memory that they have read changes. Debug
 * registers report stores at once; the memory is also read again every 1 to 4 ms. README.md
 * says why both are needed. */
#include "tracer/base/hash.h"
#include "tracer/run/places/places.h"
#include "tracer/run/run.h"
#include "tracer/features/watchpoints/watchpoints.h"
#include "tracer/tracee/traps/traps.h"

#include <string.h>

extern const struct observer watchpoints_observer;

enum { UNREADABLE = 0 }; /* no checksum: the address may be mapped later */
enum { FIRST_MS = 1, LAST_MS = 4, MOST_READS = 4096 };

/* Setting other words interrupts every running thread and restarts waits with a relative time-out.
 * If the words change all the time (the tail of a list), such a wait would never end. */
enum { MOST_REWATCHED = 32 };

/* ---- data -------------------------------------------------------------------------------- */

/* Per-run data. */
struct watchpoints {
	bool stale;	    /* conditions were evaluated: the watched words must be updated */
	bool active;	    /* a thread is held by a condition that has read memory */
	bool looks;	    /* memory is only read: too many words, or no debug registers */
	bool refused;	    /* debug registers are not available */
	unsigned period_ms; /* between two reads */
	uint64_t next_us;   /* time of the next read */
};

/* Per-process data. */
struct watched_words {
	struct tracee_watch words[TRACEE_WATCHES]; /* words in the debug registers */
	size_t count;
	unsigned others; /* number of replacements since no word was watched */
};

static void fini_reads(void *what)
{
	struct watchpoint_reads *reads = what;

	array_fini(reads);
}

static const struct keeper run_keeper = {sizeof(struct watchpoints), NULL};
static const struct keeper process_keeper = {sizeof(struct watched_words), NULL};
static const struct keeper thread_keeper = {sizeof(struct watchpoint_reads), fini_reads};

static struct watchpoints *of_run(const struct run *s)
{
	return kept_make(run_kept(s), &run_keeper);
}

static struct watched_words *of_process(const struct run_process *p)
{
	return kept_make(run_process_kept(p), &process_keeper);
}

static struct watchpoint_reads *of_thread(const struct run_thread *t)
{
	return kept_make(run_thread_kept(t), &thread_keeper);
}

const struct watchpoint_reads *watchpoints_reads(const struct run_thread *t)
{
	return of_thread(t);
}

/* ---- reads of conditions ----------------------------------------------------------------- */

static void watchpoints_begin(struct run *s, const struct run_thread *t)
{
	of_run(s)->stale = true;
	of_thread(t)->count = 0;
	of_thread(t)->calls = false;
}

static void gone(struct run *s, struct run_thread *t, bool renamed)
{
	(void)renamed;
	of_run(s)->stale |= of_thread(t)->count > 0 || of_thread(t)->calls;
	of_thread(t)->count = 0;
	of_thread(t)->calls = false;
}

static void note_read(const struct run_thread *asker, const struct condition_event *ev)
{
	struct watchpoint_reads *reads = of_thread(asker);

	if (reads->count == MOST_READS)
		return;
	array_each(const struct watchpoint_read, r, reads)
		if (r->process == ev->process && r->address == ev->address && r->size == ev->n)
			return;
	*array_add(reads) = (struct watchpoint_read){
		ev->process, ev->address, (uint32_t)ev->n,
		ev->bytes ? hash_bytes(HASH_START, ev->bytes, ev->n) : UNREADABLE};
}

/* A change of another thread's state is no store; the asker's own state does not
 * change while it is held. */
static void on_condition(struct run *s, const struct condition_event *ev)
{
	const struct run_thread *asker = run_asker(s);

	if (!asker)
		return;
	switch (ev->step) {
	case CONDITION_BEGINS:
		watchpoints_begin(s, asker);
		break;
	case CONDITION_READS:
		note_read(asker, ev);
		break;
	case CONDITION_CALLS:
	case CONDITION_LOOKS:
		of_thread(asker)->calls |= ev->thread != asker;
		break;
	}
}

bool watchpoints_is_asked(const struct run_thread *t)
{
	return run_thread_lives(t) && run_thread_is_held(t) &&
	       (of_thread(t)->count || of_thread(t)->calls) &&
	       (!run_thread_hold(t)->gate || run_thread_hold(t)->gate->kind == GATE_CUSTOM);
}

/* ---- debug registers ------------------------------------------------------------------------ */

struct words {
	struct tracee_watch items[TRACEE_WATCHES];
	size_t count;
	bool too_many;
};

static void watchpoints_add_word(struct words *w, uint64_t address)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->items[i].addr == address)
			return;
	if (w->count == TRACEE_WATCHES)
		w->too_many = true;
	else
		w->items[w->count++] = (struct tracee_watch){address, 8};
}

/* Collects whole aligned words: another change in a word only causes a needless evaluation. */
static void watchpoints_collect(const struct run *s, const struct run_process *p, struct words *w)
{
	run_each_thread(t, s) {
		if (!watchpoints_is_asked(t))
			continue;
		w->too_many |= of_thread(t)->calls;
		array_each(const struct watchpoint_read, r, of_thread(t)) {
			if (r->process != p || r->sum == UNREADABLE)
				continue;
			for (uint64_t a = r->address & ~7ull;
			     a < r->address + r->size && !w->too_many; a += 8)
				watchpoints_add_word(w, a);
		}
	}
}

static bool same_words(const struct run_process *p, const struct words *w)
{
	return of_process(p)->count == w->count &&
	       memcmp(of_process(p)->words, w->items, w->count * sizeof(*w->items)) == 0;
}

/* Returns true if the watched words have changed. */
static bool set_words(struct run *s, struct run_process *p, const struct words *w)
{
	if (!run_process_lives(p) || same_words(p, w))
		return false;
	of_process(p)->others += w->count > 0;
	if (!of_run(s)->refused &&
	    tracee_watch(run_tracee(s), run_process_tracee(p), w->items, w->count) < 0) {
		of_run(s)->refused = true;
		tracee_watch(run_tracee(s), run_process_tracee(p), NULL, 0);
	}
	memcpy(of_process(p)->words, w->items, sizeof(w->items));
	of_process(p)->count = w->count;
	return w->count && !of_run(s)->refused;
}

static bool any_asked(const struct run *s)
{
	run_each_thread(t, s)
		if (watchpoints_is_asked(t))
			return true;
	return false;
}

/* ---- polling ----------------------------------------------------------------------------- */

/* Memory that becomes readable or unreadable has changed. */
static bool has_changed(struct watchpoint_read *r)
{
	uint8_t small[256], *bytes = r->size > sizeof(small) ? base_alloc(r->size, 1) : small;
	uint64_t sum = UNREADABLE;

	if (run_process_lives(r->process) &&
	    tracee_read(run_process_tracee(r->process), r->address, bytes, r->size) == 0)
		sum = hash_bytes(HASH_START, bytes, r->size);
	if (bytes != small)
		base_free(bytes);
	return sum != r->sum;
}

static bool watchpoints_look(struct run *s)
{
	run_each_thread(t, s) {
		if (!watchpoints_is_asked(t))
			continue;
		if (of_thread(t)->calls)
			return true;
		array_each(struct watchpoint_read, r, of_thread(t))
			if (has_changed(r))
				return true;
	}
	return false;
}

static bool is_stale(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)answer;
	return question == STUCK_STALE && of_run(s)->active && watchpoints_look(s);
}

/* A tick may be late, so half a period is subtracted. */
static void plan_look(struct run *s, unsigned period_ms)
{
	of_run(s)->period_ms = period_ms;
	of_run(s)->next_us = run_now_us() + period_ms * 1000u - FIRST_MS * 500u;
	ticks_wish(s, &watchpoints_observer, period_ms);
}

static void look_again(struct run *s)
{
	unsigned next = of_run(s)->period_ms + 1;

	if (!of_run(s)->active || run_now_us() < of_run(s)->next_us)
		return;
	plan_look(s, next < LAST_MS ? next : LAST_MS);
	if (watchpoints_look(s))
		run_ask_again(s);
}

/* ---- observer ---------------------------------------------------------------------------- */

static bool watch_all(struct run *s)
{
	bool others = false;

	of_run(s)->looks = of_run(s)->refused;
	run_each_process(p, s) {
		struct words words = {0};

		if (of_run(s)->active)
			watchpoints_collect(s, p, &words);
		if (!words.count && !words.too_many)
			of_process(p)->others = 0;
		if (words.too_many || of_process(p)->others >= MOST_REWATCHED) {
			of_run(s)->looks = true;
			words = (struct words){0};
		}
		others |= set_words(s, p, &words);
	}
	return others;
}

static bool update(struct run *s)
{
	bool was = of_run(s)->active, others;

	if (!of_run(s)->stale || run_is_over(s))
		return false;
	of_run(s)->stale = false;
	of_run(s)->active = any_asked(s);
	if (!of_run(s)->active && !was)
		return false;
	others = watch_all(s);
	run_set_polls(s, of_run(s)->active && (of_run(s)->looks || of_run(s)->refused));
	if (of_run(s)->active)
		plan_look(s, FIRST_MS);
	else
		ticks_wish(s, &watchpoints_observer, 0);
	return others && watchpoints_look(s);
}

/* Returns the number of words that conditions have read in this process. */
static size_t watchpoints_words_of(const struct run *s, const struct run_process *p)
{
	size_t words = 0;

	run_each_thread(t, s) {
		array_each(const struct watchpoint_read, r, of_thread(t))
			if (watchpoints_is_asked(t) && r->process == p)
				words += (r->size + (r->address & 7) + 7) / 8;
	}
	return words;
}

void watchpoints_describe(const struct run *s, const struct run_thread *t, struct str *out)
{
	if (!watchpoints_is_asked(t) || !of_run(s)->looks)
		return;
	if (of_thread(t)->calls)
		str_addf(
			out,
			" (it calls functions or reads other threads: evaluated again every %d ms)",
			LAST_MS);
	else if (of_run(s)->refused)
		str_addf(out,
			 " (there are no debug registers: the words that it reads are polled every "
			 "%d ms)",
			 LAST_MS);
	else if (of_process(run_process_of(t))->others >= MOST_REWATCHED)
		str_addf(out,
			 " (conditions here read different words each time: they are polled every "
			 "%d ms)",
			 LAST_MS);
	else
		str_addf(out,
			 " (conditions here read %zu words, more than the %d that debug registers "
			 "can watch: they are polled every %d ms)",
			 watchpoints_words_of(s, run_process_of(t)), TRACEE_WATCHES, LAST_MS);
}

const struct observer watchpoints_observer = {
	.thread_over = gone,
	.decided = update,
	.condition = on_condition,
	.tick = look_again,
	.stuck = is_stale,
};
