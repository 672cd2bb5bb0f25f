/* Searches harnesses by size, each at several levels of thoroughness. */
#include "tracer/harness/hunt.h"

#include "lua/script.h"
#include "tracer/base/hash.h"
#include "tracer/base/number_map.h"

#include <string.h>

/* Runs of a harness at each level; the last level has as many as --runs asks for. */
static const unsigned long levels[] = {30, 300};
enum { LEVELS = sizeof(levels) / sizeof(*levels) + 1, SAMPLES = 20000, TOGETHER = 64 };

/* All harnesses of one size. */
struct harness_group {
	struct harness_size *size;
	struct enumeration from;
	bool enumerated, given;
	ARRAY(struct harness_sought) items;
};

struct hunt {
	struct harness_hunt *h;
	ARRAY(struct harness_group) groups;
};

/* True for C and C++ runtime libraries and sanitizers, whose code nobody expects to be searched. */
static bool is_runtime(const char *library)
{
	static const char *const names[] = {
		"libc.so",    "libm.so",     "ld-linux",  "libpthread.so", "libdl.so",
		"librt.so",   "libgcc_s",    "libstdc++", "libatomic.so",  "libasan.so",
		"libtsan.so", "libubsan.so", "libc++",	  "libclang_rt",   "linux-vdso"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(library, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Warns that other libraries are not searched: a search without findings does not clear them. */
static void note_others(struct harness_hunt *h)
{
	const char *library;
	struct str text = {0};

	for (size_t n = 0; (library = module_needs(h->module, n)); n++)
		if (!is_runtime(library))
			str_addf(&text, "%s%s", text.length ? ", " : "", library);
	if (text.length) {
		str_add(&text, ": a library of the system, or without debug information, has no "
			       "points inside: threads switch there only where it waits. If it "
			       "contains the object, name it as LIBRARY");
		*array_add(&h->notes) = str_take(&text);
	}
}

int harness_discover(struct harness_hunt *h)
{
	if (harness_library(h) < 0)
		return -1;
	note_others(h);
	if (signatures_read(h->module, h->options.type, &h->signatures, h->x.err) < 0)
		return -1;
	return harness_object(h) < 0 ? -1 : harness_weaken(h);
}

/* ---- one harness ----------------------------------------------------------------------------- */

static bool harness_is_over(const struct harness_hunt *h)
{
	return harness_left(h) < 0 || (h->violations.count && !h->explore.all);
}

static bool contains_known(const struct harness_hunt *h, const struct schema *s)
{
	array_each(const struct harness_violation, v, &h->violations)
		if (schema_contains(&h->object, s, &v->schema))
			return true;
	return false;
}

/* Finds the linearizable outcomes, or drops the harness. */
static int prepare_one(struct harness_hunt *h, struct harness_group *g, struct harness_sought *s)
{
	struct harness_atomic a = {.use = HARNESS_FAILS};
	int failed = harness_atomic(h, &s->schema, &a);

	s->outcomes = a.outcomes;
	if (failed)
		return -1;
	if (harness_left(h) < 0) {
		s->out = true; /* not all orders were run */
		return 0;
	}
	s->prepared = true;
	s->concerned = a.concerned;
	s->out = a.use != HARNESS_USABLE || !a.outcomes.count;
	g->size->unusable += s->out;
	h->unusable += s->out;
	return 0;
}

/* True if the harness belongs to this shard. */
static bool harness_is_ours(const struct harness_hunt *h, size_t index)
{
	return index % h->explore.shards == h->explore.shard - 1;
}

/* Prepares harnesses together, so that one process runs all their orders: few at first, so that the
   search begins soon. */
static int harness_prepare(struct harness_hunt *h, struct harness_group *g, size_t from)
{
	size_t some = h->harnesses < TOGETHER ? h->harnesses + 1 : TOGETHER;
	size_t end = from + some < g->items.count ? from + some : g->items.count;

	for (size_t i = from; i < end; i++)
		if (harness_is_ours(h, i) && !g->items.items[i].prepared)
			harness_atomic_want(h, &g->items.items[i].schema);
	for (size_t i = from; i < end; i++)
		if (harness_is_ours(h, i) && !g->items.items[i].prepared &&
		    prepare_one(h, g, &g->items.items[i]) < 0)
			return -1;
	return 0;
}

static int search_level(struct harness_hunt *h, struct harness_group *g, struct harness_sought *s,
			unsigned level)
{
	unsigned long most = h->explore.runs, runs;
	bool violated = false;

	if (s->out)
		return 0;
	if (!g->given && contains_known(h, &s->schema)) {
		s->out = true;
		h->contained++;
		return 0;
	}
	g->size->searched += !s->level;
	h->harnesses += !s->level;
	runs = level < LEVELS - 1 ? levels[level] : most;
	if (most && s->runs + runs > most)
		runs = most - s->runs;
	if (!runs && most)
		return 0;
	if (harness_search(h, s, runs, &violated) < 0)
		return -1;
	s->out = violated;
	if (violated && !g->given && harness_reduce(h) < 0)
		return -1;
	return violated ? harness_found(h, &h->violations.items[h->violations.count - 1]) : 0;
}

/* ---- harnesses of one size ------------------------------------------------------------------- */

/* Shuffles the harnesses: neighbours are alike and rarely show what the other does not. */
static void shuffle(struct harness_sought *items, size_t count, uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15 | 1;

	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)(enumerate_random(&state) % i);
		struct harness_sought kept = items[i - 1];

		items[i - 1] = items[j];
		items[j] = kept;
	}
}

/* Adds the harness if it is new. */
static bool add_sample(struct harness_group *g, struct number_map *known, const struct schema *s)
{
	unsigned key = number_map_key(hash_bytes(HASH_START, s, sizeof(*s)));
	size_t at = 0;

	if (number_map_next(known, key, &at))
		return false;
	number_map_add(known, key, 1);
	array_add(&g->items)->schema = *s;
	return true;
}

/* Fills the group with a sample. Returns the number of harnesses in which a thread begins with a
   change; they come first. */
static size_t take_sample(struct harness_hunt *h, struct harness_group *g)
{
	uint64_t state = h->explore.seed * 0x9e3779b97f4a7c15 | 1;
	struct number_map known = {0};
	size_t firsts = 0;
	struct schema s;
	bool first;

	for (unsigned n = 0; n < SAMPLES && enumerate_sample(&g->from, &state, &s, &first); n++) {
		if (!add_sample(g, &known, &s) || !first)
			continue;
		g->items.items[g->items.count - 1].schema = g->items.items[firsts].schema;
		g->items.items[firsts++].schema = s;
	}
	number_map_fini(&known);
	return firsts;
}

static void enumerate(struct harness_hunt *h, struct harness_group *g)
{
	const bool large = enumerate_is_large(&g->from);
	size_t first = 0;
	struct schema s;

	g->enumerated = true;
	if (large)
		first = take_sample(h, g);
	while (!large && enumerate_next(&g->from, &s)) {
		array_add(&g->items)->schema = s;
		first += !g->from.second;
	}
	g->size->harnesses += g->items.count;
	g->size->more |= large;
	shuffle(g->items.items, first, h->explore.seed);
	if (first < g->items.count)
		shuffle(g->items.items + first, g->items.count - first, h->explore.seed);
}

static int search_those(struct harness_hunt *h, struct harness_group *g, unsigned level,
			bool concerned)
{
	for (size_t i = 0; !harness_is_over(h) && i < g->items.count; i++) {
		struct harness_sought *s = &g->items.items[i];

		if (!harness_is_ours(h, i))
			continue;
		if ((!s->prepared && harness_prepare(h, g, i) < 0) ||
		    (s->concerned == concerned && search_level(h, g, s, level) < 0))
			return -1;
	}
	return 0;
}

/* Searches one size. Harnesses whose threads do not see each other's changes come a level later:
   only crashes can be found there. */
static int search_group(struct harness_hunt *h, struct harness_group *g, unsigned level)
{
	if (!g->enumerated)
		enumerate(h, g);
	if (level < LEVELS && search_those(h, g, level, true) < 0)
		return -1;
	return level > 0 ? search_those(h, g, level - 1, false) : 0;
}

/* Searches small sizes first, but begins the next size before it searches one more thoroughly. */
static int search_all(struct hunt *w)
{
	for (unsigned stage = 0; stage < w->groups.count + LEVELS; stage++)
		for (unsigned level = 0; level <= LEVELS && level <= stage; level++)
			if (stage - level < w->groups.count && !harness_is_over(w->h) &&
			    search_group(w->h, &w->groups.items[stage - level], level) < 0)
				return -1;
	return 0;
}

/* ---- the whole search ------------------------------------------------------------------------ */

/* Parses --schema to restrict the calls (harness_calls). Call numbers are final only after that, so
   add_given() parses again. */
static int parse_given(struct harness_hunt *h)
{
	struct schema s;

	array_each(const char *const, text, &h->options.schemas) {
		if (schema_parse(&h->object, *text, &s, h->x.err) < 0)
			return -1;
		for (unsigned t = 0; t < s.threads; t++)
			for (unsigned i = 0; i < s.counts[t]; i++)
				harness_give(&h->object, s.calls[t][i]);
	}
	harness_calls(&h->object);
	return 0;
}

static int add_given(struct hunt *w)
{
	struct harness_hunt *h = w->h;
	struct harness_group *g = array_add(&w->groups);

	array_add(&h->sizes)->harnesses = h->options.schemas.count;
	g->size = h->sizes.items;
	g->enumerated = g->given = true;
	array_each(const char *const, text, &h->options.schemas) {
		struct harness_sought s = {0};

		if (schema_parse(&h->object, *text, &s.schema, h->x.err) < 0)
			return -1;
		*array_add(&g->items) = s;
	}
	return 0;
}

static void add_groups(struct hunt *w, enum enumeration_calls calls)
{
	const struct harness_options *o = &w->h->options;

	for (unsigned size = o->least; size <= o->most; size++) {
		struct harness_group *g = array_add(&w->groups);

		g->size = &w->h->sizes.items[size - o->least];
		enumerate_begin(&g->from, &w->h->object, o->threads, size, calls);
	}
}

/* Harnesses of few values come first, in all sizes. */
static void add_sizes(struct hunt *w)
{
	const struct harness_options *o = &w->h->options;
	const bool few = enumerate_has_few(&w->h->object);

	for (unsigned size = o->least; size <= o->most; size++)
		*array_add(&w->h->sizes) = (struct harness_size){.calls = size};
	add_groups(w, few ? ENUMERATE_FEW : ENUMERATE_ALL);
	if (few)
		add_groups(w, ENUMERATE_REST);
}

static void hunt_fini(struct hunt *w)
{
	array_each(struct harness_group, g, &w->groups) {
		array_each(struct harness_sought, s, &g->items)
			outcomes_fini(&s->outcomes);
		array_fini(&g->items);
		enumerate_fini(&g->from);
	}
	array_fini(&w->groups);
}

static int no_time(struct harness_hunt *h)
{
	STR(tried);

	array_each(const struct harness_op, op, &h->object.ops)
		str_addf(&tried, "%s%s %lu call%s in %.2f s", tried.length ? ", " : "", op->name,
			 op->tried, str_plural(op->tried), op->tried_s);
	error_set(h->x.err, ERROR_USAGE,
		  "nothing was searched: the %.0f seconds were over while whole calls were tried: "
		  "%s",
		  h->explore.seconds, str_text(&tried));
	return error_hint(h->x.err, "--for SECONDS gives more time, --ops names fewer operations");
}

/* Reports that no harness was searched, which must not look like success. */
static int nothing_searched(struct harness_hunt *h)
{
	STR(stuck);

	if (h->out_of_time)
		return no_time(h);
	if (!h->unusable)
		return error_set(h->x.err, ERROR_USAGE,
				 "nothing was searched: no harness of so many threads and calls "
				 "changes the object");
	array_each(const struct harness_stuck, s, &h->stuck) {
		str_add(&stuck, stuck.length ? "; " : ": ");
		harness_say_stuck(h, s, true, &stuck);
	}
	error_set(h->x.err, ERROR_USAGE,
		  "nothing was searched: calls one after the other do not end normally in any of "
		  "%lu harness%s%s",
		  h->unusable, h->unusable == 1 ? "" : "es", str_text(&stuck));
	return error_hint(h->x.err, "--ops names the operations that are called, --schema how");
}

int harness_hunt(struct harness_hunt *h)
{
	bool given = h->options.schemas.count;
	struct hunt w = {.h = h};
	int answer = 0;

	h->begun = explore_now_s();

	if (given)
		answer = parse_given(h);
	if (answer == 0)
		answer = harness_probe(h);
	if (answer == 0 && given)
		answer = add_given(&w);
	else if (answer == 0)
		add_sizes(&w);
	if (answer == 0)
		answer = search_all(&w);
	if (answer == 0)
		answer = harness_look_where_stuck(h);
	h->seconds = explore_now_s() - h->begun;
	h->out_of_time = harness_left(h) < 0 && (h->explore.all || !h->violations.count);
	if (answer == 0 && !h->runs)
		answer = nothing_searched(h);
	hunt_fini(&w);
	return answer;
}

void harness_hunt_fini(struct harness_hunt *h)
{
	shortlived_remove(&h->folder);
	if (h->orders)
		harness_orders_free(h);
	array_each(struct harness_violation, v, &h->violations)
		harness_violation_fini(v);
	array_fini(&h->violations);
	array_fini(&h->sizes);
	harness_stuck_fini(h);
	array_each(char *, note, &h->notes)
		base_free(*note);
	array_fini(&h->notes);
	array_fini(&h->final);
	array_each(struct harness_weak, weak, &h->weak)
		script_weaken_free(weak->script);
	array_fini(&h->weak);
	signatures_fini(&h->signatures);
	harness_object_fini(&h->object);
	explore_points_fini(&h->races);
	base_free(h->met);
	base_free(h->program);
	base_free(h->compiler);
	base_free(h->link);
}
