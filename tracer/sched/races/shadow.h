/*
 * What is remembered of memory: cells of eight bytes, found by their address. The bytes of a cell that have
 * always been accessed together are one variable.
 */
#ifndef GATECTL_SCHED_RACES_SHADOW_H
#define GATECTL_SCHED_RACES_SHADOW_H

#include "tracer/base/array.h"
#include "tracer/sched/races/map.h"

/* An access, and when its thread did it: its epoch. */
struct shadow_seen {
	uint32_t clock; /* 0: there was none */
	uint16_t thread;
	bool writes, atomic;
	uint32_t place, locks; /* numbers */
};

struct shadow_variable {
	uint8_t bytes;		  /* of its cell, a bit each */
	bool shared;		  /* several threads have touched it */
	uint32_t next;		  /* of the cell */
	struct shadow_seen write; /* the last one */
	struct shadow_seen
		read;	 /* since then, the last one that all others of them happen before ... */
	uint32_t reads;	 /* ... or, if there is none, each thread's last one */
	uint16_t owner;	 /* while not `shared`: who touched it, */
	uint32_t places; /* and where */
};

/* Of the lists below. Numbers of all these are index + 1, 0 is none. */
struct place_link {
	uint32_t place, next;
};
struct read_list {
	ARRAY(struct shadow_seen) list;
	uint32_t next; /* of those that are free */
};

/* Whom an access is told to. */
struct shadow_user {
	/* Has what was seen happened before what this thread does now? */
	bool (*is_ordered)(void *ctx, const struct shadow_seen *before);
	void (*race)(void *ctx, uint64_t address, const struct shadow_seen *before,
		     const struct shadow_seen *now);
	void (*shared)(void *ctx, uint32_t place);
	void *ctx;
};

struct shadow {
	struct shadow_user user;
	struct map cells;
	ARRAY(struct shadow_variable) variables;
	ARRAY(struct place_link) links;
	ARRAY(struct read_list) reads;
	uint32_t free_variable, free_link, free_reads;
};

void shadow_access(struct shadow *s, uint64_t address, uint64_t size,
		   const struct shadow_seen *now);
/* Tells which of what was seen there races with it, and keeps nothing of it. */
void shadow_compare(struct shadow *s, uint64_t address, uint64_t size,
		    const struct shadow_seen *now);
void shadow_forget(struct shadow *s, uint64_t address, uint64_t size);
void shadow_clear(struct shadow *s);
void shadow_fini(struct shadow *s);

#endif
