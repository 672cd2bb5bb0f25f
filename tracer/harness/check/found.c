#include "tracer/harness/check/found.h"

#include "tracer/base/files/file.h"
#include "tracer/search/loop/account.h"
#include "tracer/synth/script/gates.h"
#include "tracer/synth/script/scripts.h"
#include "tracer/harness/build/build.h"
#include "tracer/harness/check/probe.h"
#include "tracer/harness/check/search.h"
#include "tracer/harness/check/story.h"
#include "tracer/harness/check/weaken.h"
#include "tracer/harness/model/write.h"

#include <string.h>
#include <sys/stat.h>

enum { LEAST_S = 20, LAST_S = 1, RUNS = 20000 };

/* ---- the folder ----------------------------------------------------------------------------------------- */

static int make_folder(struct harness_hunt *h, struct harness_violation *v)
{
	const char *dir = h->explore.output;

	mkdir(dir, 0777);
	v->folder = file_numbered(dir);
	return v->folder ? 0
			 : error_errno(h->x.err, ERROR_SYSTEM,
				       "%s: what was found cannot be written there", dir);
}

static char *in_folder(const struct harness_violation *v, const char *name)
{
	struct str path = {0};

	str_addf(&path, "%s/%s", v->folder, name);
	return str_take(&path);
}

static int write_text(const struct harness_hunt *h, const struct harness_violation *v,
		      const char *name, const struct str *text)
{
	char *path = in_folder(v, name);
	int failed = file_replace(path, str_text(text), h->x.err);

	base_free(path);
	return failed;
}

/* ---- the test --------------------------------------------------------------------------------------------- */

static int write_source(struct harness_hunt *h, struct harness_violation *v)
{
	struct str command = {0}, text = {0};
	unsigned final[ORDER_CALLS], count = harness_final(h, &v->schema, final);
	int failed;

	harness_command(h, "test", "test.c", &command);
	write_test(&(struct write_test){&h->object, &v->schema, final, count, &v->outcomes,
					str_text(&command)},
		   &text);
	failed = write_text(h, v, "test.c", &text);
	str_fini(&command);
	str_fini(&text);
	return failed;
}

/* With warnings: there are none, or the test is not what it should be. */
static int compile(struct harness_hunt *h, struct harness_violation *v)
{
	char *to = in_folder(v, "test"), *from = in_folder(v, "test.c");
	struct str command = {0}, said = {0};
	int failed;

	harness_command(h, to, from, &command);
	str_add(&command, " 2>&1");
	failed = harness_shell(str_text(&command), &said);
	if (failed)
		error_set(h->x.err, ERROR_SYSTEM, "%s cannot be compiled: %s", from,
			  str_text(&said));
	str_fini(&command);
	str_fini(&said);
	base_free(to);
	base_free(from);
	return failed;
}

static void found_set_options(const struct harness_hunt *h, struct explore_options *o)
{
	double left = harness_left(h), whole = h->begun + h->explore.whole_s - explore_now_s();

	*o = h->explore;
	o->all = o->goes_on = false;
	o->shard = o->shards = 1;
	o->runs = RUNS;
	o->seconds = left == 0 || left > LEAST_S ? left : LEAST_S;
	if (o->whole_s <= 0)
		return;
	o->whole_s = whole > LAST_S ? whole : LAST_S;
	if (o->seconds > o->whole_s / 2)
		o->seconds = o->whole_s / 2;
}

/* `reason` NULL: the test did not fail in its own search. */
static void set_no_script(struct harness_violation *v, const char *reason)
{
	base_free(v->no_script);
	v->no_script = reason ? base_strdup(reason) : NULL;
}

static void found_take(struct harness_violation *v, struct explore_failure *f)
{
	if (f->gates.length)
		v->script = in_folder(v, "gates.lua");
	if (f->no_script)
		set_no_script(v, f->no_script);
	v->forced = f->forced;
	v->asked = f->asked;
	v->forced_s = f->forced_s;
}

static void add_files(const struct harness_violation *v, struct str *out)
{
	str_add(out, "\n## Files\n\n"
		     "- test.c: the harness; its first line compiles it. 0: an atomic outcome, 1: "
		     "another\n"
		     "- outcomes.txt: what came in the search, how often, and which order explains "
		     "it\n");
	if (!v->script) {
		str_addf(out, "\nThere is no gates.lua: %s.\n",
			 v->no_script ? v->no_script : "the test did not fail in its own search");
		return;
	}
	str_add(out, "- gates.lua: forces it, as `gatectl run -g gates.lua ./test`, in ");
	explore_gates_runs(v->forced, v->asked, v->forced_s, out);
	str_add(out, "\n");
}

static int found_write_all(struct harness_hunt *h, struct harness_violation *v,
			   struct explore_failure *f)
{
	struct str outcomes = {0};
	int failed;

	if (f)
		found_take(v, f);
	str_clear(&v->story);
	harness_story(h, v, f, &v->story);
	add_files(v, &v->story);
	outcomes_print(&v->outcomes, &outcomes);
	failed = write_text(h, v, "README.md", &v->story);
	if (!failed)
		failed = write_text(h, v, "outcomes.txt", &outcomes);
	if (!failed && v->script)
		failed = write_text(h, v, "gates.lua", &f->gates);
	str_fini(&outcomes);
	return failed;
}

/* Was it allowed, what the test's own search has found first? The test has to know that, too. */
static int found_learn(struct harness_hunt *h, struct harness_violation *v,
		       const struct explore_failure *f)
{
	char *text = strcmp(f->kind, "status") == 0 ? harness_outcome_of(f) : NULL;
	int answer = 0;

	if (text)
		outcomes_add(&v->outcomes, text, NULL)->times++;
	if (text)
		answer = harness_allow(h, &v->outcomes);
	base_free(text);
	return answer;
}

/* The folder is complete before the search for a script, which a signal may end. */
static int write_early(struct harness_hunt *h, struct harness_violation *v)
{
	set_no_script(v, "the search for one was ended");
	return found_write_all(h, v, NULL);
}

/* 1: the test is another one from now on; 0, -1. */
static int found_search(struct harness_hunt *h, struct harness_violation *v)
{
	struct explore e = {.quick = h->quick, .full = h->full, .plain = h->plain, .x = h->x};
	char *program = in_folder(v, "test"), *argv[] = {program, NULL};
	int answer;

	if (write_early(h, v) < 0) {
		base_free(program);
		return -1;
	}
	found_set_options(h, &e.options);
	e.points_at.tested = h->tested;
	e.x.options->argv = argv;
	answer = synth_explore(&e);
	h->x = e.x;
	if (answer == 0 && h->weak.count && e.failures.count)
		answer = found_learn(h, v, &e.failures.items[0]);
	if (answer == 0)
		set_no_script(v, NULL);
	if (answer == 0)
		answer = found_write_all(h, v, e.failures.count ? &e.failures.items[0] : NULL);
	explore_fini(&e);
	h->x.options->argv = NULL;
	base_free(program);
	return answer;
}

int harness_found(struct harness_hunt *h, struct harness_violation *v)
{
	int answer = make_folder(h, v) < 0 ? -1 : 1;

	while (answer > 0)
		answer = write_source(h, v) < 0 || compile(h, v) < 0 ? -1 : found_search(h, v);
	return answer;
}

void harness_violation_fini(struct harness_violation *v)
{
	outcomes_fini(&v->outcomes);
	base_free(v->kind);
	base_free(v->headline);
	base_free(v->folder);
	base_free(v->script);
	base_free(v->no_script);
	str_fini(&v->story);
}
