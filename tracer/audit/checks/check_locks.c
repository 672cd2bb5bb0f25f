/* Lock order; locks taken twice or kept at return; compound operations on atomics. */
#include "tracer/audit/checks/checks.h"

#include <limits.h>

/* Edge of the lock-order graph: a lock held while another one is taken. */
struct lock_edge {
	unsigned from, to; /* lock keys */
	const struct audit_acquisition *at;
	const struct audit_held *held;
	/* The objects of both locks are known: one is reached from the other, a lock is global, or
	   the caller names both. */
	bool is_near;
	/* Two locks of one kind: 1 if the second is reached from the first, -1 for the reverse, 0
	   if neither. */
	int way;
};

struct lock_edges {
	ARRAY(struct lock_edge) items;
};

static void name_lock(const struct audit *a, unsigned function, unsigned lock, struct str *out)
{
	term_print(&a->terms, a->program, &a->program->functions.items[function], lock, out);
}

unsigned check_place_name(const struct audit *a, unsigned lock)
{
	const struct term is = term_whole(&a->terms, lock);

	if (is.kind == TERM_FIELD)
		return a->program->fields.items[is.b].name;
	return is.kind == TERM_GLOBAL && program_global(a->program, is.a)
		       ? program_global(a->program, is.a)->name
		       : 0;
}

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

static bool is_near(const struct audit *a, unsigned x, unsigned y)
{
	const unsigned root_x = term_root(&a->terms, x), root_y = term_root(&a->terms, y);
	const enum term_kind kind_x = term_kind(&a->terms, root_x),
			     kind_y = term_kind(&a->terms, root_y);

	return root_x == root_y || kind_x == TERM_GLOBAL || kind_y == TERM_GLOBAL ||
	       (kind_x == TERM_PARAMETER && kind_y == TERM_PARAMETER);
}

/* Key of a lock in the lock-order graph: each lock of static storage has its own. */
static unsigned order_key(const struct audit *a, unsigned lock)
{
	const struct terms *t = &a->terms;
	const unsigned key = audit_lock_key(a, lock), keys = UINT_MAX / 2;
	unsigned at = lock;

	while (term_kind(t, at) == TERM_FIELD || term_kind(t, at) == TERM_LOAD)
		at = term_at(t, at).a;
	return key && at != lock && term_kind(t, at) == TERM_GLOBAL ? keys + lock : key;
}

