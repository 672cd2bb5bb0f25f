#include "tracer/experiments/explore.h"
#include "tracer/cli/cli.h"
#include "tracer/features/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* To be replaced: options come with the command line. */
int command_explore(struct cli *cli)
{
	const char *strategy = getenv("GATECTL_STRATEGY"), *runs = getenv("GATECTL_RUNS"),
		   *seed = getenv("GATECTL_SEED");
	struct explore e = {.quick = &search_features, .full = &controlled_features};
	ERROR(err);
	int status;

	e.options = (struct explore_options){.strategy = strategy ? strategy : "pos",
					     .depth = 3,
					     .bound = 2,
					     .runs = runs ? strtoul(runs, NULL, 10) : 10000,
					     .steps = 100000,
					     .all = getenv("GATECTL_ALL"),
					     .seed = seed ? strtoul(seed, NULL, 10) : 1};
	experiment_begin(&e.x, &cli->session, &err);
	status = explore_search(&e);
	if (status < 0) {
		status = output_over(cli, &e.x);
	} else {
		printf("%lu schedules, %lu distinct, %lu points, %.2f s%s%s%s\n", e.runs,
		       e.distinct, e.points, e.seconds, e.complete ? ", all seen" : "",
		       e.not_forked ? ", not forked: " : "", e.not_forked ? e.not_forked : "");
		array_each(struct explore_failure, f, &e.failures) {
			printf("%s: %s, %lu times, first in %lu\n%s\n", f->kind, f->where, f->times,
			       f->run, f->text);
			array_each(struct schedule_step, st, &f->schedule.steps)
				printf("  %s op %d %s:%u %s %s\n",
				       f->schedule.threads.items[st->thread], (int)st->point.op,
				       st->where.file ? st->where.file : "?", st->where.line,
				       st->where.func ? st->where.func : "",
				       st->where.call ? st->where.call : "");
		}
		status = e.failures.count ? 116 : 0;
	}
	explore_fini(&e);
	return experiment_end(&e.x, status);
}
