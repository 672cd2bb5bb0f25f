/* Lock order: cycles in the graph of locks that are taken while others are held. */
#include "tracer/audit/checks/checks.h"

#include <limits.h>
#include <stdint.h>

/* Reasons to doubt that the edge is taken with these locks while threads run, as bits. */
enum order_doubt {
	ORDER_FAR = 1,	  /* the objects are unrelated */
	ORDER_QUIET = 2,  /* only before all threads or after them */
	ORDER_GUESS = 4,  /* by a pointer that may call several functions */
	ORDER_ROUNDS = 8, /* the held lock is of an element of an earlier round of the loop */
	ORDER_DEEP = 16,  /* many calls lie between the two */
	ORDER_ALONE = 32, /* no two threads are known to take the two orders */
	ORDER_GATED = 64, /* one lock of static storage is held around both orders */
};

/* Edge of the lock-order graph: a lock held while another one is taken. */
struct lock_edge {
	unsigned from, to; /* lock keys */
	const struct audit_acquisition *at;
	const struct audit_held *held;
	/* Two locks of one kind: 1 if the second is reached from the first, -1 for the reverse, 0
	   if neither. */
	int way;
	unsigned doubts; /* enum order_doubt */
};

struct lock_edges {
	ARRAY(struct lock_edge) items;
};

/* A cycle of locks that `edge` closes. */
struct lock_cycle {
	const struct lock_edge *edge, *against; /* against: the next edge of the cycle */
	unsigned doubts;			/* of all edges */
	ARRAY(unsigned) locks;
};

/* True for a function that takes the lock for its callers. */
static bool takes_for_caller(const struct audit *a, const struct audit_acquisition *at)
{
	array_each(const struct audit_effect, e, &a->facts[at->function].effects)
		if (e->change == CHANGE_TAKES && e->lock == at->lock)
			return true;
	return false;
}

/* Innermost acquisition that is not in a wrapper of the lock, whose place all locks share. */
static const struct audit_acquisition *innermost(const struct audit *a,
						 const struct audit_acquisition *at)
{
	while (at->inner && !takes_for_caller(a, at->inner))
		at = at->inner;
	return at;
}

/* ---- lock order ------------------------------------------------------------------------------ */

static int way_of(const struct audit *a, unsigned held, unsigned taken)
{
	unsigned x = term_object(&a->terms, held), y = term_object(&a->terms, taken);

	if (x == y)
		return 1;
	return term_contains(&a->terms, y, x) ? 1 : term_contains(&a->terms, x, y) ? -1 : 0;
}

/* True if the objects of both locks are known: one is reached from the other, a lock is global, or
   the caller names both. */
static bool is_near(const struct audit *a, unsigned x, unsigned y)
{
	const unsigned root_x = term_root(&a->terms, x), root_y = term_root(&a->terms, y);
	const enum term_kind kind_x = term_kind(&a->terms, root_x),
			     kind_y = term_kind(&a->terms, root_y);

	return root_x == root_y || kind_x == TERM_GLOBAL || kind_y == TERM_GLOBAL ||
	       (kind_x == TERM_PARAMETER && kind_y == TERM_PARAMETER);
}

/* True for a struct that is a lock of the project's own: a lock, and a word about it. */
static bool is_wrapper(const struct audit_record *r)
{
	enum { FIELDS = 2 };

	return r->has_lock && r->fields.count <= FIELDS;
}

/* Field that is a lock of the project's own, which the lock is in, as its key; or 0. */
static unsigned key_of_wrapper(const struct audit *a, unsigned lock)
{
	const struct term is = term_at(&a->terms, lock),
			  of = is.kind == TERM_FIELD ? term_whole(&a->terms, is.a) : is;

	return is.kind == TERM_FIELD && of.kind == TERM_FIELD &&
			       is_wrapper(audit_record_of(a, is.b + 1))
		       ? of.b + 1
		       : 0;
}

/* Key of a lock in the lock-order graph: each lock of static storage has its own, and each field
   that is a struct with nothing but a lock. */
