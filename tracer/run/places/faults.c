/* Collects the faulty locations of all scripts, and reports them as one error. */
#include "tracer/run/places/faults.h"
#include "tracer/run/run_internal.h"

#include "tracer/base/text/suggest.h"

#include <string.h>

enum { MOST_TOLD = 19, MOST_TEXT = 2600, MOST_LINE = 300 };

bool faults_tells_more(const struct faults *f)
{
	return f->told < MOST_TOLD && f->others.length <= MOST_TEXT;
}

bool faults_add(struct faults *f, const struct error *err)
{
	size_t length = strcspn(err->text, "\n");

	if (err->code != ERROR_LOCATION) {
		str_fini(&f->others);
		str_fini(&f->last);
		error_fini(&f->first);
		return false;
	}
	/* An order has two places for a location, one before it and one after. */
	if (f->count && strcmp(str_text(&f->last), err->text) == 0)
		return true;
	str_clear(&f->last);
	str_add(&f->last, err->text);
	if (!f->count++) {
		error_copy(&f->first, err);
		return true;
	}
	if (!faults_tells_more(f))
		return true;
	f->told++;
	str_addf(&f->others, "\n%.*s%s", (int)(length < MOST_LINE ? length : MOST_LINE), err->text,
		 length < MOST_LINE ? "" : "...");
	return true;
}

int faults_end(struct faults *f, struct error *err)
{
	unsigned untold = f->count ? f->count - 1 - f->told : 0;

	if (!f->count)
		return 0;
	if (untold)
		str_addf(&f->others, "\nand %u more", untold);
	error_set(err, f->first.code, "%s%s", f->first.text, str_text(&f->others));
	if (f->first.hint)
		error_hint(err, "%s", f->first.hint);
	str_fini(&f->others);
	str_fini(&f->last);
	error_fini(&f->first);
	*f = (struct faults){0};
	return -1;
}

/* Only events that scripts name outside of orders are suggested: other names in orders are as
   doubtful as this one. */
void faults_suggest_event(struct run *s, const struct place *place, struct error *err)
{
	struct suggestions like = {.wanted = place->location};
	const struct place *p;
	struct str text = {0};
	char *best;

	for (size_t i = 0; (p = engine_place_at(s->engine, i)); i++)
		array_each(const struct step, step, &p->steps)
			if (step->kind == STEP_EVENT && !p->from_order)
				suggest_offer(&like, step->text);
	best = suggest_best(&like);
	suggest_take(&like, &text);
	if (best) {
		error_set(err, err->code, "%s: no event or location has this name%s",
			  place->location, str_text(&text));
		error_hint(err, "write %s", best);
	}
	base_free(best);
	str_fini(&text);
}
