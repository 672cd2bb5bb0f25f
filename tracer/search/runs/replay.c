/* gatectl replay: writes and reads the head of a schedule file, follows it, reports differences. */
#include "tracer/search/explore.h"
#include "tracer/tracee/attach/attach.h"

#include "tracer/base/files/file.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/files/io.h"
#include "tracer/base/files/path.h"
#include "tracer/search/runs/runs.h"
#include "tracer/sched/schedule/schedule.h"
#include "tracer/sched/strategy/strategy.h"
#include "tracer/sched/sched.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/run.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the head -------------------------------------------------------------------------------- */

static void add_seconds(struct schedule_head *h, const char *key, double seconds)
{
	STR(text);

	str_addf(&text, "%g", seconds);
	schedule_option_add(h, key, str_text(&text));
}

static void add_number(struct schedule_head *h, const char *key, unsigned long long number)
{
	STR(text);

	str_addf(&text, "%llu", number);
	schedule_option_add(h, key, str_text(&text));
}

static void add_modules(const struct explore *e, struct schedule_head *h)
{
	array_each(struct module *const, m, &e->modules) {
		struct str text = {0};

		str_addf(&text, "%s %s", module_name(*m), module_build_id(*m));
		schedule_option_add(h, "module", str_text(&text));
		str_fini(&text);
	}
}

static void replay_add_place(struct schedule_head *h, const char *key,
			     const struct sched_chosen *place)
{
	STR(text);

	str_addf(&text, "%s+0x%" PRIx64, place->module, place->offset);
	schedule_option_add(h, key, str_text(&text));
}

/* Adds the points and the places where schedules began. */
static void add_points(const struct explore_points_at *points, struct schedule_head *h)
{
	static const char *const words[] = {
		[SCHED_SYNC] = "sync",
		[SCHED_CHOSEN] = "chosen",
		[SCHED_MEMORY] = "memory",
	};

	schedule_option_add(h, "points", words[points->kind]);
	array_each(const struct sched_chosen, chosen, &points->chosen)
		replay_add_place(h,
				 chosen->frees	  ? "frees"
				 : chosen->atomic ? "atomic"
						  : "point",
				 chosen);
	array_each(const struct sched_chosen, start, &points->starts)
		replay_add_place(h, "from", start);
}

/* Reads the places of one key, as add_points() wrote them. */
static void read_places(const struct schedule_head *h, const char *key, struct sched_places *out)
{
	const char *value;

	for (size_t k = 0; (value = schedule_option(h, key, k)); k++) {
		const char *plus = strrchr(value, '+');

		if (plus)
			*array_add(out) = (struct sched_chosen){
				.module = base_strndup(value, (size_t)(plus - value)),
				.offset = strtoull(plus + 1, NULL, 16),
				.atomic = strcmp(key, "atomic") == 0,
				.frees = strcmp(key, "frees") == 0,
			};
	}
}

void replay_points(const struct schedule_head *h, struct explore_points_at *points)
{
	const char *value = schedule_option(h, "points", 0);

	points->kind = !value || strcmp(value, "sync") == 0 ? SCHED_SYNC
		       : strcmp(value, "memory") == 0	    ? SCHED_MEMORY
							    : SCHED_CHOSEN;
	read_places(h, "point", &points->chosen);
	read_places(h, "atomic", &points->chosen);
	read_places(h, "frees", &points->chosen);
	read_places(h, "from", &points->starts);
}

static void set_points(const struct schedule_head *h, struct sched *c)
{
	struct explore_points_at points = {0};

	replay_points(h, &points);
	explore_points_set(c, &points);
	explore_points_fini(&points);
	if (schedule_option(h, "begins", 0))
		c->flags |= SCHED_EARLY;
}

static const char *const streams[] = {"stdin", "stdout", "stderr"};

/* Kind that a search gives a stream that its caller left open (loop/run.c). */
static enum stream_kind given_kind(const struct run_options *o, int fd)
{
	if (o->kinds[fd] != STREAM_INHERITED)
		return o->kinds[fd];
	return fd == STDIN_FILENO && o->input_at < 0 ? STREAM_NULL : STREAM_FILE;
}

