/* Answers what locations mean in a program, for check and lines. No code of the program runs. */
#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/run/threads/threads.h"
#include "tracer/scripts/scripts.h"

#include <string.h>

/* Data to which the answer for one location points. */
struct found_sites {
	struct source_sites sites;
	struct error error, thread;
};

struct query {
	struct run *run;
	const char *const *locations;
	size_t count;
	ARRAY(struct run_query) answers;
	ARRAY(struct found_sites *) found; /* by index of the answer */
	void (*each)(void *ctx, const struct run_query *q);
	void *ctx;
};

/* Checks that the conditions of a resolved place can be evaluated at its sites. */
static void check_conditions(const struct place *place, struct run_process *p,
			     struct run_query *out, struct found_sites *found)
{
	if (!place || (out->error && !out->pending))
		return;
	if (conditions_parse(place, &found->error) == 0 &&
	    (!out->sites || conditions_check(p, place, out->sites, &found->error) == 0))
		return;
	out->error = &found->error;
	out->sites = NULL;
	out->pending = false;
}

/* Returns the start routine in "NAME#1", to be freed, or NULL if the text names none that could be
   looked up: lambdas have names that are no locations. */
static char *routine_of(const char *thread)
{
	const char *slash = strrchr(thread, '/'), *name = slash ? slash + 1 : thread;
	const char *hash = strrchr(name, '#');

	if (!hash || hash == name || strpbrk(name, "{<*?") || strncmp(name, "thread#", 7) == 0)
		return NULL;
	return base_strndup(name, (size_t)(hash - name));
}

/* Looks for the start routine of the place's thread: another name would match no thread. */
static void check_thread(struct query *q, const struct place *place, struct run_query *out,
			 struct found_sites *found)
{
	OWNED(routine) = place && place->thread ? routine_of(place->thread) : NULL;
	struct source_sites sites = {0};
	struct location location = {0};

	if (!routine || location_parse(routine, &location, &found->thread) < 0)
		return;
	if (location.kind == LOCATION_FUNC &&
	    source_resolve(run_symbols(q->run), out->modules, out->module_count, &location, &sites,
			   &found->thread) == SOURCE_NOT_FOUND)
		out->thread = &found->thread;
	source_sites_fini(&sites);
	location_fini(&location);
}

/* `place` is NULL if the location is not from a script. */
static void answer(struct query *q, const char *text, const struct place *place, const char *source,
		   struct run_process *p, struct module *const *modules)
{
	size_t count = run_process_images(p)->count;
	struct run_query *out = array_add(&q->answers);
	struct found_sites *found = *array_add(&q->found) = base_alloc(1, sizeof(*found));
	struct location location = {0};

	*out = (struct run_query){
		.location = text, .source = source, .modules = modules, .module_count = count};
	if (location_parse(text, &location, &found->error) < 0) {
		out->error = &found->error;
		if (place)
			place_hint_spelling(place, &found->error);
		return;
	}
	switch (source_resolve(run_symbols(q->run), modules, count, &location, &found->sites,
			       &found->error)) {
	case SOURCE_FOUND:
		out->sites = &found->sites;
		break;
	case SOURCE_NOT_FOUND:
		out->pending = location.object && !images_have(p, location.object);
		images_hint_script(run_options(q->run)->argv[0], &location, &found->error);
		out->error = &found->error;
		break;
	case SOURCE_NO_CODE:
	case SOURCE_ERROR:
		out->error = &found->error;
		break;
	}
	if (place && out->error)
		place_hint_spelling(place, &found->error);
	check_conditions(place, p, out, found);
	check_thread(q, place, out, found);
	location_fini(&location);
}

static void call_each(struct query *q)
{
	array_each(struct run_query, a, &q->answers) {
		a->all = q->answers.items;
		a->all_count = q->answers.count;
		q->each(q->ctx, a);
	}
}

static void free_answers(struct query *q)
{
	array_each(struct found_sites *, found, &q->found) {
		source_sites_fini(&(*found)->sites);
		error_fini(&(*found)->error);
		error_fini(&(*found)->thread);
		base_free(*found);
	}
	array_fini(&q->found);
	array_fini(&q->answers);
}

static void answer_all(struct query *q, struct run_process *p)
{
	struct module **modules = images_modules(p);
	struct place *place;

	for (size_t i = 0; i < q->count; i++)
		answer(q, q->locations[i], NULL, NULL, p, modules);
	for (size_t i = 0; (place = engine_place_at(run_engine(q->run), i)); i++) {
		if (place->kind != PLACE_LOCATION)
			continue;
		answer(q, place->location, place, place->source, p, modules);
		array_each(char *, source, &place->again)
			answer(q, place->location, NULL, *source, p, modules);
	}
	if (run_plan(q->run)->expect.at)
		answer(q, run_plan(q->run)->expect.at, NULL, run_plan(q->run)->expect.at_source, p,
		       modules);
	call_each(q);
	free_answers(q);
	base_free(modules);
}

int run_query(const struct run_options *o, struct modules *symbols, const char *const *locations,
	      size_t count, void (*each)(void *ctx, const struct run_query *q), void *ctx,
	      struct error *err)
{
	struct query q = {
		.run = run_new(o, symbols, 1),
		.locations = locations,
		.count = count,
		.each = each,
		.ctx = ctx,
	};
	int result = -1;

	if (run_probe_load(q.run, err) == 0)
		result = run_probe(q.run, given_argv(q.run), given_env(q.run), err);
	if (result == 0)
		answer_all(&q, run_root(q.run));
	run_free(q.run);
	return result;
}