static unsigned order_key(const struct audit *a, unsigned lock)
{
	const struct terms *t = &a->terms;
	const unsigned wrapper = key_of_wrapper(a, lock), keys = UINT_MAX / 2,
		       key = wrapper ? wrapper : audit_lock_key(a, lock);
	unsigned at = lock;

	while (term_kind(t, at) == TERM_FIELD || term_kind(t, at) == TERM_LOAD)
		at = term_at(t, at).a;
	return key && at != lock && term_kind(t, at) == TERM_GLOBAL ? keys + lock : key;
}

/* True for locks of elements of an array of which the held one was taken further down in the same
   loop: in an earlier round, and of another element. */
static bool is_of_rounds(const struct audit *a, const struct audit_acquisition *at,
			 const struct audit_held *h)
{
	return check_is_element(a, at->lock) && check_is_element(a, h->lock) &&
	       h->at.file == at->at.file && h->at.line > at->at.line;
}

/* True for a path of many calls, all of whose conditions hold at once only if there is no doubt. */
static bool is_deep(const struct audit *a, const struct audit_acquisition *at)
{
	enum { DEEP = 6 };
	unsigned calls = 0;

	for (const struct audit_acquisition *end = innermost(a, at); at != end; at = at->inner)
		calls++;
	return calls > DEEP;
}

static unsigned doubts_of(const struct audit *a, const struct audit_acquisition *at,
			  const struct audit_held *h)
{
	return (is_near(a, h->lock, at->lock) ? 0 : ORDER_FAR) |
	       (graph_is_called_shared(a, at->function, at->moment) ? 0 : ORDER_QUIET) |
	       (at->is_guess ? ORDER_GUESS : 0) | (is_of_rounds(a, at, h) ? ORDER_ROUNDS : 0) |
	       (is_deep(a, at) ? ORDER_DEEP : 0);
}

static bool is_held_around(const struct audit *a, const struct audit_acquisition *at,
			   const struct audit_held *but, unsigned key)
{
	for (unsigned i = 0; i < at->held.count; i++) {
		const struct audit_held *h = &at->held.items[i];

		if (h->mode == HELD_ALONE && h->lock != but->lock &&
		    audit_lock_key(a, h->lock) == key)
			return true;
	}
	array_each(const unsigned, item, &a->roles[at->function].locks.items)
		if (*item == 2 * key + 1)
			return true;
	return false;
}

static void add_edges(struct audit *a, const struct audit_acquisition *at, struct lock_edges *out)
{
	const unsigned to = order_key(a, at->lock);

	/* One thread alone waits for no other. */
	if (!graph_is_shared(a, at->function, at->moment))
		return;
	for (unsigned i = 0; to && i < at->held.count; i++) {
		const struct audit_held *h = &at->held.items[i];
		struct lock_edge e = {order_key(a, h->lock), to, at, h, 0, doubts_of(a, at, h)};
		bool known = false;

		e.way = way_of(a, h->lock, at->lock);
		/* A recursive lock that is taken once more is no wait. */
		if (h->mode == HELD_LEFT || !e.from || h->lock == at->lock ||
		    (audit_may_be_taken_twice(a, at->lock) && !check_is_element(a, at->lock) &&
		     is_held_around(a, at, h, audit_lock_key(a, at->lock))) ||
		    (e.from == to && (at->is_ordered || innermost(a, at)->is_ordered ||
				      audit_may_be_taken_twice(a, at->lock))))
			continue;
		array_each(const struct lock_edge, other, &out->items)
			known |= other->from == e.from && other->to == to && other->way == e.way &&
				 innermost(a, other->at)->at.line == innermost(a, at)->at.line &&
				 innermost(a, other->at)->at.file == innermost(a, at)->at.file;
		if (!known)
			*array_add(&out->items) = e;
	}
}

/* True if --type or a comment names the struct of the lock. */
static bool is_asked(const struct audit *a, unsigned key)
{
	return key <= a->program->fields.count && audit_record_of(a, key)->thread_safe;
}

