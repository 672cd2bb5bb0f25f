/* Series of runs with common time limits, and comparison of their outcomes. */
#include "tracer/search/runs/runs.h"

#include "tracer/base/files/io.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void experiment_begin(struct experiment *x, struct run_options *o, struct error *err)
{
	x->options = o;
	o->input_at = io_offset(STDIN_FILENO);
	x->err = err;
	x->symbols = modules_new();
	run_signals_hold();
}

void experiment_rewind(const struct run_options *o)
{
	if (o->input_at >= 0)
		lseek(STDIN_FILENO, o->input_at, SEEK_SET);
}

int experiment_end(struct experiment *x, int status)
{
	int signal = run_signals_release();

	modules_free(x->symbols);
	run_result_fini(&x->last);
	str_fini(&x->what);
	return signal ? 128 + signal : status;
}

void experiment_say(struct experiment *x, const char *what)
{
	str_clear(&x->what);
	str_add(&x->what, what);
}

void experiment_grant(struct experiment *x, double part)
{
	double now = now_s();

	x->begun = x->begun ? x->begun : now;
	x->until = now + (x->begun + x->most - now) * part;
	x->expired = false;
}

int experiment_over(struct experiment *x, struct run_result *r)
{
	x->over = true;
	x->last = *r;
	*r = (struct run_result){0};
	return -1;
}

bool experiment_is_over(const struct experiment *x)
{
	return x->over || x->err->code;
}

/* Limits the run to the time left, if that is less than its own limit. */
static bool limit_run(struct experiment *x)
{
	struct run_options *o = x->options;
	double rest = x->until - now_s();
	bool is_rest = x->most > 0 && (o->time_limit <= 0 || o->time_limit > rest);

	x->expired |= x->most > 0 && rest <= 0;
	if (is_rest)
		o->time_limit = rest;
	return is_rest;
}

static int make_run(struct experiment *x, struct run_result *r)
{
	int failed;

	if (x->view.progress)
		x->view.progress(x->view.ctx, x->planned ? x->done : x->made, x->planned,
				 str_text(&x->what));
	experiment_rewind(x->options);
	failed = run_run(x->options, x->symbols, ++x->made, r, x->err);
	if (x->view.ran && x->view.ran(x->view.ctx, r, x->err) < 0)
		failed = -1;
	return failed < 0 || r->interrupted ? experiment_over(x, r) : 0;
}

int experiment_run(struct experiment *x, const struct run_trial *trial,
		   struct convert_record *record, struct run_result *r)
{
	struct run_options *o = x->options;
	double limit = o->time_limit;
	bool is_rest = limit_run(x);
	int failed = -1;

	o->trial = trial;
	o->record = record;
	if (record)
		record->hasten = x->hasten;
	if (!x->expired)
		failed = make_run(x, r);
	o->trial = NULL;
	o->record = NULL;
	o->time_limit = limit;
	if (failed)
		return -1;
	x->expired = is_rest && r->verdict == VERDICT_TIME_LIMIT;
	if (x->expired)
		run_result_fini(r);
	return x->expired ? -1 : 0;
}

void experiment_first(struct experiment_outcome *o, const struct run_evidence *e)
{
	experiment_outcome_fini(o);
	str_add(&o->came, str_text(&e->came));
	digest_written_copy(&o->out, &e->out);
	digest_written_copy(&o->err, &e->err);
	o->same_out = o->same_err = o->same_out_lines = o->same_err_lines = true;
}

void experiment_another(struct experiment_outcome *o, const struct run_evidence *e)
{
	o->same_out &= e->out.text == o->out.text;
	o->same_err &= e->err.text == o->err.text;
	o->same_out_lines &= e->out.lines == o->out.lines;
	o->same_err_lines &= e->err.lines == o->err.lines;
}

bool experiment_came(const struct experiment_outcome *o, const struct run_evidence *e)
{
	return strcmp(str_text(&e->came), str_text(&o->came)) == 0;
}

bool experiment_wrote(const struct experiment_outcome *o, const struct run_evidence *e)
{
	return (!o->same_out || e->out.text == o->out.text) &&
	       (!o->same_err || e->err.text == o->err.text);
}

bool experiment_wrote_lines(const struct experiment_outcome *o, const struct run_evidence *e)
{
	return (!o->same_out_lines || e->out.lines == o->out.lines) &&
	       (!o->same_err_lines || e->err.lines == o->err.lines);
}

void experiment_other_line(const struct experiment_outcome *o, const struct run_evidence *e,
			   struct str *out)
{
	if (!(o->same_out_lines && digest_other_line(&o->out, &e->out, out)) &&
	    !(o->same_err_lines && digest_other_line(&o->err, &e->err, out)))
		str_add(out, "it writes its lines in another order, or something else");
}

void experiment_outcome_fini(struct experiment_outcome *o)
{
	str_fini(&o->came);
	digest_written_fini(&o->out);
	digest_written_fini(&o->err);
}
