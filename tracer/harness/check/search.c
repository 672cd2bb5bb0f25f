/* Searches one harness and collects its outcomes. */
#include "tracer/harness/hunt.h"

#include "tracer/base/hash.h"

#include <string.h>
#include <time.h>

enum { FEW = 2000 };

/* ---- the command line of a harness ----------------------------------------------------------- */

struct command_words {
	ARRAY(char *) words;
};

static char *numbers(const unsigned *calls, size_t count)
{
	struct str text = {0};

	for (size_t i = 0; i < count; i++)
		str_addf(&text, "%s%u", i ? " " : "", calls[i]);
	return text.length ? str_take(&text) : base_strdup("");
}

static void add_order_words(const struct schema *s, unsigned thread, struct command_words *c)
{
	struct str word = {0};

	for (unsigned p = 0; p < s->threads; p++)
		if (s->after[thread] & 1u << p) {
			str_addf(&word, "<%u %u", p, thread);
			*array_add(&c->words) = str_take(&word);
		}
}

static void make_command(const struct harness_hunt *h, const struct harness_sought *s,
			 struct command_words *c)
{
	unsigned final[ORDER_CALLS];
	struct str sum = {0};

	*array_add(&c->words) = base_strdup(h->program);
	*array_add(&c->words) = base_strdup("run");
	*array_add(&c->words) = numbers(final, harness_final(h, &s->schema, final));
	for (unsigned t = 0; t < s->schema.threads; t++)
		*array_add(&c->words) = numbers(s->schema.calls[t], s->schema.counts[t]);
	for (unsigned t = 0; t < s->schema.threads; t++)
		add_order_words(&s->schema, t, c);
	*array_add(&c->words) = base_strdup("=");
	array_each(const struct harness_outcome, o, &s->outcomes)
		if (o->order) {
			str_addf(&sum, "%llx", (unsigned long long)outcome_sum(o->text));
			*array_add(&c->words) = str_take(&sum);
		}
	(void)array_add(&c->words);
}

static void command_fini(struct command_words *c)
{
	array_each(char *, word, &c->words)
		base_free(*word);
	array_fini(&c->words);
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static void count(void *ctx, const char *text)
{
	struct harness_sought *s = ctx;
	OWNED(line) = base_strndup(text, strcspn(text, "\n"));

	if (*line)
		outcomes_add(&s->outcomes, line, NULL)->times++;
}

static const struct harness_outcome *first_wrong(const struct outcomes *o)
{
	array_each(const struct harness_outcome, item, o)
		if (!item->order && item->times)
			return item;
	return NULL;
}

static bool is_outcome(const struct explore_failure *f)
{
	return strcmp(f->kind, "status") == 0;
}

/* Failure to report: a wrong outcome if there is one; NULL if every failure is an allowed
   outcome. */
static const struct explore_failure *chosen_failure(const struct explore *e,
						    const struct harness_outcome *wrong)
{
	array_each(const struct explore_failure, f, &e->failures)
		if (is_outcome(f) == (wrong != NULL))
			return f;
	return wrong ? e->failures.items : NULL;
}

/* The calls that differ from the nearest atomic outcome, in words; NULL if there are none. */
static char *differs_of(const struct outcomes *o, const char *text)
{
	enum { SHOWN = 2 };
	STR(lines);
	struct str out = {0};
	unsigned count = 0;
	char *rest, *line;

	outcomes_nearest(o, text, &lines);
	rest = lines.text;
	while (rest && (line = strsep(&rest, "\n")) && *line && count++ < SHOWN)
		str_addf(&out, "%s%s", count > 1 ? "; " : "", line);
	return out.length ? str_take(&out) : NULL;
}

static void add_violation(struct harness_hunt *h, struct harness_sought *s,
			  const struct explore_failure *f)
{
	const struct harness_outcome *wrong = first_wrong(&s->outcomes);
	struct harness_violation *v = array_add(&h->violations);
	struct str text = {0};

	v->schema = s->schema;
	v->kind = base_strdup(f->kind);
	v->runs = s->runs;
	v->seconds = explore_now_s() - h->begun;
	if (is_outcome(f) && wrong)
		v->differs = differs_of(&s->outcomes, wrong->text);
	str_addf(&text, "%s%s in ",
		 v->differs	 ? v->differs
		 : is_outcome(f) ? "an outcome"
				 : f->where,
		 v->differs ? "," : "");
	schema_print(&h->object, &s->schema, &text);
	v->brief = base_strdup(str_text(&text));
	if (is_outcome(f) && wrong)
		str_addf(&text, ": %s", wrong->text);
	v->headline = str_take(&text);
	v->outcomes = s->outcomes;
	s->outcomes = (struct outcomes){0};
}

/* Explains outcomes by orders in threads, or by --weaken. */
static int look_again(struct harness_hunt *h, struct harness_sought *s)
{
	if (first_wrong(&s->outcomes) && !s->in_threads) {
		s->in_threads = true;
		if (harness_atomic_in_threads(h, &s->schema, &s->outcomes) < 0)
			return -1;
	}
	return harness_allow(h, &s->outcomes) < 0 ? -1 : 0;
}

/* ---- racing accesses, shared by all harnesses ------------------------------------------------ */

static void add_points(struct explore_points_at *to, const struct explore_points_at *from)
{
	array_each(const struct sched_chosen, c, &from->chosen)
		if (!sched_places_find(&to->chosen, c->module, c->offset))
			sched_places_add(&to->chosen, c);
}

/* Marks the call as met by calls of other threads. Returns true if two of these operations never
   met before. */
static bool meet(struct harness_hunt *h, const struct schema *s, unsigned thread, unsigned call)
{
	const struct harness_call *calls = h->object.calls.items;
	bool *met = &h->met[calls[call].op * h->object.ops.count], anew = false;

	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; t != thread && i < s->counts[t]; i++) {
			anew |= !met[calls[s->calls[t][i]].op];
			met[calls[s->calls[t][i]].op] = true;
		}
	return anew;
}

