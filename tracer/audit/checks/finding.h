/* Findings, as a compiler reports them, with notes for the path to each. */
#ifndef GATECTL_AUDIT_CHECKS_FINDING_H
#define GATECTL_AUDIT_CHECKS_FINDING_H

#include "tracer/audit/frontend/program.h"

enum finding_tag {
	FINDING_P1,
	FINDING_P2,
	FINDING_P3,
	FINDING_LOCK_ORDER,
	FINDING_DOUBLE_LOCK,
	FINDING_RETURN_WITH_LOCK,
	FINDING_COMPOUND,
	FINDING_TAGS,
};

/* As much as the program itself says. */
enum finding_confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* A finding may have two paths: one to its place, the last step, and one to what it conflicts
   with. */
enum finding_way { WAY_NONE, WAY_HERE, WAY_OTHER, WAY_OTHER_END };

struct finding_note {
	struct audit_place at;
	enum finding_way way; /* whose step it is; that of _END comes last, wherever it is told */
	char *text;
};

/* What stands at its place, for who makes it happen. */
struct finding {
	enum finding_tag tag;
	enum finding_confidence confidence;
	struct audit_place at,
		other; /* other: the access, or lock, that it conflicts with; nowhere: none */
	char *text;    /* names field and function */
	unsigned record, field,
		function;	 /* names: of the struct, the field, the function at `at` */
	unsigned other_function; /* a name: at `other` */
	unsigned lock;		 /* of P3: the key of the one that is held elsewhere */
	bool sets;		 /* it is written there, and not read */
	ARRAY(struct finding_note) notes;
	bool is_asked; /* --type or a comment names its struct: it is reported with any confidence */
	bool is_known;		     /* it is in the baseline */
	bool is_tried, is_confirmed; /* in runs of a program */
	char *script;		     /* that makes it happen; NULL: none */
};

/* A field that is used as it should be: by which lock. */
struct finding_safe {
	struct audit_place at; /* of its declaration */
	unsigned record, field;
	char *why;
};

struct findings {
	ARRAY(struct finding) items;
	ARRAY(struct finding_safe) safe;
};

const char *finding_tag_text(enum finding_tag tag);
const char *finding_confidence_text(enum finding_confidence c);

/* NULL: there is one with that tag on that line for that field. */
struct finding *findings_add(struct findings *f, enum finding_tag tag, struct audit_place at,
			     unsigned field);
/* NULL: of none. */
void finding_is_of(struct finding *f, const struct audit_record *r);
void finding_say(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define finding_note(f, at, ...) finding_step(f, WAY_NONE, at, __VA_ARGS__)
void finding_step(struct finding *f, enum finding_way way, struct audit_place at, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));
/* By file (its name), line, column. */
void findings_sort(struct findings *f, const struct audit_program *p);
void findings_fini(struct findings *f);

#endif
