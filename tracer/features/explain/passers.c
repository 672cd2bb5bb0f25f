/* Which threads have been at a place, whether it means them or not. */
#include "tracer/features/explain/passers.h"

#include "tracer/features/explain/hints.h"

enum { NAMED_MOST = 6, PASSERS_MOST = 32 };

/* Kept with a place. */
struct passed {
	ARRAY(struct passer) by;
	bool jumped;		      /* FUNC%return: see passers_jumped() */
	unsigned long inside, others; /* not among `by`; others: by whom it does not mean */
};

static void passers_fini(void *what)
{
	struct passed *passed = what;

	array_fini(&passed->by);
}

static const struct keeper keeper = {sizeof(struct passed), passers_fini};

static struct passed *passed_of(const struct place *place)
{
	const struct run_place *sp = place->user;

	return kept_make(&sp->kept, &keeper);
}

/* False: there are too many. */
static bool pass_by(struct passed *passed, const struct engine_thread *t)
{
	array_each(struct passer, old, &passed->by) {
		if (old->thread == t) {
			old->count++;
			return true;
		}
	}
	if (passed->by.count == PASSERS_MOST)
		return false;
	*array_add(&passed->by) = (struct passer){t, 1};
	return true;
}

void passers_comes(struct run *s, const struct run_thread *t, struct place *place)
{
	struct run_place *sp = place->user;

	if ((place->thread || !place_reached(place)) && !pass_by(passed_of(place), t->engine) &&
	    !engine_thread_matches(s->engine, t->engine, place->thread))
		passed_of(place)->others++;
	if (t->at_return == SOURCE_TAIL)
		passed_of(place)->jumped |= sp->located && sp->location.kind == LOCATION_RETURN;
}

void passers_add(const struct passers *list, struct str *out)
{
	size_t shown = list->count > NAMED_MOST ? NAMED_MOST + 1 : list->count;
	unsigned long times = list->more;

	if (times) {
		array_each(const struct passer, one, list)
			times += one->count;
		str_add(out, "other threads (");
		hints_times(times, out);
		str_add(out, ")");
		return;
	}
	for (size_t i = 0; i < shown; i++) {
		const struct passer *one = &list->items[i];

		hints_and(i, shown, out);
		if (i == NAMED_MOST) {
			str_addf(out, "%zu more", list->count - NAMED_MOST);
			break;
		}
		str_add(out, one->thread->id);
		if (one->count < 2)
			continue;
		str_add(out, " (");
		hints_times(one->count, out);
		str_add(out, ")");
	}
}

void passers_of(struct run *s, const struct place *p, bool meant, struct passers *out)
{
	const struct engine_thread *t;

	out->more = meant ? 0 : passed_of(p)->others;
	for (size_t i = 0; (t = engine_thread_at(s->engine, i)); i++)
		array_each(const struct passer, one, &passed_of(p)->by)
			if (one->thread == t &&
			    engine_thread_matches(s->engine, t, p->thread) == meant)
				*array_add(out) = *one;
}

void passers_inside_add(const struct place *p, unsigned long arrivals)
{
	passed_of(p)->inside += arrivals;
}

unsigned long passers_inside(const struct place *p)
{
	return passed_of(p)->inside;
}

void passers_others_add(const struct place *p, unsigned long times)
{
	passed_of(p)->others += times;
}

bool passers_any(const struct place *p)
{
	return passed_of(p)->by.count > 0;
}

bool passers_jumped(const struct place *p)
{
	return passed_of(p)->jumped;
}
