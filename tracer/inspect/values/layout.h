/*
 * Layouts of library types: one table for libstdc++ (gcc 12), libc++ (14) and Rust. The qualified
 * name of a type selects a row; the debug information gives its parts by the names of members.
 */
#ifndef GATECTL_INSPECT_VALUES_LAYOUT_H
#define GATECTL_INSPECT_VALUES_LAYOUT_H

#include "tracer/inspect/values/value_internal.h"

enum layout_kind {
	LAYOUT_NONE,
	LAYOUT_POINTER, /* first: the pointer that it holds */
	LAYOUT_INNER,	/* first: the value that it holds */
	LAYOUT_VARIANT, /* first: where the value lies; engaged: number of its type */
	/* described.c: */
	/* first: code or a table of functions whose symbol names the target's type; engaged: NULL
	   without a target; functor: memory of the target */
	LAYOUT_FUNCTION,
	LAYOUT_DURATION, /* first: number of ticks */
	LAYOUT_TIME,	 /* first: duration since the clock's epoch */
	/* elements.c: */
	LAYOUT_STRING, /* a pointer and a length, at known offsets */
	LAYOUT_SHORT,  /* libc++'s string: a short one begins with a byte that holds its length */
	LAYOUT_ROW,    /* first: pointer to the first element */
	LAYOUT_BITS,   /* first: pointer to the first word */
	LAYOUT_BLOCKS, /* first: pointer to the first of the pointers to blocks */
	LAYOUT_LINKS,  /* first: pointer to the first node */
	LAYOUT_TREE,   /* first: pointer to the leftmost node */
};

/* Parts are paths: names of members separated by dots. ":NAME" is the base class whose name begins
   with NAME, "*" a pointer's pointee, "?" the first pointer anywhere inside. '|' separates the
   paths of different versions of a library. */
struct type_layout {
	const char *begins; /* beginning of the qualified name */
	enum layout_kind kind;
	bool rust, text, map;
	const char *first, *end; /* end: pointer past the last element */
	const char *count;	 /* elements; LAYOUT_BITS with an end: bits past the end */
	const char *engaged;	 /* path of a number that is `none` while the object is empty */
	int64_t none;
	const char *functor;
	/* vector: pointer past the memory; LAYOUT_BITS without an end: number of words */
	const char *room;
	const char *head; /* LAYOUT_LINKS: node in the container that ends a circular list */
	/* offsets in a node; `next` of a LAYOUT_TREE is the left child */
	uint8_t next, right, parent;
	uint8_t value;	     /* bytes of a node before its value, without padding */
	uint16_t block;	     /* LAYOUT_BLOCKS: bytes of a block */
	uint8_t block_least; /* LAYOUT_BLOCKS: least number of elements of a block */
};

/* Returns the layout of the value's type, never NULL: its kind is LAYOUT_NONE for other types. */
const struct type_layout *layout_of(const struct inspect_value *v);
/* Finds the part at the end of the path. Returns 1, 0 if a null pointer or a missing member is
   on the way, or -1 with *err set. */
int layout_part(const struct inspect_value *v, const char *path, struct inspect_value *out,
		struct error *err);
/* Reads a part that is a number or a pointer. Returns 0, or -1 with *err set, also if there is
   no such part. */
int layout_number(const struct inspect_value *v, const char *path, uint64_t *out,
		  struct error *err);
/* Sets the error of an object that is not constructed yet or already destroyed. Returns -1. */
int layout_invalid(const struct inspect_value *v, struct error *err);
/* Returns the size of an object in bytes, 0 if unknown. clang only declares std::string, whose
   size is known here. */
uint64_t layout_size(const struct dwarf_program *p, const struct type *t);

#endif
