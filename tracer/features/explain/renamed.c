/* Threads that the script names and the program cannot have: their start routine was renamed, or
 * another compiler calls it otherwise. */
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/explain/hints.h"

/* A routine whose thread this run has not created is no fault: a repair may avoid it. */
static bool is_unknown(struct run *s, const char *thread, struct error *err)
{
	struct run_process *root = run_root(s);
	struct module **modules;
	bool known;

	if (!root || hints_match(s, thread))
		return false;
	modules = images_modules(root);
	known = threads_may_start(run_symbols(s), modules, run_process_images(root)->count, thread,
				  err);
	base_free(modules);
	return !known;
}

static void add_renamed(struct run *s, const struct place *p, struct str *out)
{
	const char *thread;

	for (size_t i = 0; (thread = place_thread(p, i)); i++) {
		ERROR(why);

		if (is_unknown(s, thread, &why))
			str_addf(out, "%s%s: %s", out->length ? "\n" : "", place_source(p),
				 error_text(&why));
	}
}

int renamed_threads(struct run *s, struct error *err)
{
	STR(lines);

	engine_each_place(p, run_engine(s))
		if (!p->companion_of)
			add_renamed(s, p, &lines);
	if (!lines.length)
		return 0;
	str_add(&lines, "\nthe threads of this run: ");
	hints_threads(s, &lines);
	error_set(err, ERROR_SCRIPT, "%s", str_text(&lines));
	return error_hint(err, "write the present names of these threads in the script, or make a "
			       "new one by `gatectl explore`");
}
