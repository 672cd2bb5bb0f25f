/* gatectl audit: findings as compiler warnings on standard output, and one verdict on standard
   error. */
#include "tracer/search/explore.h"
#include "tracer/audit/audit.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/log.h"
#include "tracer/base/files/path.h"
#include "tracer/cli/confirm/confirm.h"

#include <stdio.h>

/* ---- on standard output --------------------------------------------------------------------- */

static void print_line(struct report_place at, const char *kind, const char *text, const char *tag)
{
	struct str line = {0};

	str_addf(&line, "%s:%u:%u: %s: %s", at.file, at.line, at.column, kind, text);
	if (tag)
		str_addf(&line, " [%s]", tag);
	output_line(&line);
	str_fini(&line);
}

static void print_evidence(const struct report_finding *f)
{
	STR(text);

	str_addf(&text, "evidence: %d of 100, %s: %s", f->score, f->confidence, f->evidence);
	print_line(f->at, "note", str_text(&text), NULL);
}

static void print_findings(const struct report_findings *findings)
{
	array_each(const struct report_finding, f, findings) {
		print_line(f->at, "warning", f->text, findings->rules[f->rule].id);
		array_each(const struct report_note, note, &f->notes)
			print_line(note->at, "note", note->text, NULL);
		print_evidence(f);
	}
}

/* Conditions under which the fields are proved to be safe. */
static void print_assumptions(void)
{
	struct str text = {0};

	str_add(&text, "assumptions of 'is safe': the files are all that use these fields; "
		       "functions that are not in them keep no address and change no lock; "
		       "no pointer to a field is made by a cast; threads start in known functions");
	output_line(&text);
	str_fini(&text);
}

static void print_safe(const struct audit *a)
{
	if (a->findings.safe.count)
		print_assumptions();
	array_each(const struct finding_safe, s, &a->findings.safe) {
		struct str text = {0};

		str_addf(&text, s->record ? "'%s' of struct %s is safe: %s" : "'%s'%s is safe: %s",
			 program_text(a->program, s->field), program_text(a->program, s->record),
			 s->why);
		print_line(audit_place_shown(a->program, s->at), "note", str_text(&text), NULL);
		str_fini(&text);
	}
}

static void print_summary(const struct audit_result *r)
{
	const struct audit_program *p = r->audit->program;
	const unsigned long variables = r->audit->variables;
	unsigned long structs = 0;

	array_each(const struct audit_record, record, &p->records)
		structs += program_is_shared(record) && record->kind != RECORD_VARIABLES;
	printf("%u file%s, %zu line%s, %zu function%s, %lu struct%s and %lu variable%s that "
	       "threads may share, in %.2f s",
	       p->units, str_plural(p->units), p->lines, str_plural(p->lines), p->functions.count,
	       str_plural(p->functions.count), structs, str_plural(structs), variables,
	       str_plural(variables), r->seconds);
	if (r->read->skipped.count)
		printf("; %zu file%s skipped", r->read->skipped.count,
		       str_plural(r->read->skipped.count));
	if (p->guessed)
		printf("; %lu operator%s in macros guessed (libclang 17 and later name them)",
		       p->guessed, str_plural(p->guessed));
	if (r->known)
		printf("; %lu in the baseline", r->known);
	if (r->medium)
		printf("; %lu of medium confidence not shown (without --high)", r->medium);
	if (r->hidden)
		printf("; %lu of low confidence not shown (--all)", r->hidden);
	if (r->tried)
		printf("; %lu of %lu confirmed", r->confirmed, r->tried);
	putchar('\n');
}

/* ---- on standard error ---------------------------------------------------------------------- */

static int tell_findings(const struct cli *cli, const struct report_findings *findings)
{
	const struct report_finding *first = findings->items;
	struct str text = {0}, shown = {0};

	if (!findings->count)
		return 0;
	str_addf(&text, "gatectl: found: %zu finding%s; the first: %s:%u: %s [%s]", findings->count,
		 str_plural(findings->count), first->at.file, first->at.line, first->text,
		 findings->rules[first->rule].id);
	foreign_line(&shown, str_text(&text));
	output_verdict(cli, str_text(&shown), NULL, 0);
	str_fini(&text);
	str_fini(&shown);
	return VERDICT_FOUND;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int audit_tell(struct audit_result *r, struct error *err)
{
	const struct cli *cli = r->cli;
	int status;

	audit_collect(r);
	print_findings(&r->findings);
	if (cli->all)
		print_safe(r->audit);
	if (!cli->run.quiet)
		print_summary(r);
	if (output_flush() < 0)
		return VERDICT_ERROR;
	status = tell_findings(cli, &r->findings); /* the verdict is first on standard error */
	array_each(const struct audit_skipped, s, &r->read->skipped)
		log_line("%s: skipped: %s", path_shown(s->file), s->why);
	return audit_report(r, status, err) < 0 ? output_error(cli, err) : status;
}

static int cli_audit_run(struct cli *cli, struct audit_read *read, struct audit *a,
			 struct error *err)
{
	const struct cli_audit *o = &cli->audit;
	const struct audit_read_options how = {o->folder, cli->harness.cflags,
					       (const char *const *)cli->rest,
					       (size_t)cli->rest_count};
	const struct audit_options what = {o->types.items, o->lock.items, o->unlock.items,
					   o->init.items};
	double begun = explore_now_s();
	struct audit_result r = {.cli = cli, .audit = a, .read = read};
	int status, answer;

	if (cli->all && o->high) {
		error_set(err, ERROR_USAGE, "--all and --high exclude each other");
		error_hint(err, "one of them: --high prints the fewest findings, --all all");
		return output_error(cli, err);
	}
	if ((o->confirm && found_check(cli->output ? cli->output : "gatectl-found", err) < 0) ||
	    reports_check(cli, REPORTS_AUDIT, err) < 0 || audit_read(read, &how, err) < 0)
		return output_error(cli, err);
	if (audit_types_check(&read->program, what.types, err) < 0 ||
	    audit_marks_check(&read->program, err) < 0)
		return output_error(cli, err);
	audit_run(a, &read->program, &what);
	if (o->baseline && audit_baseline_read(a, o->baseline, err) < 0)
		return output_error(cli, err);
	r.seconds = explore_now_s() - begun;
	status = o->confirm ? audit_confirm(cli, a) : 0;
	answer = audit_tell(&r, err);
	report_findings_fini(&r.findings);
	return status ? status : answer;
}

/* Ends the lists with NULL. */
static void settle(struct cli_audit *o)
{
	if (o->types.count)
		(void)array_add(&o->types);
	(void)array_add(&o->lock);
	(void)array_add(&o->unlock);
	(void)array_add(&o->init);
}

int command_audit(struct cli *cli)
{
	struct audit_read read = {0};
	struct audit a = {0};
	ERROR(err);
	int status;

	settle(&cli->audit);
	status = cli_audit_run(cli, &read, &a, &err);
	audit_fini(&a);
	audit_read_fini(&read);
	return status;
}
