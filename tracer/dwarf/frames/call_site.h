/* Between the files that ask for calls: entries DW_TAG_call_site, or GNU's before DWARF 5. */
#ifndef GATECTL_DWARF_FRAMES_CALL_SITE_H
#define GATECTL_DWARF_FRAMES_CALL_SITE_H

#include "tracer/dwarf/units/entries.h"
#include "tracer/dwarf/frames/frame.h"

/* A function without its copies. */
struct call_owner {
	struct die_table *table;
	struct scope_ref scope;
	uint64_t low; /* where it begins, in the module */
};

/* "optimised out at this line; ...: WHY"; -1 */
int callsite_unavailable(struct error *err, const char *why);
/* The function that holds the offset. 0, or -1: no debug information tells. */
int callsite_owner(struct module *m, uint64_t offset, struct call_owner *out, struct error *err);

/* Over the calls of a function, those of its copies included. */
struct call_walk {
	const struct call_owner *in;
	uint64_t at; /* the entry that is next: begin with that of the function */
	unsigned depth, steps;
};
struct call_walk callsite_walk(const struct call_owner *in);
/* 1, 0 at the end, -1. */
int callsite_next(struct call_walk *w, struct entry *out, struct error *err);

/* The address behind the call; false: it does not say. */
bool callsite_return(const struct entry *site, uint64_t *out);
/* The entry of the function that it calls; 0: it does not say. */
uint64_t callsite_origin(const struct entry *site);
/* The end of the chain from an entry to what it is a copy or a definition of. */
int callsite_root(struct entry *e, struct error *err);
const char *callsite_linkage(const struct entry *e);

/* Functions between a frame and the one that it returns to which left by a jump: the innermost
   first, how many. 0 where that is not certain. (tailcalls.c) */
size_t tailcalls_between(const struct dwarf_frame *callee, const struct dwarf_frame *caller,
			 struct dwarf_frame *out, size_t most);

#endif
