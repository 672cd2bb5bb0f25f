/* The oracle: plain runs of a script until one comes out differently. */
#include "tracer/search/runs/runs.h"

#include "tracer/base/files/file.h"
#include "tracer/search/explore.h"

#include <unistd.h>

/* Makes one run. Returns an enum oracle_answer. */
static int ask_once(struct oracle *o, const struct oracle_question *q)
{
	struct convert_record record = {.before = q->before, .only_turns = true};
	struct run_result r;
	int answer = experiment_run(o->x, q->trial, q->in_turn ? &record : NULL, &r);

	if (answer == 0) {
		o->cut = r.out_of_time;
		answer = q->judge(q, &r);
		run_result_fini(&r);
	}
	convert_record_fini(&record);
	return answer;
}

static bool is_over(const struct oracle *o, const struct oracle_question *q)
{
	return (q->most && o->made >= q->most) ||
	       (o->made && q->until > 0 && explore_now_s() >= q->until) ||
	       (q->next && !q->next(q->ctx));
}

int oracle_ask(struct oracle *o, const struct oracle_question *q)
{
	double begun = explore_now_s();
	int answer = ORACLE_YES;

	o->made = 0;
	while (answer == ORACLE_YES && !is_over(o, q)) {
		o->cut = false;
		answer = ask_once(o, q);
		if (answer == ORACLE_NO && o->cut && o->made) {
			answer = ORACLE_YES; /* all complete runs agreed */
			break;
		}
		o->made++;
	}
	o->took = explore_now_s() - begun;
	return answer;
}

int oracle_script(struct oracle *o, const char *text)
{
	if (!o->path) {
		o->path = file_temporary(NULL, "gatectl-", ".lua", o->x->err);
		if (!o->path)
			return -1;
		run_signals_unlink(o->path);
	}
	return file_replace(o->path, text, o->x->err);
}

void oracle_fini(struct oracle *o)
{
	if (!o->path)
		return;
	unlink(o->path);
	run_signals_unlink(NULL);
	base_free(o->path);
	o->path = NULL;
}

int oracle_needs(struct oracle *o, const struct oracle_question *q, enum trial_way way)
{
	enum { CONTROLS = 2 };
	struct run_trial trial = *q->trial;
	struct oracle_question runs = *q;
	int same;

	trial.left_out = true;
	trial.way = way;
	runs.trial = &trial;
	same = oracle_ask(o, &runs);
	if (same == ORACLE_NO && way != TRIAL_PLAIN) {
		trial.left_out = false;
		runs.most = CONTROLS;
		same = oracle_ask(o, &runs);
		return same == ORACLE_STOP ? -1 : same;
	}
	return same == ORACLE_STOP ? -1 : !same;
}
