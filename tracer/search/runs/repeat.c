/* gatectl run --repeat: repeats a run and counts those that agree with the first. */
#include "tracer/features/order_log/order_log.h"
#include "tracer/search/runs/runs.h"

static bool begin_order(void *ctx)
{
	const struct repeat *p = ctx;

	if (p->x.options->order_log)
		order_log_begin(p->x.options->order_log);
	return true;
}

/* True if the run passed with the exit status of the first run. */
static int repeat_agrees(const struct oracle_question *q, struct run_result *r)
{
	struct repeat *p = q->ctx;
	bool same;

	p->status = r->status;
	if (p->x.made == 1)
		p->first = r->status;
	same = r->verdict == VERDICT_OK && r->status == p->first;
	p->agreed += same;
	return same;
}

int repeat_runs(struct repeat *p)
{
	struct oracle oracle = {.x = &p->x};
	const struct oracle_question runs = {
		.most = p->x.options->repeat,
		.ctx = p,
		.next = begin_order,
		.judge = repeat_agrees,
	};

	if (oracle_ask(&oracle, &runs) != ORACLE_STOP)
		return 0;
	p->status = p->x.last.status;
	return p->x.err->code ? -1 : 0;
}