void replay_head(const struct explore *e, const struct explore_failure *f, struct schedule_head *h)
{
	const struct run_options *o = e->x.options;
	char *here = realpath(".", NULL);
	struct str program = {0};

	for (char *const *arg = o->argv; *arg; arg++) {
		str_addf(&program, "%s%s", program.length ? " " : "", *arg);
		schedule_option_add(h, "arg", *arg);
	}
	h->program = str_take(&program);
	if (here)
		schedule_option_add(h, "directory", here);
	free(here);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		schedule_option_add(h, streams[fd], stream_kind_name(given_kind(o, fd)));
	array_each(const char *, script, &o->scripts)
		schedule_option_add(h, "gates", *script);
	array_each(const char *, order, &o->orders)
		schedule_option_add(h, "order", *order);
	schedule_option_add(h, "failure", f->kind);
	schedule_option_add(h, "where", f->where);
	add_number(h, "status", (unsigned)f->status);
	if (!f->is_other) {
		schedule_option_add(h, "strategy", f->strategy);
		add_number(h, "seed", e->options.seed);
		add_number(h, "run", f->run);
	}
	array_each(char *const, path, &f->paths)
		schedule_option_add(h, "path", *path);
	add_points(f->points ? f->points : &e->points_at, h);
	if (!e->forked)
		schedule_option_add(h, "begins", "early");
	if (strcmp(f->kind, "hang") == 0)
		add_seconds(h, "hang", e->options.hang);
	add_modules(e, h);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Resolves a relative path that does not exist from here against the directory of the search. */
static const char *found_there(struct replay *r, const char *path)
{
	const char *directory = schedule_option(&r->head, "directory", 0);
	struct str full = {0};

	if (!directory || path[0] == '/' || access(path, F_OK) == 0)
		return path;
	str_addf(&full, "%s/%s", directory, path);
	*array_add(&r->there) = str_take(&full);
	return r->there.items[r->there.count - 1];
}

static void replay_set_options(struct replay *r)
{
	struct run_options *o = r->options;
	bool has_gates = o->scripts.count || o->orders.count;
	const char *value;

	for (size_t k = 0; (value = schedule_option(&r->head, "arg", k)); k++)
		*array_add(&r->args) = (char *)value;
	(void)array_add(&r->args);
	if (!o->argv[0] && r->args.items[0]) {
		if (strchr(r->args.items[0], '/')) /* without '/' the program is searched in PATH */
			r->args.items[0] = (char *)found_there(r, r->args.items[0]);
		o->argv = r->args.items;
	}
	for (size_t k = 0; !has_gates && (value = schedule_option(&r->head, "gates", k)); k++)
		*array_add(&o->scripts) = found_there(r, value);
	for (size_t k = 0; !has_gates && (value = schedule_option(&r->head, "order", k)); k++)
		*array_add(&o->orders) = value;
}

/* Renames the module of places such as "prt+0x1195". */
static void rename_places(struct schedule_head *h, const char *from, const char *to)
{
	static const char *const keys[] = {"point", "atomic", "frees", "from"};
	size_t length = strlen(from);

	array_each(struct schedule_option, o, &h->options)
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
			struct str text = {0};

			if (strcmp(o->key, keys[i]) != 0 || strncmp(o->value, from, length) != 0 ||
			    o->value[length] != '+')
				continue;
			str_addf(&text, "%s%s", to, o->value + length);
			base_free(o->value);
			o->value = str_take(&text);
		}
}

/* Adapts the schedule to a program whose file was renamed since the recording. */
static void rename_program(struct replay *r)
{
	const char *recorded = schedule_option(&r->head, "module", 0);
	struct modules *files = modules_new();
	char path[PATH_MAX], *was;
	struct module *program = NULL;
	ERROR(ignored); /* execve() reports a file that is no program */

	if (recorded && images_find_program(r->options->argv[0], path, sizeof(path)))
		program = modules_open(files, path, &ignored);
	was = program ? base_strndup(recorded, strcspn(recorded, " ")) : NULL;
	if (program && strcmp(was, module_name(program)) != 0) {
		schedule_rename_module(&r->schedule, was, module_name(program));
		rename_places(&r->head, was, module_name(program));
	}
	base_free(was);
	modules_free(files);
}

