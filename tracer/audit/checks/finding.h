/* Findings, like a compiler's, with notes for the path to each. */
#ifndef GATECTL_AUDIT_CHECKS_FINDING_H
#define GATECTL_AUDIT_CHECKS_FINDING_H

#include "tracer/audit/frontend/program.h"
#include "tracer/base/text/str.h"

/* Kinds of findings: the tag in messages, the name of the rule in SARIF, and its description. */
#define FINDINGS(ONE)                                                                              \
	ONE(P1, "P1", "FieldEscapes",                                                              \
	    "A field is used outside of its module, or its address escapes")                       \
	ONE(P2, "P2", "UnsafePublication",                                                         \
	    "An object is shared before it is complete, or freed while it is shared")              \
	ONE(P3, "P3", "NoCommonLock", "Two conflicting accesses hold no common lock")              \
	ONE(LOCK_ORDER, "lock-order", "LockOrder", "Locks are taken in both orders")               \
	ONE(DOUBLE_LOCK, "double-lock", "DoubleLock",                                              \
	    "A lock is taken by the thread that holds it")                                         \
	ONE(RETURN_WITH_LOCK, "return-with-lock", "ReturnWithLock",                                \
	    "A lock is not released on one of the return paths")                                   \
	ONE(COMPOUND, "compound", "CompoundAtomic", "Two atomic steps that should be one")         \
	ONE(WAIT, "wait", "LostWakeUp",                                                            \
	    "A condition is waited for without a loop, or changed without the lock")

#define FINDING_NAMED(tag, text, rule, description) FINDING_##tag,
enum finding_tag { FINDINGS(FINDING_NAMED) FINDING_TAGS };

/* All checks, in this order: check_NAME() of check_NAME.c. check_guards() does not repeat what
   check_escape() has reported. */
#define CHECKS(ONE)                                                                                \
	ONE(check_escape)                                                                          \
	ONE(check_publication)                                                                     \
	ONE(check_guards)                                                                          \
	ONE(check_words) ONE(check_locks) ONE(check_order) ONE(check_waits)

/* A possible fault in one function. suspect() in flow/ adds it; a check judges it when the facts of
   all functions are known. */
enum suspicion_kind {
	SUSPECT_LATE_WRITE, /* a write after the object was published */
	SUSPECT_UNSET,	    /* a field without a value when its new object is published */
	SUSPECT_FREED,	    /* freed while still reachable */
	SUSPECT_KEPT_LOCK,
	SUSPECT_DOUBLE_LOCK,
	SUSPECT_COMPOUND,
	SUSPECT_SECTIONS,    /* written by what an earlier critical section has read */
	SUSPECT_WAIT,	     /* a condition is waited for once, without a loop */
	SUSPECT_PLAIN_STORE, /* a new object is stored in a variable by a plain store */
	SUSPECT_ESCAPE,
};

/* How far the program itself supports a finding, by the points of its evidence. */
enum finding_confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };
enum finding_points {
	EVIDENCE_MEDIUM = 50,
	EVIDENCE_HIGH = 70,
	EVIDENCE_CERTAIN = 80,
	EVIDENCE_MOST = 100,
	EVIDENCE_LONGER = -20,
	EVIDENCE_AGAINST = -60,
};

/* A finding has up to two paths: to its own place, and to the place that it conflicts with. */
enum finding_way { WAY_NONE, WAY_HERE, WAY_OTHER, WAY_OTHER_END };

struct finding_note {
	struct audit_place at;
	enum finding_way way; /* path of this step; WAY_OTHER_END is always its last step */
	char *text;
};

/* Bits: the access writes and does not read; its function takes locks; its struct has no lock; it
   is a variable of static storage; the evidence holds in large projects, too. */
enum finding_access {
	FINDING_SETS = 1,
	FINDING_LOCKS = 2,
	FINDING_PLAIN = 4,
	FINDING_VARIABLE = 8,
	FINDING_FIRM = 16,
};

/* A finding; the names also serve those who reproduce it. */
struct finding {
	enum finding_tag tag;
	enum finding_confidence confidence; /* of the points */
	int points;
	struct str evidence;
	/* `other` is the conflicting access or lock; file 0 means none. */
	struct audit_place at, other;
	char *text; /* message; names field and function */
	/* Names of the struct, the field, and the function at `at`. */
	unsigned record, field, function;
	unsigned other_function; /* name of the function at `other` */
	unsigned lock;		 /* P3: key of the lock that is held elsewhere */
	unsigned access;	 /* P3: enum finding_access */
	ARRAY(struct finding_note) notes;
	/* --type or a comment names the struct: reported with any confidence. */
	bool is_asked;
	bool is_known;		     /* in the baseline */
	bool is_tried, is_confirmed; /* results of runs of a program */
	char *script;		     /* script that reproduces it; NULL if there is none */
};

/* A field without findings, and why. */
struct finding_safe {
	struct audit_place at; /* place of the declaration */
	unsigned record, field;
	char *why;
};

struct findings {
	ARRAY(struct finding) items;
	ARRAY(struct finding_safe) safe;
};

/* Returns the name of a tag, such as "P1". */
const char *finding_tag_text(enum finding_tag tag);
/* Returns "low", "medium" or "high". */
const char *finding_confidence_text(enum finding_confidence c);

/* Returns the confidence of so many points. */
enum finding_confidence finding_confidence_of(int points);
/* Adds evidence and its points, and sets the confidence. */
void finding_evidence(struct finding *f, int points, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns the sum: what speaks for a finding counts for EVIDENCE_MOST at most. */
int finding_sum(int points, int more);
/* Returns the points from 0 to EVIDENCE_MOST. */
int finding_score(const struct finding *f);
/* Adds a finding. Returns it, or NULL if that line has one with this tag and field. */
struct finding *findings_add(struct findings *f, enum finding_tag tag, struct audit_place at,
			     unsigned field);
/* Sets record and is_asked; `r` may be NULL. */
void finding_is_of(struct finding *f, const struct audit_record *r);
/* Replaces the message. */
void finding_say(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define finding_note(f, at, ...) finding_step(f, WAY_NONE, at, __VA_ARGS__)
/* Adds a note to a path. */
void finding_step(struct finding *f, enum finding_way way, struct audit_place at, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));
/* Sorts by name of the file, line and column. */
void findings_sort(struct findings *f, const struct audit_program *p);
/* Frees all findings. */
void findings_fini(struct findings *f);

#endif