/* True if the objects of two locks of one kind are two parameters: the caller chooses both. */
static bool are_given(const struct audit *a, const struct lock_edge *e)
{
	const unsigned x = term_root(&a->terms, e->held->lock),
		       y = term_root(&a->terms, e->at->lock);

	return x != y && term_kind(&a->terms, x) == TERM_PARAMETER &&
	       term_kind(&a->terms, y) == TERM_PARAMETER;
}

static void edge_evidence(struct finding *f, unsigned doubts)
{
	static const struct {
		enum order_doubt doubt;
		const char *words;
	} rows[] = {
		{ORDER_FAR, "the objects of the locks are unrelated, and may be others each time"},
		{ORDER_QUIET, "one order is only taken before all threads or after them"},
		{ORDER_GUESS, "which function a pointer calls on the way, is not known"},
		{ORDER_DEEP, "many calls lie between the two locks: the path may not be taken"},
		{ORDER_ALONE, "no two threads are known to take both orders"},
		{ORDER_GATED, "another lock is held around both orders"},
		{ORDER_ROUNDS, "one lock is of another element, of an earlier round of the loop"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (doubts & rows[i].doubt)
			finding_evidence(f, EVIDENCE_AGAINST, "%s", rows[i].words);
}

static void order_evidence(const struct audit *a, const struct lock_cycle *c, struct finding *f)
{
	const struct lock_edge *e = c->edge;
	const bool same = e->from == e->to;

	finding_evidence(f, EVIDENCE_CERTAIN, "both orders are on known paths");
	edge_evidence(f, same ? c->doubts & ~(unsigned)ORDER_FAR : c->doubts);
	if (same && e == c->against && !are_given(a, e))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "the objects may have an order, as in a list or a tree");
	if (c->locks.count > 2)
		finding_evidence(f, EVIDENCE_LONGER, "more than two locks close the cycle");
}

/* Adds the path to the acquisition of the second lock, and where the first was taken. */
static void edge_notes(const struct audit *a, const struct lock_edge *e, enum finding_way way,
		       struct finding *f)
{
	STR(held);

	check_lock_name(a, e->at->function, e->held->lock, &held);
	graph_notes(a, e->at->function, way, f);
	finding_step(f, way, e->held->at, "'%s' is taken here", str_text(&held));
	for (const struct audit_acquisition *at = e->at; at != innermost(a, e->at); at = at->inner)
		finding_step(f, way, at->at, "from here, in %s", entries_name(a, at->function));
}

static struct finding *report_order(struct audit *a, const struct lock_cycle *c)
{
	const struct lock_edge *e = c->edge, *against = c->against;
	const struct audit_acquisition *in = innermost(a, e->at),
				       *other = innermost(a, against->at);
	struct finding *f = findings_add(&a->findings, FINDING_LOCK_ORDER, in->at,
					 check_place_name(a, e->at->lock));
	STR(taken);
	STR(held);

	if (!f)
		return NULL;
	check_lock_name(a, e->at->function, e->at->lock, &taken);
	check_lock_name(a, e->at->function, e->held->lock, &held);
	f->function = a->program->functions.items[in->function].name;
	f->other = other->at;
	order_evidence(a, c, f);
	f->is_asked = is_asked(a, audit_lock_key(a, e->held->lock)) ||
		      is_asked(a, audit_lock_key(a, e->at->lock));
	finding_say(f, "'%s' is taken while '%s' is held, %s; in %s", str_text(&taken),
		    str_text(&held),
		    e == against	     ? "and no order of two such locks is defined"
		    : against->to == e->from ? "elsewhere in the other order"
					     : "and elsewhere other locks close a cycle",
		    program_text(a->program, f->function));
	edge_notes(a, e, WAY_HERE, f);
	if (e != against) {
		finding_step(f, WAY_OTHER_END, other->at, "%s here, in %s",
			     against->to == e->from ? "the other order:" : "the cycle continues",
			     entries_name(a, other->function));
		edge_notes(a, against, WAY_OTHER, f);
	}
	return f;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* True if threads take the two orders under one lock of static storage: a gate lock (Havelund,
   Using Runtime Analysis to Guide Model Checking of Java Programs, 2000). */
static bool are_gated(const struct audit *a, const struct lock_edge *x, const struct lock_edge *y)
{
	const unsigned fields = (unsigned)a->program->fields.count;

	for (unsigned i = 0; i < x->at->held.count; i++) {
		const unsigned key = audit_lock_key(a, x->at->held.items[i].lock);

		if (key > fields && is_held_around(a, x->at, x->held, key) &&
		    is_held_around(a, y->at, y->held, key))
			return true;
	}
	array_each(const unsigned, item, &a->roles[x->at->function].locks.items)
		if (*item / 2 > fields && is_held_around(a, x->at, x->held, *item / 2) &&
		    is_held_around(a, y->at, y->held, *item / 2))
			return true;
	return false;
}

static unsigned doubts_of_two(const struct audit *a, const struct lock_edge *x,
			      const struct lock_edge *y)
{
	return (parallel_are_two(a, x->at->function, y->at->function) ? 0 : ORDER_ALONE) |
	       (are_gated(a, x, y) ? ORDER_GATED : 0);
}

/* Shortest path from the end of the edge to its begin, without edges of these doubts (also about
   both): before[i] is
   the edge before edge i, or i itself. Returns the last edge, or SIZE_MAX. */
static size_t path_back(const struct audit *a, const struct lock_edges *all,
			const struct lock_edge *e, unsigned doubts, size_t *before)
{
	const size_t count = all->items.count;
	size_t *queue = base_alloc(count + 1, sizeof(*queue)), first = 0, last = 0,
	       found = SIZE_MAX;
	bool *seen = base_alloc(count + 1, sizeof(*seen));

	for (size_t at = SIZE_MAX; found == SIZE_MAX; at = queue[first++]) {
		const unsigned lock = at == SIZE_MAX ? e->to : all->items.items[at].to;

		for (size_t i = 0; i < count && found == SIZE_MAX; i++) {
			const struct lock_edge *next = &all->items.items[i];

			if (next->from != lock || seen[i] || next->from == next->to ||
			    (next->doubts | doubts_of_two(a, e, next)) & doubts)
				continue;
			seen[i] = true;
			before[i] = at == SIZE_MAX ? i : at;
			queue[last++] = i;
			if (next->to == e->from)
				found = i;
		}
		if (first == last)
			break;
	}
	base_free(queue);
	base_free(seen);
	return found;
}

static void add_lock(struct lock_cycle *c, unsigned lock)
{
	array_each(const unsigned, known, &c->locks)
		if (*known == lock)
			return;
	*array_add(&c->locks) = lock;
}

/* Follows the path from its last edge to its first. */
static void add_path(const struct audit *a, const struct lock_edges *all, size_t last,
		     const size_t *before, struct lock_cycle *c)
{
	for (size_t i = last;; i = before[i]) {
		c->against = &all->items.items[i];
		c->doubts |= c->against->doubts | doubts_of_two(a, c->edge, c->against);
		add_lock(c, c->against->from);
		add_lock(c, c->against->to);
		if (before[i] == i)
			return;
	}
}

/* Conflicting edge of two locks of one kind: the reverse way, or itself if no way orders them. */
static const struct lock_edge *against_itself(const struct lock_edges *all,
					      const struct lock_edge *e)
{
	if (e->way == 0)
		return e;
	array_each(const struct lock_edge, other, &all->items)
		if (other->from == e->from && other->to == e->to && other->way == -e->way)
			return other;
	return NULL;
}

/* The shortest cycle of the edge, one without doubts if there is any. */
static struct lock_cycle cycle_of(const struct audit *a, const struct lock_edges *all,
				  const struct lock_edge *e)
{
	struct lock_cycle c = {.edge = e, .doubts = e->doubts};
	size_t *before = base_alloc(all->items.count + 1, sizeof(*before)), last;

	if (e->from == e->to) {
		c.against = against_itself(all, e);
		c.doubts |= c.against ? c.against->doubts | doubts_of_two(a, e, c.against) : 0;
		add_lock(&c, e->from);
	} else {
		last = path_back(a, all, e, ~0U, before);
		if (last == SIZE_MAX)
			last = path_back(a, all, e, 0, before);
		if (last != SIZE_MAX)
			add_path(a, all, last, before, &c);
	}
	base_free(before);
	return c;
}

static bool is_later(const struct audit *a, const struct lock_edge *e, const struct lock_edge *than)
{
	struct audit_place x = innermost(a, e->at)->at, y = innermost(a, than->at)->at;

	return x.file == y.file ? x.line > y.line : x.file > y.file;
}

struct lock_cycles {
	ARRAY(struct lock_cycle) items;
};

/* Adds each cycle at its last edge. */
static void find_cycles(const struct audit *a, const struct lock_edges *all,
			struct lock_cycles *cycles)
{
	array_each(const struct lock_edge, e, &all->items) {
		struct lock_cycle c = cycle_of(a, all, e);

		if (c.against && (c.against == e || is_later(a, e, c.against)))
			*array_add(&cycles->items) = c;
		else
			array_fini(&c.locks);
	}
}

static bool is_in_cycle(const struct lock_cycle *c, unsigned lock)
{
	array_each(const unsigned, known, &c->locks)
		if (*known == lock)
			return true;
	return false;
}

/* True if all locks of the cycle are in the other one, which is solved with it. */
static bool is_within(const struct lock_cycle *c, const struct lock_cycle *other)
{
	if (c->locks.count == 1 && other->locks.count > 1)
		return false;
	array_each(const unsigned, lock, &c->locks)
		if (!is_in_cycle(other, *lock))
			return false;
	return true;
}

/* Certain cycles before doubtful ones, then short ones before long ones. */
static int by_weight(const void *x, const void *y)
{
	const struct lock_cycle *a = x, *b = y;
	const struct lock_edge *e = a->edge, *f = b->edge;

	if (!a->doubts != !b->doubts)
		return a->doubts ? 1 : -1;
	if (a->locks.count != b->locks.count)
		return a->locks.count < b->locks.count ? -1 : 1;
	return (e > f) - (e < f);
}

/* Reports a cycle, or notes it at one that is within it. */
static void report_cycle(struct audit *a, const struct lock_cycles *all, size_t i,
			 struct number_map *reported)
{
	const struct lock_cycle *c = &all->items.items[i];
	const struct audit_place at = innermost(a, c->edge->at)->at;
	struct finding *f;

	for (size_t k = 0; k < i; k++) {
		const unsigned known = number_map_get(reported, (unsigned)k + 1);

		if (!known || !is_within(&all->items.items[k], c))
			continue;
		f = &a->findings.items.items[known - 1];
		if (!place_same(f->at, at) && !place_same(f->other, at))
			finding_note(f, at, "these locks are taken in a cycle here, too, in %s",
				     entries_name(a, innermost(a, c->edge->at)->function));
		return;
	}
	f = report_order(a, c);
	if (f)
		number_map_set(reported, (unsigned)i + 1,
			       (unsigned)(f - a->findings.items.items) + 1);
}

void check_order(struct audit *a)
{
	struct lock_edges edges = {{0}};
	struct lock_cycles cycles = {{0}};
	struct number_map reported = {0};

	for (unsigned i = 0; i < a->program->functions.count; i++)
		for (size_t k = 0; k < a->facts[i].acquisitions.count; k++)
			add_edges(a, a->facts[i].acquisitions.items[k], &edges);
	find_cycles(a, &edges, &cycles);
	array_sort(&cycles.items, by_weight);
	for (size_t i = 0; i < cycles.items.count; i++)
		report_cycle(a, &cycles, i, &reported);
	array_each(struct lock_cycle, c, &cycles.items)
		array_fini(&c->locks);
	array_fini(&cycles.items);
	array_fini(&edges.items);
	number_map_fini(&reported);
}