int replay_load(struct replay *r, const char *path, struct error *err)
{
	char *text = file_read(path, err);
	int answer;

	if (!text)
		return -1;
	answer = schedule_parse(text, path, &r->schedule, &r->head, err);
	base_free(text);
	if (answer < 0)
		return error_hint(err,
				  "give the file `schedule` of a folder that `gatectl explore` "
				  "has written");
	replay_set_options(r);
	if (r->options->argv[0]) {
		rename_program(r);
		return 0;
	}
	error_set(err, ERROR_USAGE, "%s does not name its program", path);
	return error_hint(err, "gatectl replay %s PROG [ARG...]", path);
}

/* ---- divergence ------------------------------------------------------------------------------ */

static void say_place(const char *file, unsigned line, const char *func, struct str *out)
{
	if (file && line)
		str_addf(out, " at %s:%u", path_shown(file), line);
	if (func)
		str_addf(out, " in %s", func);
}

static void say_recorded(const struct replay *r, size_t i, const char *is_to, struct str *out)
{
	const struct schedule_step *step = &r->schedule.steps.items[i];
	const struct schedule_where *w = &step->where;

	str_addf(out, "%s %s %s%s%s", r->schedule.threads.items[step->thread], is_to,
		 schedule_op(step->point.op), w->call ? ", by " : "", w->call ? w->call : "");
	say_place(w->file, w->line, w->func, out);
}

/* Name of a thread in the schedule. */
static const char *replay_name_of(const struct replay *r, unsigned number)
{
	array_each(const struct schedule_step, step, &r->schedule.steps)
		if (step->point.thread == number)
			return r->schedule.threads.items[step->thread];
	return "a thread that the schedule does not have";
}

/* Loaded module that holds the place, or NULL. */
static struct module *module_of(const struct run *s, uint64_t place)
{
	if (!run_root(s) || !place)
		return NULL;
	array_each(const struct image, image, run_process_images(run_root(s)))
		if (address_is_in(place, module_name(image->module)))
			return image->module;
	return NULL;
}

static void say_came(const struct replay *r, const struct run *s, const struct strategy_point *p,
		     struct str *out)
{
	struct module *module = module_of(s, p->place);
	struct source_symbolised is = {0};

	str_addf(out, "%s came to %s", replay_name_of(r, p->thread), schedule_op(p->op));
	if (module && source_symbolise(module, address_offset(p->place) - 1, true, &is))
		say_place(is.file, is.line, is.function, out);
	source_symbolised_fini(&is);
}

/* Appends the address of the code or object, which differs where the words are the same. */
static void say_address(const struct schedule *names, uint64_t address, struct str *out)
{
	const char *module = schedule_module_at(names, address);

	if (module)
		str_addf(out, " (%s+0x%" PRIx64 ")", module, address_offset(address));
}

/* Recorded build-id of the module, or NULL if it was not loaded then. */
static const char *recorded_id(const struct replay *r, const struct module *m, bool is_program)
{
	const char *name = module_name(m), *was;
	size_t length = strlen(name);

	for (size_t k = 0; (was = schedule_option(&r->head, "module", k)); k++)
		if (is_program || (strncmp(was, name, length) == 0 && was[length] == ' '))
			return strrchr(was, ' ') + 1;
	return NULL;
}

static const char *shown_id(const char *id)
{
	return *id ? id : "none";
}

static bool say_changed(const struct replay *r, const struct module *m, bool is_program,
			struct error *err)
{
	const char *was = recorded_id(r, m, is_program), *is = module_build_id(m);

	if (!was || strcmp(was, is) == 0)
		return false;
	error_hint(err,
		   "%s is not the file that the schedule was recorded with: its build-id was %s, "
		   "and is "
		   "%s; search again with `gatectl explore`",
		   module_name(m), shown_id(was), shown_id(is));
	return true;
}

