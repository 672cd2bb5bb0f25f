/* gatectl audit: findings as compiler warnings on standard output, one verdict on standard error. */
#include "tracer/audit/audit.h"
#include "tracer/base/text/foreign.h"
#include "tracer/base/log.h"
#include "tracer/base/files/path.h"
#include "tracer/cli/confirm/audit_confirm.h"
#include "tracer/cli/report/audit_report.h"
#include "tracer/cli/report/found.h"
#include "tracer/search/loop/account.h"

#include <stdio.h>

static const char *s_of(unsigned long n)
{
	return n == 1 ? "" : "s";
}

static void print_line(const struct audit_program *p, struct audit_place at, const char *kind,
		       const char *text, const char *tag)
{
	struct str line = {0};

	str_addf(&line, "%s:%u:%u: %s: %s", path_shown(program_text(p, at.file)), at.line,
		 at.column, kind, text);
	if (tag)
		str_addf(&line, " [%s]", tag);
	output_line(&line);
	str_fini(&line);
}

bool audit_is_told(const struct cli *cli, const struct finding *f)
{
	return !f->is_known && (cli->all || f->is_asked || f->confidence != CONFIDENCE_LOW);
}

/* ---- on standard output ------------------------------------------------------------------------------------- */

static void print_findings(const struct cli *cli, const struct audit_told *t)
{
	const struct audit_program *p = t->audit->program;

	array_each(const struct finding, f, &t->audit->findings.items) {
		if (!audit_is_told(cli, f))
			continue;
		print_line(p, f->at, "warning", f->text, finding_tag_text(f->tag));
		array_each(const struct finding_note, note, &f->notes)
			print_line(p, note->at, "note", note->text, NULL);
	}
}

static void print_safe(const struct audit_told *t)
{
	const struct audit_program *p = t->audit->program;

	array_each(const struct finding_safe, s, &t->audit->findings.safe) {
		struct str text = {0};

		str_addf(&text, "'%s' of struct %s is safe: %s", program_text(p, s->field),
			 program_text(p, s->record), s->why);
		print_line(p, s->at, "note", str_text(&text), NULL);
		str_fini(&text);
	}
}

static void print_summary(const struct audit_told *t)
{
	const struct audit_program *p = t->audit->program;
	unsigned long structs = 0;

	array_each(const struct audit_record, r, &p->records)
		structs += program_is_shared(r);
	printf("%u file%s, %zu line%s, %zu function%s, %lu struct%s that threads may share, in "
	       "%.2f s",
	       p->units, s_of(p->units), p->lines, s_of(p->lines), p->functions.count,
	       s_of(p->functions.count), structs, s_of(structs), t->seconds);
	if (t->read->skipped.count)
		printf("; %zu file%s skipped", t->read->skipped.count,
		       s_of(t->read->skipped.count));
	if (t->known)
		printf("; %lu in the baseline", t->known);
	if (t->hidden)
		printf("; %lu of low confidence not told (--all)", t->hidden);
	if (t->tried)
		printf("; %lu of %lu confirmed", t->confirmed, t->tried);
	putchar('\n');
}

/* ---- on standard error ---------------------------------------------------------------------------------------- */

static void tell_skipped(const struct audit_read *read)
{
	array_each(const struct audit_skipped, s, &read->skipped)
		log_line("%s: skipped: %s", path_shown(s->file), s->why);
}

static int audit_tell_found(const struct cli *cli, const struct audit_told *t)
{
	const struct audit_program *p = t->audit->program;
	const struct finding *first = NULL;
	unsigned long count = 0;
	struct str text = {0}, shown = {0};

	array_each(const struct finding, f, &t->audit->findings.items) {
		first = first || !audit_is_told(cli, f) ? first : f;
		count += audit_is_told(cli, f);
	}
	if (!first)
		return 0;
	str_addf(&text, "gatectl: found: %lu finding%s; the first: %s:%u: %s [%s]", count,
		 s_of(count), path_shown(program_text(p, first->at.file)), first->at.line,
		 first->text, finding_tag_text(first->tag));
	foreign_line(&shown, str_text(&text));
	output_verdict(cli, str_text(&shown), NULL, 0);
	str_fini(&text);
	str_fini(&shown);
	return VERDICT_FOUND;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static void count_untold(const struct cli *cli, struct audit_told *t)
{
	array_each(const struct finding, f, &t->audit->findings.items) {
		t->known += f->is_known;
		t->tried += f->is_tried;
		t->confirmed += f->is_confirmed;
		t->hidden += !f->is_known && !audit_is_told(cli, f);
	}
}

static int audit_tell(struct cli *cli, struct audit_told *t, struct error *err)
{
	int status;

	count_untold(cli, t);
	print_findings(cli, t);
	if (cli->all)
		print_safe(t);
	if (!cli->run.quiet)
		print_summary(t);
	if (output_flush() < 0)
		return VERDICT_ERROR;
	status = audit_tell_found(cli, t); /* the verdict comes first on standard error */
	tell_skipped(t->read);
	return audit_report(cli, t, status, err) < 0 ? output_error(cli, err) : status;
}

static int cli_audit_run(struct cli *cli, struct audit_read *read, struct audit *a,
			 struct error *err)
{
	const struct cli_audit *o = &cli->audit;
	const struct audit_read_options how = {o->folder, o->flags, (const char *const *)cli->rest,
					       (size_t)cli->rest_count};
	const struct audit_options what = {o->types.items, o->lock.items, o->unlock.items,
					   cli->all};
	double begun = explore_now_s();
	struct audit_told t = {.audit = a, .read = read};
	int status, answer;

	if ((o->confirm && found_check(cli->output ? cli->output : "gatectl-found", err) < 0) ||
	    audit_reports_check(cli, err) < 0 || audit_read(read, &how, err) < 0)
		return output_error(cli, err);
	if (audit_types_check(&read->program, what.types, err) < 0 ||
	    audit_marks_check(&read->program, err) < 0)
		return output_error(cli, err);
	audit_run(a, &read->program, &what);
	if (o->baseline && audit_baseline_read(a, o->baseline, err) < 0)
		return output_error(cli, err);
	t.seconds = explore_now_s() - begun;
	status = o->confirm ? audit_confirm(cli, a) : 0;
	answer = audit_tell(cli, &t, err);
	return status ? status : answer;
}

int command_audit(struct cli *cli)
{
	struct audit_read read = {0};
	struct audit a = {0};
	ERROR(err);
	int status;

	options_audit_settle(cli);
	status = cli_audit_run(cli, &read, &a, &err);
	audit_fini(&a);
	audit_read_fini(&read);
	return status;
}