static void add_edges(struct audit *a, const struct audit_acquisition *at, struct lock_edges *out)
{
	const unsigned to = order_key(a, at->lock);

	/* One thread alone waits for no other. */
	if (!graph_is_shared(a, at->function, at->moment))
		return;
	for (unsigned i = 0; to && i < at->held.count; i++) {
		const struct audit_held *h = &at->held.items[i];
		struct lock_edge e = {order_key(a, h->lock),	     to, at, h,
				      is_near(a, h->lock, at->lock), 0};
		bool known = false;

		e.way = way_of(a, h->lock, at->lock);
		if (h->mode == HELD_LEFT || !e.from || h->lock == at->lock ||
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

/* Depth-first search: true if edges lead from one lock to the other. `seen` marks visited edges. */
static bool leads(const struct lock_edges *all, unsigned from, unsigned to, bool *seen,
		  const struct lock_edge **first)
{
	for (size_t i = 0; i < all->items.count; i++) {
		const struct lock_edge *e = &all->items.items[i];

		if (e->from != from || seen[i] || e->from == e->to)
			continue;
		seen[i] = true;
		if (e->to == to || leads(all, e->to, to, seen, first)) {
			*first = e;
			return true;
		}
	}
	return false;
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

static void order_evidence(const struct audit *a, const struct lock_edge *e,
			   const struct lock_edge *against, struct finding *f)
{
	const bool same = e->from == e->to, ordered = e != against;

	finding_evidence(f, EVIDENCE_CERTAIN, "both orders are on known paths");
	if (!same && !(e->is_near && against->is_near))
		finding_evidence(
			f, EVIDENCE_AGAINST,
			"the objects of the locks are unrelated, and may be others each time");
	if (same && !ordered && !are_given(a, e))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "the objects may have an order, as in a list or a tree");
	if (!same && against->to != e->from)
		finding_evidence(f, EVIDENCE_LONGER, "more than two locks close the cycle");
}

/* Adds the path to the acquisition of the second lock, and where the first was taken. */
static void edge_notes(const struct audit *a, const struct lock_edge *e, enum finding_way way,
		       struct finding *f)
{
	STR(held);

	name_lock(a, e->at->function, e->held->lock, &held);
	graph_notes(a, e->at->function, way, f);
	finding_step(f, way, e->held->at, "'%s' is taken here", str_text(&held));
	for (const struct audit_acquisition *at = e->at; at != innermost(a, e->at); at = at->inner)
		finding_step(f, way, at->at, "from here, in %s", entries_name(a, at->function));
}

static void report_order(struct audit *a, const struct lock_edge *e,
			 const struct lock_edge *against)
{
	const struct audit_acquisition *in = innermost(a, e->at),
				       *other = innermost(a, against->at);
	struct finding *f = findings_add(&a->findings, FINDING_LOCK_ORDER, in->at,
					 check_place_name(a, e->at->lock));
	STR(taken);
	STR(held);

	if (!f)
		return;
	name_lock(a, e->at->function, e->at->lock, &taken);
	name_lock(a, e->at->function, e->held->lock, &held);
	f->function = a->program->functions.items[in->function].name;
	f->other = other->at;
	order_evidence(a, e, against, f);
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

static bool is_later(const struct audit *a, const struct lock_edge *e, const struct lock_edge *than)
{
	struct audit_place x = innermost(a, e->at)->at, y = innermost(a, than->at)->at;

	return x.file == y.file ? x.line > y.line : x.file > y.file;
}

/* Reports each cycle once, at its last edge. */
static void check_order(struct audit *a, const struct lock_edges *all)
{
	bool *seen = base_alloc(all->items.count + 1, sizeof(*seen));

	array_each(const struct lock_edge, e, &all->items) {
		const struct lock_edge *against = NULL;

		if (e->from == e->to) {
			against = against_itself(all, e);
		} else {
			for (size_t i = 0; i < all->items.count; i++)
				seen[i] = false;
			if (!leads(all, e->to, e->from, seen, &against))
				against = NULL;
		}
		if (against && (against == e || is_later(a, e, against)))
			report_order(a, e, against);
	}
	base_free(seen);
}

/* ---- single locks ---------------------------------------------------------------------------- */

static bool is_element(const struct audit *a, unsigned lock)
{
	for (; term_kind(&a->terms, lock) >= TERM_LOAD; lock = term_at(&a->terms, lock).a)
		if (term_kind(&a->terms, lock) == TERM_ELEMENT)
			return true;
	return false;
}

/* True if the lock is of an object that may be another one each time. */
static bool is_of_any_object(const struct audit *a, unsigned lock)
{
	const enum term_kind kind = term_kind(&a->terms, term_root(&a->terms, lock));

	return kind == TERM_JOIN || kind == TERM_SITE;
}

/* True for a lock that callers release, or a function that is not called with it held. */
static bool is_handed(const struct audit *a, const struct suspicion *s)
{
	if (number_map_get(&a->handed, s->function + 1))
		return true;
	for (unsigned i = 0; i < a->program->functions.count; i++)
		array_each(const struct audit_effect, e, &a->facts[i].effects)
			if (e->change == CHANGE_LEAVES &&
			    !(number_map_get(&a->givers, i + 1) & GIVER_HAS) &&
			    audit_lock_key(a, e->lock) == audit_lock_key(a, s->term))
				return true;
	return false;
}

static void report_lock(struct audit *a, const struct suspicion *s, enum finding_tag tag,
			const char *what)
{
	struct finding *f = findings_add(&a->findings, tag, s->at, check_place_name(a, s->term));
	STR(lock);

	if (!f)
		return;
	f->function = a->program->functions.items[s->function].name;
	f->other = s->other;
	name_lock(a, s->function, s->term, &lock);
	finding_say(f, "'%s' %s; in %s", str_text(&lock), what,
		    program_text(a->program, f->function));
	graph_notes(a, s->function, WAY_HERE, f);
	finding_step(f, WAY_HERE, s->other, "it is locked here");
	if (s->again.file)
		finding_step(f, WAY_HERE, s->again, "and here again");
	finding_evidence(f, EVIDENCE_CERTAIN, "one path does both");
	if (s->kind == SUSPECT_KEPT_LOCK && !s->is_certain)
		finding_evidence(f, -20, "the result says where it is kept");
	if (is_of_any_object(a, s->term))
		finding_evidence(f, EVIDENCE_AGAINST, "which object it is of, is not known");
	if (is_element(a, s->term))
		finding_evidence(f, EVIDENCE_AGAINST,
				 "which element of the array it is, is not known");
}

static void report_compound(struct audit *a, const struct suspicion *s)
{
	struct finding *f = check_add(a, FINDING_COMPOUND, s->at, s->field, s->function);

	if (!f)
		return;
	f->other = s->other;
	finding_evidence(f, EVIDENCE_CERTAIN, "one path does both steps without a lock");
	if (a->roles[s->function].locks.items.count)
		finding_evidence(f, EVIDENCE_AGAINST, "all callers hold a lock");
	if (a->facts[s->function].makes_threads || a->facts[s->function].joins_threads)
		finding_evidence(f, EVIDENCE_AGAINST,
				 "the function makes or joins threads, which one thread does");
	check_say(
		a, f,
		"is loaded and then stored in two steps: another thread may change it in between");
	graph_notes(a, s->function, WAY_HERE, f);
}

static void report_sections(struct audit *a, const struct suspicion *s)
{
	struct finding *f = check_add(a, FINDING_COMPOUND, s->at, s->field, s->function);

	if (!f)
		return;
	finding_evidence(f, 60, "the lock was released between the test and the write");
	if (a->roles[s->function].locks.items.count)
		finding_evidence(f, EVIDENCE_AGAINST, "all callers hold a lock");
	check_say(a, f,
		  "is written by what an earlier critical section has read: another thread may "
		  "have changed it in between");
	graph_notes(a, s->function, WAY_HERE, f);
}

void check_locks(struct audit *a)
{
	struct lock_edges edges = {{0}};

	array_each(const struct suspicion, s, &a->suspicions) {
		if (s->kind == SUSPECT_COMPOUND && !suspicion_is_shared(a, s))
			continue;
		if (s->kind == SUSPECT_DOUBLE_LOCK && !audit_may_be_taken_twice(a, s->term))
			report_lock(a, s, FINDING_DOUBLE_LOCK,
				    "is locked by a thread that already holds it");
		else if (s->kind == SUSPECT_KEPT_LOCK && !is_handed(a, s))
			report_lock(a, s, FINDING_RETURN_WITH_LOCK,
				    "is still locked on this return path, and unlocked on others");
		else if (s->kind == SUSPECT_COMPOUND)
			report_compound(a, s);
		else if (s->kind == SUSPECT_SECTIONS && suspicion_is_shared(a, s))
			report_sections(a, s);
	}
	for (unsigned i = 0; i < a->program->functions.count; i++)
		for (size_t k = 0; k < a->facts[i].acquisitions.count; k++)
			add_edges(a, a->facts[i].acquisitions.items[k], &edges);
	check_order(a, &edges);
	array_fini(&edges.items);
}
