/* Findings: added once for each place, tag and field; sorted for output. */
#include "tracer/audit/checks/finding.h"

#include <string.h>

const char *finding_tag_text(enum finding_tag tag)
{
#define FINDING_TEXT(tag, text, rule, description) text,
	static const char *const texts[] = {FINDINGS(FINDING_TEXT)};

	return texts[tag];
}

const char *finding_confidence_text(enum finding_confidence c)
{
	static const char *const texts[] = {"low", "medium", "high"};

	return texts[c];
}

enum finding_confidence finding_confidence_of(int points)
{
	return points >= EVIDENCE_HIGH	   ? CONFIDENCE_HIGH
	       : points >= EVIDENCE_MEDIUM ? CONFIDENCE_MEDIUM
					   : CONFIDENCE_LOW;
}

int finding_sum(int points, int more)
{
	return more > 0 && points + more > EVIDENCE_MOST ? EVIDENCE_MOST : points + more;
}

int finding_score(const struct finding *f)
{
	return f->points < 0 ? 0 : f->points > EVIDENCE_MOST ? EVIDENCE_MOST : f->points;
}

void finding_evidence(struct finding *f, int points, const char *fmt, ...)
{
	va_list ap;

	str_add(&f->evidence, f->evidence.length ? "; " : "");
	va_start(ap, fmt);
	str_vaddf(&f->evidence, fmt, ap);
	va_end(ap);
	str_addf(&f->evidence, " (%+d)", points);
	f->points = finding_sum(f->points, points);
	f->confidence = finding_confidence_of(f->points);
}

static bool is_same_line(struct audit_place a, struct audit_place b)
{
	return a.file == b.file && a.line == b.line;
}

struct finding *findings_add(struct findings *f, enum finding_tag tag, struct audit_place at,
			     unsigned field)
{
	struct finding *added;

	array_each(const struct finding, known, &f->items)
		if (known->tag == tag && known->field == field && is_same_line(known->at, at))
			return NULL;
	added = array_add(&f->items);
	added->tag = tag;
	added->at = at;
	added->field = field;
	return added;
}

void finding_is_of(struct finding *f, const struct audit_record *r)
{
	f->record = r ? r->name : 0;
	f->is_asked = r && r->thread_safe;
}

void finding_say(struct finding *f, const char *fmt, ...)
{
	struct str text = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	base_free(f->text);
	f->text = str_take(&text);
}

void finding_step(struct finding *f, enum finding_way way, struct audit_place at, const char *fmt,
		  ...)
{
	struct finding_note *note = array_add(&f->notes);
	struct str text = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	note->at = at;
	note->way = way;
	note->text = str_take(&text);
}

/* ---- sorting --------------------------------------------------------------------------------- */

static const struct audit_program *names_of;

static int finding_compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int files = strcmp(program_text(names_of, x->at.file), program_text(names_of, y->at.file));

	if (files)
		return files;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.column != y->at.column)
		return x->at.column < y->at.column ? -1 : 1;
	return (int)x->tag - (int)y->tag;
}

void findings_sort(struct findings *f, const struct audit_program *p)
{
	names_of = p;
	array_sort(&f->items, finding_compare);
}

void findings_fini(struct findings *f)
{
	array_each(struct finding, item, &f->items) {
		base_free(item->text);
		base_free(item->script);
		str_fini(&item->evidence);
		array_each(struct finding_note, note, &item->notes)
			base_free(note->text);
		array_fini(&item->notes);
	}
	array_fini(&f->items);
	array_each(struct finding_safe, s, &f->safe)
		base_free(s->why);
	array_fini(&f->safe);
}