/* True if two threads call a pair of operations that no earlier harness ran concurrently. */
static bool meet_anew(struct harness_hunt *h, const struct schema *s)
{
	bool anew = false;

	if (!h->met)
		h->met = base_alloc(h->object.ops.count * h->object.ops.count, sizeof(*h->met));
	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < s->counts[t]; i++)
			anew |= meet(h, s, t, s->calls[t][i]);
	return anew;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Seed from the calls, so that similar harnesses get different schedules. */
static uint64_t seed_of(const struct schema *s)
{
	uint64_t sum = HASH_START;

	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i <= s->counts[t]; i++)
			sum = hash_word(sum, i < s->counts[t] ? s->calls[t][i] + 1 : 0);
	return sum >> 32;
}

static void search_set_options(struct harness_hunt *h, const struct harness_sought *s,
			       unsigned long runs, struct explore_options *o)
{
	double left = harness_left(h);

	*o = h->explore;
	o->runs = runs;
	o->seconds = left;
	o->seed += (uint64_t)s->level << 32 ^ seed_of(&s->schema);
	o->all = o->only_finds = true;
	/* In a large library finding races takes longer than a few schedules. */
	o->races_known = !meet_anew(h, &s->schema) && s->level == 0;
	o->goes_on = false;
	o->whole_s = 0;
	o->shard = o->shards = 1; /* shards divide the harnesses */
	o->jobs = runs < FEW && !o->jobs ? 1 : o->jobs;
}

static double own_processor_s(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int harness_search(struct harness_hunt *h, struct harness_sought *s, unsigned long runs,
		   bool *violated)
{
	struct explore e = {.quick = h->quick,
			    .full = h->full,
			    .plain = h->plain,
			    .x = h->x,
			    .said = count,
			    .said_ctx = s};
	struct command_words c = {{0}};
	const struct explore_failure *f;
	int answer;

	if (!h->searched_after_s) {
		h->searched_after_s = explore_now_s() - h->begun;
		h->computed_before_s = explore_computed_s() + own_processor_s();
	}
	search_set_options(h, s, runs, &e.options);
	e.points_at.tested = h->tested;
	if (e.options.points == POINTS_RACES)
		add_points(&e.points_at, &h->races);
	make_command(h, s, &c);
	e.x.options->argv = c.words.items;
	answer = explore_search(&e);
	h->x = e.x;
	if (e.options.points == POINTS_RACES)
		add_points(&h->races, &e.points_at);
	s->runs += e.runs;
	h->runs += e.runs;
	if (answer == 0)
		answer = look_again(h, s);
	harness_note_searched(h, s, e.runs, s->level++ == 0);
	f = answer == 0 && e.failures.count ? chosen_failure(&e, first_wrong(&s->outcomes)) : NULL;
	*violated = f;
	if (f)
		add_violation(h, s, f);
	explore_fini(&e);
	h->x.options->argv = NULL;
	command_fini(&c);
	return answer;
}
