/* gatectl check: prints the sites of scripts' locations, and reports those that differ from a
   script's lock file. --lock writes that file, --fix follows lines that have moved. */
#include "tracer/scripts/scripts.h"
#include "tracer/cli/cli.h"

#include "tracer/base/files/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A location that has moved and can be corrected. */
struct fix {
	unsigned line; /* in the script */
	char *from, *to;
	struct meaning now;
};

/* A file with places: a script, or a module that a script requires. */
struct checked {
	char *script, *path; /* `path`: of its lock file */
	bool there;	     /* the lock file exists */
	bool failed;	     /* a location is unresolved or has drifted */
	struct lockfile was, now;
	ARRAY(struct fix) fixes;
	ARRAY(char *) reported; /* "SOURCE: LOCATION" of each that was printed */
};

struct check {
	struct cli *cli;
	struct modules *symbols;
	ARRAY(struct checked *) files;
	unsigned failed; /* number of locations */
	bool drifted, movable, stopped;
	struct error fault; /* set if `stopped` */
};

/* ---- the files ------------------------------------------------------------------------------ */

static int read_lock(struct checked *c, struct error *err)
{
	char *text = file_read(c->path, err);
	int answer;

	if (!text)
		return errno == ENOENT ? 0 : -1;
	c->there = true;
	answer = lockfile_parse(text, c->path, &c->was, err);
	base_free(text);
	return answer;
}

/* Returns the file of the place at FILE:LINE, or NULL with k->fault set. */
static struct checked *check_file_of(struct check *k, const char *source)
{
	const char *colon = strrchr(source, ':');
	char *script = base_strndup(source, colon ? (size_t)(colon - source) : strlen(source));
	struct str path = {0};
	struct checked *c;

	array_each(struct checked *, old, &k->files) {
		if (strcmp((*old)->script, script) == 0) {
			base_free(script);
			return *old;
		}
	}
	c = base_alloc(1, sizeof(*c));
	*array_add(&k->files) = c;
	c->script = script;
	str_addf(&path, "%s.lock", script);
	c->path = str_take(&path);
	if (!k->cli->check.lock && read_lock(c, &k->fault) < 0) {
		k->stopped = true;
		return NULL;
	}
	return c;
}

static void fix_fini(struct fix *f)
{
	base_free(f->from);
	base_free(f->to);
	meaning_fini(&f->now);
}

static void checked_free(struct checked *c)
{
	array_each(struct fix, f, &c->fixes)
		fix_fini(f);
	array_each(char *, told, &c->reported)
		base_free(*told);
	array_fini(&c->fixes);
	array_fini(&c->reported);
	lockfile_fini(&c->was);
	lockfile_fini(&c->now);
	base_free(c->script);
	base_free(c->path);
	base_free(c);
}

/* ---- drift of a location --------------------------------------------------------------------- */

/* Adds a text like: 'm = 7;' in worker1 */
static void add_meaning(const struct meaning *m, struct str *out)
{
	if (m->text)
		str_addf(out, "'%s'", m->text);
	if (m->text && m->function)
		str_add(out, " in ");
	if (m->function)
		str_add(out, m->function);
	if (!m->text && !m->function)
		str_add(out, "something else");
}

static void check_add_place(const struct drift_candidate *c, const struct meaning *was,
			    struct str *out)
{
	if (c->spelled)
		str_add(out, c->spelled);
	else
		str_addf(out, "%s:%u", c->now.file, c->now.line);
	if (c->now.function && (!was->function || strcmp(c->now.function, was->function) != 0))
		str_addf(out, " in %s", c->now.function);
}

static void add_candidates(const struct drift *d, struct str *out)
{
	for (unsigned i = 0; i < d->count; i++) {
		const struct meaning *m = &d->candidates[i].now;

		str_addf(out, "\n  %s:%u", m->file, m->line);
		if (m->function)
			str_addf(out, " in %s", m->function);
		str_addf(out, ": %s", m->text ? m->text : "");
	}
}

