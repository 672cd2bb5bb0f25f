/* Probes: a program is inspected, and none of its own code runs. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"
#include "tracer/tracee/attach/attach.h"

int run_probe_load(struct run *s, struct error *err)
{
	const struct engine_world world = {0};

	s->loading.has_places = true;
	s->engine = engine_new(&world);
	s->script = script_new(s->engine, &s->plan, &(struct script_host){0});
	array_each(const char *, script, &s->options->scripts)
		if (script_load(s->script, *script, err) < 0)
			return -1;
	return engine_orders_finish(s->engine, err);
}

/* Returns 1 once the initial libraries are known, 0 before, or -1 with *err set. */
static int probe_step(struct run *s, const struct tracee_event *ev, struct error *err)
{
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

int run_probe(struct run *s, char *const *argv, char *const *env, struct error *err)
{
	const struct tracee_launch how = {
		.argv = argv,
		.env = env,
		.stdin_fd = -1,
		.stdout_fd = -1,
		.stderr_fd = -1,
		.no_follow = true,
		.needs_memory = true,
	};
	struct tracee_event ev;
	int done = 0;

	s->tracee = tracee_launch(&how, err);
	if (!s->tracee) {
		images_explain_refusal(s->symbols, s->options->argv[0], err);
		return -1;
	}
	while (!done) {
		tracee_wait(s->tracee, &ev);
		done = probe_step(s, &ev, err);
	}
	return done > 0 ? 0 : -1;
}