static bool other_arguments(const struct replay *r)
{
	char *const *now = r->options->argv, *const *then = r->args.items;

	for (; *now && *then; now++, then++)
		if (strcmp(*now, *then) != 0)
			return true;
	return *now || *then;
}

static void say_reason(const struct replay *r, const struct run *s, struct error *err)
{
	for (size_t i = 0; run_root(s) && i < run_process_images(run_root(s))->count; i++)
		if (say_changed(r, run_process_images(run_root(s))->items[i].module, i == 0, err))
			return;
	if (other_arguments(r))
		error_hint(err, "the program or its arguments differ from the recorded ones: "
				"without PROG the recorded ones are used");
	else if (r->lacks_input)
		error_hint(err, "the schedule was recorded with a file as standard input: give it "
				"with < FILE");
	else
		error_hint(err,
			   "the program and its libraries are the same, so it depends on something "
			   "else: its input, its environment, files, or other processes");
}

static void diverged(const struct replay *r, struct run *s, const struct strategy_difference *d)
{
	bool alike = d->has_come && !d->is_longer && d->came.op == d->recorded.op;
	bool by_object = d->came.place == d->recorded.place;
	STR(text);

	str_addf(&text, "at step %zu of %zu ", d->step + 1, r->schedule.steps.count);
	if (d->is_longer)
		str_add(&text, "the schedule ends before the program");
	else
		say_recorded(r, d->step, "was to", &text);
	if (alike)
		say_address(&r->schedule, by_object ? d->recorded.fixed : d->recorded.place, &text);
	if (d->has_come || d->is_longer) {
		str_add(&text, d->is_longer ? ": " : ", but ");
		say_came(r, s, &d->came, &text);
		if (alike)
			say_address(&r->sched->schedule, by_object ? d->came.fixed : d->came.place,
				    &text);
	} else {
		str_add(&text, run_root_ended(s) && run_outcome(s)->end == OUTCOME_EXITED
				       ? ", but the program has ended"
				       : ", but it cannot continue there");
	}
	error_set(run_error(s), ERROR_FAILED, "%s", str_text(&text));
	say_reason(r, s, run_error(s));
	if (run_outcome(s)->fault < OUTCOME_DIVERGED)
		run_outcome(s)->fault = OUTCOME_DIVERGED;
}

/* ---- standard streams ------------------------------------------------------------------------ */

enum stream_kind replay_stream(const struct replay *r, int fd)
{
	const char *value = schedule_option(&r->head, streams[fd], 0);

	return value ? stream_kind_named(value) : STREAM_INHERITED;
}

/* Opens the recorded kind of input. A file comes from gatectl's own standard input. */
static void open_input(struct replay *r, struct sched *c)
{
	enum stream_kind kind = replay_stream(r, STDIN_FILENO);

	r->lacks_input = kind == STREAM_FILE && stream_kind_of(STDIN_FILENO) != STREAM_FILE;
	c->in = kind == STREAM_CLOSED			? TRACEE_CLOSED
		: kind == STREAM_NULL || r->lacks_input ? open("/dev/null", O_RDONLY | O_CLOEXEC)
							: -1;
}

/* Opens a stream of the recorded kind, which is copied to gatectl's own stream. */
static int open_output(const struct replay *r, struct stream *s, int fd, struct error *err)
{
	enum stream_kind kind = replay_stream(r, fd);

	return kind == STREAM_INHERITED ? 0 : stream_open(s, kind, streams[fd], fd, err);
}

/* ---- the run --------------------------------------------------------------------------------- */

