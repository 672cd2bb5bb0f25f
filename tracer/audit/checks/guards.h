/* Which locks are held where a field is used, and which of them is there for the field. */
#ifndef GATECTL_AUDIT_CHECKS_GUARDS_H
#define GATECTL_AUDIT_CHECKS_GUARDS_H

#include "tracer/audit/checks/entries.h"

/* The lock that is held at most places of a field. */
struct majority {
	unsigned key, held, places; /* key: 0: there is none */
	unsigned near; /* ... at so many of those the field's object has to do with the lock's */
	unsigned writes, writes_held;
	unsigned functions, functions_held; /* ... and at all places of so many functions */
	bool is_told;			    /* by the field's comment: no other lock will do */
};

/* Once, when it is known which functions are called from outside; and when that is not needed any more. */
void callers_find(struct audit *a);
void callers_forget(struct audit *a);

/* Of all accesses of one field; their `guards` are the program's memory. */
void guards_find(const struct audit *a, struct entry_accesses *all);
/* Does the access hold the lock as it has to: alone, if it writes? */
bool guards_hold(const struct entry_access *e, unsigned key);
/* Does it hold any lock? */
bool guards_any(const struct entry_access *e);
/* Is the lock one of the field's own struct? Then it is there for its fields. */
bool guards_is_own(const struct audit *a, unsigned key, unsigned field);
/* Do both hold a lock that keeps them apart? */
bool guards_exclude(const struct entry_access *x, const struct entry_access *y);
struct majority guards_majority(const struct audit *a, const struct entry_accesses *all,
				unsigned field);

#endif
