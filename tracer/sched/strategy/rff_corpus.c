/* Reads-from pairs of a run, and RFF's corpus: choice of a parent, mutation, new pairs. */
#include "tracer/sched/strategy/rff_corpus.h"

#define MOST_ENERGY 64
#define TRIES	    4
#define SHARED	    UINT64_MAX

/* ---- reads-from pairs of a run ----------------------------------------------------------- */

static bool reads(const struct strategy_point *p)
{
	return p->op == STRATEGY_READ || p->op == STRATEGY_ATOMIC || p->op == STRATEGY_LOCK ||
	       p->op == STRATEGY_WAIT;
}

static bool writes(const struct strategy_point *p)
{
	if (p->op == STRATEGY_ATOMIC)
		return p->writes;
	return p->op == STRATEGY_WRITE || p->op == STRATEGY_UNLOCK || p->op == STRATEGY_SIGNAL ||
	       p->op == STRATEGY_END;
}

uint64_t reads_from_event(const struct strategy_point *p)
{
	return table_mix(table_mix(p->place, p->object), p->op);
}

static uint64_t object_key(uint64_t object)
{
	return table_mix(object, 0);
}

uint64_t reads_from_last(const struct reads_from *f, uint64_t object)
{
	return table_get(&f->last, object_key(object));
}

static void reads_from_add(struct reads_from *f, struct reads_from_pair pair)
{
	uint64_t *known;

	if (f->pairs.count == READS_FROM_MOST)
		return;
	known = table_at(&f->known, table_mix(pair.writer, pair.reader));
	if (!*known)
		*array_add(&f->pairs) = pair;
	*known = 1;
}

void reads_from_step(struct reads_from *f, const struct strategy_point *moved)
{
	uint64_t object = moved->object, key = object_key(object), event = reads_from_event(moved);
	uint64_t *thread;

	if (object == STRATEGY_NO_OBJECT || object == STRATEGY_ANY_OBJECT)
		return;
	thread = table_at(&f->threads, key);
	if (*thread != SHARED)
		*thread = *thread && *thread != moved->thread + 1 ? SHARED : moved->thread + 1;
	if (reads(moved))
		reads_from_add(f,
			       (struct reads_from_pair){object, table_get(&f->last, key), event});
	if (writes(moved)) {
		reads_from_add(f, (struct reads_from_pair){object, event, READS_FROM_NOBODY});
		*table_at(&f->last, key) = event;
	}
}

void reads_from_keep_shared(struct reads_from *f)
{
	size_t kept = 0;

	array_each(struct reads_from_pair, pair, &f->pairs)
		if (table_get(&f->threads, object_key(pair->object)) == SHARED)
			f->pairs.items[kept++] = *pair;
	f->pairs.count = kept;
}

void reads_from_clear(struct reads_from *f)
{
	table_clear(&f->last);
	table_clear(&f->threads);
	table_clear(&f->known);
	f->pairs.count = 0;
}

void reads_from_fini(struct reads_from *f)
{
	table_fini(&f->last);
	table_fini(&f->threads);
	table_fini(&f->known);
	array_fini(&f->pairs);
}

/* ---- choice of the parent: the cut-off exponential power schedule of the paper ----------- */

/* Returns 0 if the schedule's pairs occur in more runs than average, else a weight that doubles
   with each mutation. */
static uint64_t energy(const struct rff_corpus *c, const struct rff_abstract *a)
{
	if (table_get(&c->runs, a->signature) * c->runs.count > c->total)
		return 0;
	return a->chosen < 6 ? UINT64_C(1) << a->chosen : MOST_ENERGY;
}

static size_t draw_parent(const struct rff_corpus *c, struct prng *r)
{
	uint64_t sum = 0, drawn;
	size_t i = 0;

	array_each(struct rff_abstract, a, &c->kept)
		sum += energy(c, a);
	if (!sum)
		return (size_t)prng_below(r, c->kept.count);
	drawn = prng_below(r, sum);
	while (drawn >= energy(c, &c->kept.items[i]))
		drawn -= energy(c, &c->kept.items[i++]);
	return i;
}

/* ---- mutation ---------------------------------------------------------------------------- */

