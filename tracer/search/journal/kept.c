#include "tracer/search/journal/kept.h"

#include "tracer/search/shrink/examine.h"
#include "tracer/search/journal/journal.h"

void explore_keep_failure(struct explore *e, struct explore_failure *f)
{
	if (e->found)
		e->found(e->found_ctx, e, f);
	explore_journal_found(e, f);
}

int explore_no_script(struct explore *e, struct explore_failure *f)
{
	struct str reason = {0};

	if (!e->x.err->code || run_signals_came() || e->x.last.interrupted)
		return -1;
	str_addf(&reason, "the search for one was ended: %s", error_text(e->x.err));
	base_free(f->no_script);
	f->no_script = str_take(&reason);
	str_clear(&f->gates);
	error_fini(e->x.err);
	run_result_fini(&e->x.last);
	e->x.last = (struct run_result){0};
	e->x.over = false;
	return 0;
}

int explore_reports(struct explore *e)
{
	for (size_t i = 0; e->found && i < e->failures.count; i++) {
		struct explore_failure *f = &e->failures.items[i];

		if (f->is_reported || f->done || run_signals_came())
			continue;
		if (explore_examine(e, f) < 0 && explore_no_script(e, f) < 0)
			return -1;
		f->is_reported = true;
		explore_keep_failure(e, f);
	}
	return 0;
}
