/* check and lines: what do locations mean in this program? None of the program's own code runs. */
#include "tracer/run/state.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/run/threads/threads.h"
#include "tracer/scripts/scripts.h"
#include "tracer/tracee/attach/attach.h"

#include <string.h>

/* What the answer to one location points to. */
struct found_sites {
	struct source_sites sites;
	struct error error;
};

struct query {
	struct run run;
	const char *const *locations;
	size_t count;
	ARRAY(struct run_query) answers;
	ARRAY(struct found_sites *) found; /* one for each answer */
	void (*each)(void *ctx, const struct run_query *q);
	void *ctx;
};

/* The place has been found: can its conditions be asked there? */
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

/* `place`: of a script; NULL: there is only the location. */
static void answer(struct query *q, const char *text, const struct place *place, const char *source,
		   struct run_process *p, struct module *const *modules)
{
	size_t count = p->images.count;
	struct run_query *out = array_add(&q->answers);
	struct found_sites *found = *array_add(&q->found) = base_alloc(1, sizeof(*found));
	struct location location = {0};

	*out = (struct run_query){
		.location = text, .source = source, .modules = modules, .module_count = count};
	if (location_parse(text, &location, &found->error) < 0) {
		out->error = &found->error;
		return;
	}
	switch (source_resolve(q->run.symbols, modules, count, &location, &found->sites,
			       &found->error)) {
	case SOURCE_FOUND:
		out->sites = &found->sites;
		break;
	case SOURCE_NOT_FOUND:
		out->pending = location.object && !images_have(p, location.object);
		images_hint_script(q->run.options->argv[0], &location, &found->error);
		out->error = &found->error;
		break;
	case SOURCE_ERROR:
		out->error = &found->error;
		break;
	}
	check_conditions(place, p, out, found);
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
	for (size_t i = 0; (place = engine_place_at(q->run.engine, i)); i++) {
		if (place->kind != PLACE_LOCATION)
			continue;
		answer(q, place->location, place, place->source, p, modules);
		array_each(char *, source, &place->again)
			answer(q, place->location, NULL, *source, p, modules);
	}
	if (q->run.plan.expect.at)
		answer(q, q->run.plan.expect.at, NULL, q->run.plan.expect.at_source, p, modules);
	call_each(q);
	free_answers(q);
	base_free(modules);
}

/* 1: the libraries that it starts with are known; 0: not yet; -1: an error. */
static int query_step(struct query *q, const struct tracee_event *ev, struct error *err)
{
	struct run *s = &q->run;
	struct run_process *p;
	bool consistent;

	if (ev->kind == TRACEE_PROCESS_GONE || ev->kind == TRACEE_EMPTY)
		return error_set(err, ERROR_OBJECT, "%s ended before its libraries were loaded",
				 s->options->argv[0]);
	if (!ev->thread)
		return 0;
	if (ev->kind == TRACEE_EXEC) {
		p = s->root = threads_process(s, ev->process);
		if (loader_exec(s, p, ev->thread, err) < 0)
			return -1;
		if (!p->load_site)
			return 1;
	} else if (ev->kind == TRACEE_SITE && s->root) {
		images_update(s, s->root, NULL, &consistent);
		if (consistent)
			return 1;
	}
	tracee_resume(s->tracee, ev->thread);
	return 0;
}

static int query_load(struct query *q, const struct run_options *o, struct error *err)
{
	struct run *s = &q->run;
	const struct engine_world world = {0};

	s->loading.has_places = true;
	s->engine = engine_new(&world);
	s->script = script_new(s->engine, &s->plan, &(struct script_host){0});
	for (size_t i = 0; i < o->scripts.count; i++)
		if (script_load(s->script, o->scripts.items[i], err) < 0)
			return -1;
	return engine_orders_finish(s->engine, err);
}

static int query_start(struct query *q, struct error *err)
{
	const struct tracee_launch how = {
		.argv = given_argv(&q->run),
		.env = given_env(&q->run),
		.stdin_fd = -1,
		.stdout_fd = -1,
		.stderr_fd = -1,
		.no_follow = true,
		.needs_memory = true,
	};
	struct tracee_event ev;
	int done = 0;

	q->run.tracee = tracee_launch(&how, err);
	if (!q->run.tracee) {
		images_explain_refusal(q->run.symbols, q->run.options->argv[0], err);
		return -1;
	}
	while (!done) {
		tracee_wait(q->run.tracee, &ev);
		done = query_step(q, &ev, err);
	}
	if (done > 0)
		answer_all(q, q->run.root);
	return done > 0 ? 0 : -1;
}

int run_query(const struct run_options *o, struct modules *symbols, const char *const *locations,
	      size_t count, void (*each)(void *ctx, const struct run_query *q), void *ctx,
	      struct error *err)
{
	struct query q = {
		.run = {.options = o, .symbols = symbols},
		.locations = locations,
		.count = count,
		.each = each,
		.ctx = ctx,
	};
	int result = -1;

	if (query_load(&q, o, err) == 0)
		result = query_start(&q, err);
	tracee_free(q.run.tracee);
	places_free(&q.run);
	script_free(q.run.script);
	engine_free(q.run.engine);
	threads_free(&q.run);
	expect_fini(&q.run.plan.expect);
	given_fini(&q.run.plan.given);
	kept_fini(&q.run.kept);
	return result;
}
