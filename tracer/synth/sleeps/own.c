/* Separates the test's code from a library linked into it: the file of main, files in its
   directory, files named as tests, and code that sleeps are the test's. A library's timed wait is a
   sleep only if the test calls it; that call then is what sleeps. */
#include "tracer/synth/sleeps/convert_internal.h"

#include "tracer/source/lines/source_lines.h"

#include <string.h>
#include <strings.h>

enum { WRAPPER_STATEMENTS = 6 };

/* ---- files ---- */

static size_t length_of_dir(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? (size_t)(slash - file) + 1 : 0;
}

/* Returns the length of the directory path that both share. */
static size_t common_dirs(const char *a, const char *b)
{
	size_t n = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			n = i + 1;
	return n;
}

static bool sounds_like_test(const char *path)
{
	return strcasestr(path, "test") || strcasestr(path, "tst");
}

static const char *main_file(const struct convert_record *r)
{
	struct source_sites sites = {0};
	enum location_kind kind;
	const char *file = NULL;

	if (r->program && location_resolve(r->symbols, r->program, "main", &kind, &sites) &&
	    sites.count)
		file = sites.items[0].file;
	source_sites_fini(&sites);
	return file;
}

bool own_is(const struct convert_record *r, const char *file)
{
	const char *first = r->main_file;
	size_t common;

	if (!first || !file || strcmp(file, first) == 0)
		return true;
	common = common_dirs(file, first);
	if (sounds_like_test(file + common))
		return true;
	return length_of_dir(file) == length_of_dir(first) && length_of_dir(file) == common &&
	       !sounds_like_test(first + common);
}

/* ---- the call that sleeps ---- */

bool own_counts(const struct convert_sleep *s)
{
	return s->state == CONVERT_TIMED_OUT && s->call_count && !s->foreign;
}

const struct convert_line *own_line(const struct convert_sleep *s)
{
	return &s->calls[s->level];
}

/* True if only a few statements precede the sleep in the call's function, and none follow it. */
static bool only_sleeps(const struct convert_record *r, const struct convert_sleep *s, unsigned i)
{
	const struct convert_thread *t = &r->threads.items[s->thread];
	size_t from = s->events, to = s->events;
	uint64_t frame;

	while (from > 0 && !str_same(t->events.items[from - 1].at.func, s->calls[i].func))
		from--;
	if (!from)
		return false;
	frame = t->events.items[from - 1].frame;
	while (from > 0 && t->events.items[from - 1].frame <= frame)
		from--;
	while (to < t->events.count && t->events.items[to].frame == frame &&
	       (deeds_same_line(&t->events.items[to].at, &s->calls[i]) ||
		deeds_is_empty(r->symbols, &t->events.items[to].at)))
		to++;
	return s->events - from <= WRAPPER_STATEMENTS && to < t->events.count &&
	       t->events.items[to].frame > frame;
}

static bool has_other_caller(const struct convert_record *r, const struct convert_sleep *s,
			     unsigned i)
{
	array_each(const struct convert_sleep, o, &r->sleeps)
		if (o->call_count > i + 1 && deeds_same_line(&o->calls[i], &s->calls[i]) &&
		    !deeds_same_line(&o->calls[i + 1], &s->calls[i + 1]))
			return true;
	return false;
}

/* Returns the level of the call that sleeps; a function that only sleeps counts like libc's own. */
static unsigned level_of(const struct convert_record *r, const struct convert_sleep *s)
{
	unsigned i = 0;

	while (i + 1 < s->call_count && (convert_sounds_like_sleep(s->calls[i].func) ||
					 (has_other_caller(r, s, i) && only_sleeps(r, s, i))))
		i++;
	return i;
}

/* Finds the test's call that leads into the library. */
static void find_own_call(const struct convert_record *r, struct convert_sleep *s)
{
	unsigned i = s->level;

	while (i < s->call_count && !own_is(r, s->calls[i].file))
		i++;
	s->foreign = i == s->call_count;
	s->level = s->foreign ? s->level : i;
}

/* True if the test's own files sleep; otherwise files are not separated. */
static bool is_parted(const struct convert_record *r)
{
	array_each(const struct convert_sleep, s, &r->sleeps)
		for (unsigned i = 0; s->state == CONVERT_TIMED_OUT && i < s->call_count; i++)
			if (own_is(r, s->calls[i].file))
				return true;
	return false;
}

/* ---- events of a run that are kept ---- */

/* True if code of the file sleeps: its events are kept, even if it is a library's. */
static bool sleeps_in(const struct convert_record *r, const char *file)
{
	array_each(const struct convert_sleep, s, &r->sleeps)
		if (own_counts(s) && s->mere && str_same(own_line(s)->file, file))
			return true;
	return false;
}

static void keep_events(struct convert_record *r, size_t thread)
{
	struct convert_thread *t = &r->threads.items[thread];
	size_t *left = base_alloc(t->events.count + 1, sizeof(*left)), kept = 0;
	const char *file = NULL;
	bool own = false;

	for (size_t i = 0; i < t->events.count; i++) {
		const struct convert_event *e = &t->events.items[i];

		if (!i || e->at.file != file)
			own = own_is(r, e->at.file) || sleeps_in(r, e->at.file);
		file = e->at.file;
		left[i] = kept;
		if (own)
			t->events.items[kept++] = *e;
	}
	left[t->events.count] = kept;
	array_each(struct convert_sleep, s, &r->sleeps) {
		if (s->thread == thread)
			s->events = left[s->events];
		array_each(struct convert_other, o, &s->others)
			if (o->thread == thread)
				o->events = left[o->events];
	}
	t->events.count = kept;
	base_free(left);
}

/* ---- sleeps in slices ---- */

/* True if both are one call of the test, which sleeps again and again inside a library until its
   time is over. */
static bool is_same_call(const struct convert_sleep *a, const struct convert_sleep *b)
{
	return a->thread == b->thread && own_counts(a) && own_counts(b) && a->level == b->level &&
	       a->events == b->events && a->end_us <= b->begin_us &&
	       deeds_same_line(own_line(a), own_line(b)) &&
	       own_line(a)->offset == own_line(b)->offset;
}

/* Returns the thread's next sleep, or NULL. */
static struct convert_sleep *next_of(struct convert_record *r, struct convert_sleep *s)
{
	for (struct convert_sleep *o = s + 1; o < r->sleeps.items + r->sleeps.count; o++)
		if (o->thread == s->thread)
			return o;
	return NULL;
}

/* A call that sleeps in slices makes one sleep, which ends with its last slice. */
static void join_slices(struct convert_record *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->sleeps.count; i++) {
		struct convert_sleep *s = &r->sleeps.items[i], *next = next_of(r, s);

		if (next && is_same_call(s, next)) {
			next->begin_us = s->begin_us;
			next->ns += s->ns;
			convert_sleep_fini(s);
		} else {
			r->sleeps.items[kept++] = *s;
		}
	}
	r->sleeps.count = kept;
}

void own_settle(struct convert_record *r)
{
	bool parted;

	r->main_file = main_file(r);
	array_each(struct convert_sleep, s, &r->sleeps)
		s->level = s->call_count ? level_of(r, s) : 0;
	parted = r->main_file && is_parted(r);
	if (!parted) {
		r->main_file = NULL;
		return;
	}
	array_each(struct convert_sleep, s, &r->sleeps)
		if (!s->mere && s->call_count)
			find_own_call(r, s);
	for (size_t i = 0; i < r->threads.count; i++)
		keep_events(r, i);
	join_slices(r);
}
