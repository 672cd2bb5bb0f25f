/* Finds arrivals that a script does not order: of two neighbouring arrivals, the first is delayed
   until the second has come. If that succeeds with all gates, their order is left to chance. A
   total order has no such pair, so neighbours are enough. */
#include "tracer/search/runs/runs.h"

#include <string.h>

enum { PAIRS_MOST = 20 };

struct order_runs {
	struct prove *p;
	struct run_trial trial;
};

static int take_passes(const struct oracle_question *q, struct run_result *r)
{
	struct prove *p = q->ctx;

	if (r->verdict == VERDICT_ERROR)
		return experiment_over(&p->x, r);
	p->passes = r->evidence.passes;
	r->evidence.passes = (struct run_passes){0};
	return ORACLE_YES;
}

/* True if the script has the first pass earlier; at one place the thread ids decide. */
static bool unordered_is_sorted(const struct run_pass *first, const struct run_pass *second)
{
	return first->place != second->place ? first->place < second->place
					     : strcmp(first->thread, second->thread) <= 0;
}

/* The pair is named alike, whichever of the two came first. */
static int judge_pair(const struct oracle_question *q, struct run_result *r)
{
	struct order_runs *runs = q->ctx;
	const struct run_pass *first = runs->trial.first, *second = runs->trial.second;
	bool sorted = unordered_is_sorted(first, second);
	struct str text = {0};

	if (!r->evidence.swapped)
		return ORACLE_YES;
	str_addf(&text, "%s and %s", sorted ? first->text : second->text,
		 sorted ? second->text : first->text);
	*array_add(&runs->p->unordered) = str_take(&text);
	return ORACLE_YES;
}

static int ask_order(struct prove *p, const struct oracle_question *q)
{
	struct oracle oracle = {.x = &p->x};

	experiment_say(&p->x, "the order of arrivals");
	return oracle_ask(&oracle, q) == ORACLE_STOP ? -1 : 0;
}

static int try_pair(struct prove *p, const struct run_pass *first, const struct run_pass *second)
{
	struct order_runs runs = {
		.p = p,
		.trial = {.show_output = p->x.options->verbose, .first = first, .second = second}};
	const struct oracle_question q = {
		.most = 1, .trial = &runs.trial, .ctx = &runs, .judge = judge_pair};

	return ask_order(p, &q);
}

int prove_orders(struct prove *p)
{
	const struct run_trial trial = {.show_output = p->x.options->verbose};
	const struct oracle_question q = {
		.most = 1, .trial = &trial, .ctx = p, .judge = take_passes};

	if (ask_order(p, &q) < 0)
		return -1;
	for (size_t i = 1; i < p->passes.count && i <= PAIRS_MOST; i++) {
		const struct run_pass *first = &p->passes.items[i - 1];

		if (strcmp(first->thread, first[1].thread) != 0 &&
		    try_pair(p, first, first + 1) < 0)
			return -1;
	}
	return 0;
}
