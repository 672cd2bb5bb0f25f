/* Frees results of runs. */
#include "tracer/run/run.h"

void run_pass_fini(struct run_pass *p)
{
	base_free(p->thread);
	base_free(p->text);
}

void run_passes_fini(struct run_passes *passes)
{
	array_each(struct run_pass, p, passes)
		run_pass_fini(p);
	array_fini(passes);
}

void run_evidence_fini(struct run_evidence *e)
{
	array_each(struct run_subject, subject, &e->subjects) {
		base_free(subject->name);
		array_each(char *, mover, &subject->movers)
			base_free(*mover);
		array_fini(&subject->movers);
	}
	array_fini(&e->subjects);
	digest_written_fini(&e->out);
	digest_written_fini(&e->err);
	run_passes_fini(&e->passes);
	str_fini(&e->expected);
	str_fini(&e->came);
}

void run_result_fini(struct run_result *r)
{
	str_fini(&r->text);
	str_fini(&r->note);
	str_fini(&r->file);
	for (int kind = 0; kind < REPORT_KINDS; kind++)
		str_fini(&r->reports[kind]);
	run_evidence_fini(&r->evidence);
}