int replay_begin(struct replay *r, struct error *err)
{
	const char *value;
	struct sched *c;

	if (r->sched) {
		strategy_begin(r->sched->strategy, 0);
		r->sched->rest_at = 0;
		return 0;
	}
	c = r->sched = r->options->sched = base_alloc(1, sizeof(*c));
	*c = (struct sched){.strategy = schedule_guide(&r->schedule),
			    .spurious = SCHED_ALL_SPURIOUS,
			    .flags = SCHED_JUDGES};
	open_input(r, c);
	if (open_output(r, &c->out, STDOUT_FILENO, err) < 0 ||
	    open_output(r, &c->err, STDERR_FILENO, err) < 0)
		return -1;
	set_points(&r->head, c);
	value = schedule_option(&r->head, "failure", 0);
	if (value && strcmp(value, "livelock") == 0)
		c->steps = r->schedule.steps.count;
	value = schedule_option(&r->head, "hang", 0);
	c->hang_s = value && strtod(value, NULL) > 0 ? strtod(value, NULL) : SCHED_HANG_S;
	for (size_t k = 0; (value = schedule_option(&r->head, "path", k)); k++)
		*array_add(&c->paths) = base_strdup(value);
	strategy_begin(c->strategy, 0);
	return 0;
}

void replay_compare(const struct replay *r, struct run *s)
{
	const struct strategy_difference *d;
	bool whole = !run_interrupted(s) && run_outcome(s)->fault != OUTCOME_FAULT;

	strategy_end(r->sched->strategy, whole ? STRATEGY_PASSED : STRATEGY_CUT);
	d = strategy_guide_differs(r->sched->strategy);
	if (d && whole)
		diverged(r, s, d);
}

int replay_run(struct replay *r, struct modules *symbols, struct run_result *out, struct error *err)
{
	struct run *s = run_new(r->options, symbols, ++r->made);
	int answer = -1;

	if (r->made == 1)
		r->options->input_at = io_offset(STDIN_FILENO);
	experiment_rewind(r->options);
	*out = (struct run_result){0};
	if (replay_begin(r, err) == 0 && run_prepare(s, err) == 0 && run_launch(s, err) == 0) {
		run_loop(s);
		replay_compare(r, s);
		run_judge(s, out);
		answer = 0;
	} else {
		observe(judged, s, out, err);
	}
	run_free(s);
	return answer;
}

/* ---- summary --------------------------------------------------------------------------------- */

void replay_tell(const struct replay *r, const struct run_result *result, struct str *out)
{
	const char *status = schedule_option(&r->head, "status", 0);
	const char *where = schedule_option(&r->head, "where", 0);
	size_t all = r->schedule.steps.count;
	size_t agree = strategy_guide_followed(r->sched->strategy);

	str_add(out, "replayed:");
	for (char *const *arg = r->options->argv; *arg; arg++) {
		str_add(out, " ");
		foreign_shell_word(out, *arg);
	}
	str_addf(out, " (%zu of %zu steps agree)", agree, all);
	if (agree == all && result->verdict != VERDICT_DIVERGED && status && where &&
	    strtol(status, NULL, 10) != result->status)
		str_addf(out, "; recorded was %s", where);
}

/* ---- step by step ---------------------------------------------------------------------------- */

void replay_rest(struct replay *r, size_t steps)
{
	r->sched->rest_at = steps ? r->sched->schedule.steps.count + steps : 0;
}

void replay_next(const struct replay *r, struct str *out)
{
	size_t i = r->sched->schedule.steps.count;

	if (i >= r->schedule.steps.count) {
		str_add(out, "the schedule has no further step");
		return;
	}
	str_addf(out, "step %zu of %zu: ", i + 1, r->schedule.steps.count);
	say_recorded(r, i, "is to", out);
}

const char *replay_next_thread(const struct replay *r)
{
	const size_t i = r->sched->schedule.steps.count;

	return i < r->schedule.steps.count
		       ? r->schedule.threads.items[r->schedule.steps.items[i].thread]
		       : NULL;
}

void replay_fini(struct replay *r)
{
	if (r->sched) {
		if (r->sched->in >= 0)
			close(r->sched->in);
		stream_close(&r->sched->out);
		stream_close(&r->sched->err);
		strategy_free(r->sched->strategy);
		sched_fini(r->sched);
		base_free(r->sched);
		r->options->sched = NULL;
	}
	array_fini(&r->args);
	array_each(char *const, path, &r->there)
		base_free(*path);
	array_fini(&r->there);
	schedule_fini(&r->schedule);
	schedule_head_fini(&r->head);
}
