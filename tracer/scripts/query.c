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
	struct error error;
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
	location_fini(&location);
}

/* The program can give a thread a name, whose text it then has. */
static bool gives_name(struct module *const *modules, size_t count, const char *thread)
{
	const char *hash = strrchr(thread, '#');

	for (size_t i = 0; hash && i < count; i++)
		if (module_contains(modules[i], thread, (size_t)(hash - thread) + 1))
			return true;
	return !hash;
}

/* Adds an answer if no thread of the program can be the one that the place names. */
static void answer_thread(struct query *q, const char *thread, const char *source,
			  struct module *const *modules, size_t count)
{
	struct found_sites *found;
	ERROR(err);

	if (gives_name(modules, count, thread) ||
	    threads_may_start(run_symbols(q->run), modules, count, thread, &err))
		return;
	found = *array_add(&q->found) = base_alloc(1, sizeof(*found));
	error_move(&found->error, &err);
	*array_add(&q->answers) = (struct run_query){.location = found->error.text,
						     .source = source,
						     .modules = modules,
						     .module_count = count,
						     .error = &found->error};
}

/* A library that is loaded later may have the start routine. */
static void answer_threads(struct query *q, struct module *const *modules, size_t count)
{
	const char *thread;

	array_each(struct run_query, a, &q->answers)
		if (a->pending)
			return;
	engine_each_place(place, run_engine(q->run))
		for (size_t i = 0; (thread = place_thread(place, i)); i++)
			answer_thread(q, thread, place->source, modules, count);
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
	answer_threads(q, modules, run_process_images(p)->count);
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
