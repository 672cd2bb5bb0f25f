/*
 * When a function of the script does nothing, as its code says: `if hit.var.i == 7 then ... end` does so wherever
 * i is not 7. What is asked are integer variables of the program, or members of what they point to, one after the other; at
 * the end an arrival is idle, or the function has to be called.
 */
#ifndef GATECTL_GATES_IDLE_H
#define GATECTL_GATES_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum idle_compare {
	IDLE_EQ,
	IDLE_LT,
	IDLE_LE,
	IDLE_GT,
	IDLE_GE,
	IDLE_NIL,   /* of a pointer: it is NULL; there is no constant */
	IDLE_FALSE, /* of a bool */
	IDLE_FALSY, /* either */
};

/* What comes after a test: a later one (its index), or the end. */
enum { IDLE_NOTHING = -1, IDLE_CALL = -2 };

struct idle_test {
	size_t variable; /* index of `variables` */
	int64_t mask;	 /* these bits of it, -1: all */
	enum idle_compare compare;
	int64_t constant; /* with what it is compared, as Lua compares integers ... */
	size_t outer; /* ... if this is 0; else with that local from outside of the function, as it is then */
	int yes, no;
};

enum { IDLE_TESTS = 16, IDLE_VARIABLES = 16, IDLE_NOBODY = -1 };

struct idle_variable {
	int of; /* it is a member or an element of this one; IDLE_NOBODY: a variable, or an argument */
	char *name; /* NULL: it is an argument, or an element, this one: */
	size_t number;
};

/* The first test is asked first. */
struct idle {
	struct idle_test tests[IDLE_TESTS];
	size_t count;
	struct idle_variable variables[IDLE_VARIABLES];
	size_t variable_count;
	/* A bit for each that the function reads where it does nothing; of those, which no test on that way has read; and
	   those that have to be integers, besides what is compared. */
	unsigned needed, unasked, integers;
};

bool idle_has_outer(const struct idle *idle);
void idle_free(struct idle *idle); /* NULL is allowed */

#endif
