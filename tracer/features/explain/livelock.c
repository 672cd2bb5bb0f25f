/* After a time limit: says that the program goes round in circles, and is not only slow. */
#include "tracer/features/timeline/timeline.h"
#include "tracer/features/explain/explain.h"
#include "tracer/features/waiting/spin.h"

enum { MOST_NAMED = 4 };

static void livelock_add_thread(const struct run_thread *t, const struct spin *spin,
				struct str *out)
{
	str_addf(out, "%s", t->engine->id);
	if (spin->place.func)
		str_addf(out, " in %s", spin->place.func);
	if (spin->place.file)
		str_addf(out, " at %s:%u", str_base_name(spin->place.file), spin->place.line);
}

void livelock_line(struct run *s, struct str *out)
{
	const struct outcome *o = &s->outcome;
	uint64_t end_us = s->start_us + timeline_of(s)->end_us, since_us = 0;
	struct str names = {0};
	size_t named = 0;

	if (!o->livelock)
		return;
	array_each(struct run_thread *, t, &s->threads) {
		struct spin spin;

		if (!waiting_is_alive(waiting_of(*t)) || !spin_of(s, *t, &spin))
			continue;
		since_us = spin.since_us > since_us ? spin.since_us : since_us;
		if (named++ == MOST_NAMED)
			str_add(&names, ", ...");
		if (named > MOST_NAMED)
			continue;
		str_add(&names, named > 1 ? "; " : "");
		livelock_add_thread(*t, &spin, &names);
	}
	if (named)
		str_addf(out,
			 "a livelock: the same states again and again, since %.1f s, no place "
			 "reached: %s\n",
			 end_us > since_us ? (double)(end_us - since_us) / 1e6 : 0.0,
			 str_text(&names));
	str_fini(&names);
}