/* Prints one of several errors; hint() follows the last one. */
static void check_error(struct check *k, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void check_error(struct check *k, const char *fmt, ...)
{
	struct str text = {0};
	va_list ap;

	str_add(&text, "gatectl: error: ");
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	str_add(&text, "\n");
	fflush(stdout);
	output_verdict(k->cli, str_text(&text), NULL, 0);
	str_fini(&text);
	k->failed++;
	k->drifted = true;
}

static void add_drift(const struct meaning *was, const struct drift *d, struct str *out)
{
	add_meaning(was, out);
	if (d->kind == DRIFT_MOVED) {
		str_add(out, ", which is now at ");
		check_add_place(&d->candidates[0], was, out);
		return;
	}
	str_add(out, d->kind == DRIFT_DOUBTED ? ", which may now be one of these:"
		     : d->count		      ? ", which no longer exists; similar:"
					      : ", which no longer exists");
	add_candidates(d, out);
}

static void check_keep(struct checked *c, const struct meaning *was)
{
	struct meaning kept;

	meaning_copy(was, &kept);
	lockfile_add(&c->now, &kept);
}

static void add_fix(struct checked *c, const struct run_query *q, const struct drift_candidate *to)
{
	struct fix *f = array_add(&c->fixes);

	f->line = (unsigned)strtoul(strrchr(q->source, ':') + 1, NULL, 10);
	f->from = base_strdup(q->location);
	f->to = base_strdup(to->spelled);
	meaning_copy(&to->now, &f->now);
	base_free(f->now.location);
	f->now.location = drift_fold(to->spelled);
}

static void tell_drift(struct check *k, struct checked *c, const struct run_query *q,
		       const struct meaning *was, const struct drift *d)
{
	const struct drift_candidate *to = d->kind == DRIFT_MOVED ? &d->candidates[0] : NULL;
	struct str text = {0};

	check_keep(c, was);
	if (k->cli->check.fix && to && to->spelled) {
		add_fix(c, q, to);
		return;
	}
	add_drift(was, d, &text);
	check_error(k, "%s: %s was %s", q->source, q->location, str_text(&text));
	str_fini(&text);
	c->failed = true;
	k->movable |= to && to->spelled;
}

/* ---- one location --------------------------------------------------------------------------- */

/* A place that waits for a statement's end has a companion: the same location on the same line. */
static bool told_already(struct checked *c, const struct run_query *q)
{
	struct str key = {0};

	str_addf(&key, "%s: %s", q->source, q->location);
	array_each(char *, old, &c->reported) {
		if (strcmp(*old, str_text(&key)) == 0) {
			str_fini(&key);
			return true;
		}
	}
	*array_add(&c->reported) = str_take(&key);
	return false;
}

static void as_it_is(struct check *k, struct checked *c, const struct run_query *q)
{
	struct meaning m;

	if (query_print(k->cli, q, false) < 0) {
		c->failed = true;
		k->failed++;
	} else if (q->sites) {
		drift_look(k->symbols, q->location, q->sites, &m);
		lockfile_add(&c->now, &m);
	}
}

static void against_lock(struct check *k, struct checked *c, const struct run_query *q,
			 const struct meaning *was)
{
	struct drift drift;

	drift_compare(k->symbols, q->modules, q->module_count, was, q->sites, &drift);
	if (drift.kind == DRIFT_NONE)
		as_it_is(k, c, q);
	else
		tell_drift(k, c, q, was, &drift);
	drift_fini(&drift);
}

static void each(void *ctx, const struct run_query *q)
{
	struct check *k = ctx;
	struct checked *c = k->stopped ? NULL : check_file_of(k, q->source);
	const struct meaning *was;

	if (!c || told_already(c, q))
		return;
	was = lockfile_find(&c->was, q->location);
	if (was && !q->pending) {
		against_lock(k, c, q, was);
		return;
	}
	as_it_is(k, c, q);
	if (was)
		check_keep(c, was);
	if (c->there && !q->pending && q->sites)
		output_print("  not in %s yet: gatectl check --lock adds it\n", c->path);
}

/* ---- lock and fix --------------------------------------------------------------------------- */

static int write_lock(const struct checked *c, struct error *err)
{
	struct str text = {0};
	int answer;

	lockfile_print(&c->now, c->script, &text);
	answer = file_replace(c->path, str_text(&text), err);
	str_fini(&text);
	return answer;
}

static int lock_all(struct check *k, struct error *err)
{
	array_each(struct checked *, c, &k->files) {
		if ((*c)->failed)
			continue;
		if (write_lock(*c, err) < 0)
			return -1;
		output_print("%s: %zu location%s\n", (*c)->path, (*c)->now.meanings.count,
			     str_plural((*c)->now.meanings.count));
	}
	return 0;
}

static void not_rewritten(struct check *k, const struct checked *c, const struct fix *f,
			  enum rewrite_answer answer)
{
	check_error(k, "%s:%u: %s is now at %s, %s", c->script, f->line, f->from, f->to,
		    answer == REWRITE_AMBIGUOUS
			    ? "but several strings of the script are this location and none is on "
			      "this line"
			    : "but no string of the script is this location, since the script "
			      "computes it");
}

/* Prints what was rewritten, and updates the lock. */
static void finish_fixes(struct check *k, struct checked *c, const struct rewrite *edits)
{
	struct respelled *changes = base_alloc(c->fixes.count + 1, sizeof(*changes));
	size_t count = 0;

	for (size_t i = 0; i < c->fixes.count; i++) {
		const struct fix *f = &c->fixes.items[i];

		if (edits[i].answer != REWRITE_DONE) {
			not_rewritten(k, c, f, edits[i].answer);
			continue;
		}
		output_print("%s:%u: %s is %s now\n", c->script, f->line, f->from, f->to);
		changes[count++] =
			(struct respelled){lockfile_find(&c->now, f->from)->location, &f->now};
	}
	lockfile_respell(&c->now, changes, count);
	for (size_t i = 0; i < c->fixes.count; i++)
		if (edits[i].answer != REWRITE_DONE)
			check_keep(c, lockfile_find(&c->was, c->fixes.items[i].from));
	base_free(changes);
}

/* True if its new name is that of a lost location: the two could not be told apart. */
static bool check_is_taken(const struct checked *c, const struct fix *f)
{
	const struct meaning *other = lockfile_find(&c->now, f->to);

	if (!other || (str_same(other->text, f->now.text) && other->line == f->now.line))
		return false;
	array_each(const struct fix, g, &c->fixes)
		if (strcmp(g->from, f->to) == 0)
			return false; /* the other location gets another name */
	return true;
}

/* Drops fixes whose new name is that of a location that stays. */
static void leave_taken(struct check *k, struct checked *c)
{
	for (size_t i = 0; i < c->fixes.count; i++) {
		struct fix *f = &c->fixes.items[i];

		if (!check_is_taken(c, f))
			continue;
		check_error(k,
			    "%s:%u: %s is now at %s, but another location of the script has that "
			    "name and no longer exists: correct that one first",
			    c->script, f->line, f->from, f->to);
		fix_fini(f);
		array_remove(&c->fixes, i);
		i = SIZE_MAX; /* again from the first fix */
	}
}

/* An unchanged script is not written. */
static int fix_file(struct check *k, struct checked *c, struct error *err)
{
	struct rewrite *edits = base_alloc(c->fixes.count + 1, sizeof(*edits));
	char *text = file_read(c->script, err), *changed = NULL;
	int answer = text ? 0 : -1;

	leave_taken(k, c);
	for (size_t i = 0; i < c->fixes.count; i++)
		edits[i] = (struct rewrite){c->fixes.items[i].line, c->fixes.items[i].from,
					    c->fixes.items[i].to, REWRITE_DONE};
	if (text)
		changed = rewrite_script(text, edits, c->fixes.count);
	if (text && strcmp(text, changed) != 0)
		answer = file_replace(c->script, changed, err);
	if (answer == 0)
		finish_fixes(k, c, edits);
	base_free(edits);
	base_free(text);
	base_free(changed);
	return answer;
}

static int fix_all(struct check *k, struct error *err)
{
	bool any = false;

	array_each(struct checked *, c, &k->files) {
		any |= (*c)->there;
		if ((*c)->there && (*c)->fixes.count &&
		    (fix_file(k, *c, err) < 0 || write_lock(*c, err) < 0))
			return -1;
	}
	if (any || !k->files.count)
		return 0;
	error_set(err, ERROR_USAGE,
		  "check --fix: there is no %s, which records what the locations meant",
		  k->files.items[0]->path);
	return error_hint(err, "%sgatectl check --lock -g %s %s",
			  k->failed ? "correct the locations in the script, then "
				    : "write it while the locations are right: ",
			  k->files.items[0]->script, k->cli->rest[0]);
}

/* ---- the command ---------------------------------------------------------------------------- */

static void hint(const struct check *k)
{
	struct str text = {0};

	if (!k->drifted)
		return;
	if (k->movable)
		str_add(&text, "try: gatectl check --fix");
	else
		str_add(&text,
			"try: correct the locations in the script, then gatectl check --lock");
	array_each(const char *, script, &k->cli->run.scripts)
		str_addf(&text, " -g %s", *script);
	str_addf(&text, " %s\n", k->cli->rest[0]);
	output_verdict(k->cli, str_text(&text), NULL, 0);
	str_fini(&text);
}

static int query_scripts(struct check *k, size_t first, size_t count, struct error *err)
{
	struct run_options options = k->cli->run;

	options.scripts.items += first;
	options.scripts.count = count;
	return run_query(&options, k->symbols, NULL, 0, each, k, err);
}

/* Each script is loaded alone, since scripts may test different orders. A script that cannot be
   loaded alone may use definitions of those before it, as in a run. */
static int query_one(struct check *k, size_t i, struct error *err)
{
	ERROR(again);

	if (query_scripts(k, i, 1, err) == 0)
		return 0;
	if (err->code != ERROR_SCRIPT || i == 0)
		return -1;
	return query_scripts(k, 0, i + 1, &again);
}

/* Runs PROG under all scripts together. */
static int check_orders(struct check *k)
{
	struct cli *cli = k->cli;
	struct prove p = {0};
	ERROR(err);
	int status;

	fflush(stdout);
	experiment_begin(&p.x, &cli->run, &err);
	status = prove_orders(&p);
	if (status < 0)
		status = output_over(cli, &p.x);
	else
		prove_print_orders(&p);
	status = experiment_end(&p.x, status);
	prove_fini(&p);
	return status;
}

static int check_check(struct check *k)
{
	ERROR(err);
	int status = 0;

	for (size_t i = 0; i < k->cli->run.scripts.count && !k->stopped; i++)
		if (query_one(k, i, &err) < 0)
			return output_error(k->cli, &err);
	if (k->stopped)
		return output_error(k->cli, &k->fault);
	if (k->cli->check.lock && lock_all(k, &err) < 0)
		status = output_error(k->cli, &err);
	if (k->cli->check.fix && fix_all(k, &err) < 0)
		status = output_error(k->cli, &err);
	hint(k);
	if (k->failed)
		return VERDICT_ERROR;
	return status || !k->cli->check.order ? status : check_orders(k);
}

int command_check(struct cli *cli)
{
	struct check k = {.cli = cli};
	ERROR(err);
	int status;

	if (!cli->run.scripts.count)
		error_set(&err, ERROR_USAGE, "check: no gate script was given");
	else if (cli->rest_count > 1 && !cli->check.order)
		error_set(&err, ERROR_USAGE, "check: unexpected argument '%s'", cli->rest[1]);
	else if (cli->check.lock && cli->check.fix)
		error_set(&err, ERROR_USAGE, "check: --lock and --fix cannot be combined");
	if (err.code) {
		error_hint(&err, "gatectl check -g FILE.lua PROG");
		return output_error(cli, &err);
	}
	k.symbols = modules_new();
	status = check_check(&k);
	array_each(struct checked *, c, &k.files)
		checked_free(*c);
	array_fini(&k.files);
	error_fini(&k.fault);
	modules_free(k.symbols);
	return status;
}
