/*
 * Layouts of library types: one table for libstdc++ (gcc 12), libc++ (14) and Rust. The qualified
 * name of a type selects a row; the debug information gives the parts by the names of members.
 *
 * A path leads to a part: member names separated by dots. ":NAME" is the base class whose name
 * begins so, "*" is what a pointer points to, "?" is the first pointer anywhere inside. '|'
 * separates paths of different versions of a library.
 */
#ifndef GATECTL_INSPECT_VALUES_LAYOUT_H
#define GATECTL_INSPECT_VALUES_LAYOUT_H

#include "tracer/inspect/values/value_internal.h"

enum layout_kind {
	LAYOUT_NONE,
	LAYOUT_POINTER, /* first: the pointer that it holds */
	LAYOUT_INNER,	/* first: the value that it holds */
	LAYOUT_STRING,	/* a pointer and a length, at known offsets */
	LAYOUT_SHORT,	/* libc++'s string: short ones begin with a byte of length */
	LAYOUT_ROW,	/* first: a pointer to the first element */
	LAYOUT_BITS,	/* first: a pointer to the first of its words */
	LAYOUT_BLOCKS,	/* first: a pointer to the first of its pointers to blocks */
	LAYOUT_LINKS,	/* first: a pointer to the first node */
	LAYOUT_TREE,	/* first: a pointer to the leftmost node */
};

struct type_layout {
	const char *begins; /* of the qualified name */
	enum layout_kind kind;
	bool rust, text, map;
	const char *first, *end; /* end: a pointer behind the last element */
	const char *count;	 /* elements; of BITS with an end: bits behind the end */
	const char *engaged;	 /* a number that is `none` while nothing is held */
	int64_t none;
	const char *head;	     /* LINKS: the node in the container that ends a circle */
	uint8_t next, right, parent; /* offsets in a node; `next` of a TREE is left */
	uint8_t value;		     /* bytes of a node before its value, without padding */
	uint16_t block;		     /* BLOCKS: bytes of a block */
	uint8_t block_least;	     /* elements of a block, where one is larger than a block */
};

/* Never NULL: LAYOUT_NONE for other types. */
const struct type_layout *layout_of(const struct inspect_value *v);
/* The part at the end of the path: 1, 0: a null pointer or no such member on the way, -1. */
int layout_part(const struct inspect_value *v, const char *path, struct inspect_value *out,
		struct error *err);
/* A part that is a number or a pointer. -1 also if it is missing. */
int layout_number(const struct inspect_value *v, const char *path, uint64_t *out,
		  struct error *err);
/* The error of a value that was not constructed yet, or is destroyed. -1. */
int layout_invalid(const struct inspect_value *v, struct error *err);
/* Bytes of an object. clang declares std::string only. 0: not known. */
uint64_t layout_size(const struct dwarf_program *p, const struct type *t);

#endif