static uint64_t draw_writer(const struct rff_corpus *c, struct prng *r, uint64_t object)
{
	uint64_t writer = READS_FROM_NOBODY, seen = 1;

	array_each(struct rff_event, w, &c->writers)
		if (w->object == object && prng_below(r, ++seen) == 0)
			writer = w->event;
	return writer;
}

static struct rff_constraint draw_constraint(const struct rff_corpus *c, struct prng *r)
{
	struct rff_constraint drawn = {.positive = true};

	for (unsigned i = 0; i < TRIES; i++) {
		const struct rff_event *reader = &c->readers.items[prng_below(r, c->readers.count)];
		struct reads_from_pair *p = &drawn.pair;

		p->object = reader->object;
		p->reader = reader->event;
		p->writer = draw_writer(c, r, p->object);
		if (!table_get(&c->pairs, table_mix(p->writer, p->reader)))
			return drawn;
	}
	drawn.positive = prng_below(r, 2);
	return drawn;
}

static void mutate(const struct rff_corpus *c, struct prng *r, struct rff_abstract *a)
{
	enum { INSERT, SWAP, DELETE, NEGATE, MUTATIONS };
	uint64_t mutation = a->count ? prng_below(r, MUTATIONS) : INSERT;
	struct rff_constraint *at;

	if (mutation == INSERT && a->count == RFF_CONSTRAINTS)
		mutation = SWAP;
	at = &a->constraints[mutation == INSERT ? a->count++ : prng_below(r, a->count)];
	if (mutation == INSERT || mutation == SWAP)
		*at = draw_constraint(c, r);
	else if (mutation == NEGATE)
		at->positive = !at->positive;
	else
		*at = a->constraints[--a->count];
}

size_t rff_corpus_draw(const struct rff_corpus *c, struct prng *r, struct rff_abstract *mutated)
{
	size_t parent = 0;

	*mutated = (struct rff_abstract){0};
	if (!c->readers.count)
		return parent;
	parent = draw_parent(c, r);
	*mutated = c->kept.items[parent];
	mutate(c, r, mutated);
	return parent;
}

/* ---- lessons ----------------------------------------------------------------------------- */

static void know(struct rff_corpus *c, const struct reads_from_pair *pair)
{
	uint64_t event = pair->reader ? pair->reader : pair->writer;
	uint64_t *known = table_at(&c->events, table_mix(event, pair->reader != 0));

	if (*known)
		return;
	*known = 1;
	if (pair->reader)
		*array_add(&c->readers) = (struct rff_event){pair->object, event};
	else
		*array_add(&c->writers) = (struct rff_event){pair->object, event};
}

struct rff_news rff_corpus_learn(struct rff_corpus *c, size_t parent, const struct rff_abstract *a,
				 bool failed, const struct reads_from_pair *pairs, size_t count)
{
	uint64_t signature = 0;
	struct rff_news news = {0};

	if (!c->kept.count)
		*array_add(&c->kept) = (struct rff_abstract){0};
	for (size_t i = 0; i < count; i++) {
		uint64_t pair = table_mix(pairs[i].writer, pairs[i].reader);

		know(c, &pairs[i]);
		if (!pairs[i].reader)
			continue;
		signature += pair; /* a sum, because it is independent of the order of pairs */
		news.pairs += (*table_at(&c->pairs, pair))++ == 0;
	}
	signature = table_mix(signature, 0);
	if (parent < c->kept.count) /* false for a parent of another worker that had learnt more */
		c->kept.items[parent].chosen++;
	news.is_set_new = (*table_at(&c->runs, signature))++ == 0;
	c->total++;
	if (a->count == 0)
		c->kept.items[0].signature = signature;
	else if (news.pairs || failed) {
		*array_add(&c->kept) = *a;
		c->kept.items[c->kept.count - 1].signature = signature;
		c->kept.items[c->kept.count - 1].chosen = 0;
	}
	return news;
}

void rff_corpus_fini(struct rff_corpus *c)
{
	array_fini(&c->kept);
	array_fini(&c->readers);
	array_fini(&c->writers);
	table_fini(&c->events);
	table_fini(&c->pairs);
	table_fini(&c->runs);
}
