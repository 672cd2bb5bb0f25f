/* Between the files of value: parts of values, and pretty-printing of library types. */
#ifndef GATECTL_INSPECT_VALUES_VALUE_INTERNAL_H
#define GATECTL_INSPECT_VALUES_VALUE_INTERNAL_H

#include "tracer/inspect/inspect.h"
#include "tracer/source/types/types.h"

enum { TEXT_MAX = 1 << 20 };

struct inspect_value value_in_memory(const struct dwarf_program *p, const struct type *t,
				     uint64_t address);
struct inspect_value value_of_bytes(const struct dwarf_program *p, const struct type *t,
				    const void *bytes, size_t n);
/* References seen through. */
int value_whole(struct inspect_value *v, struct error *err);
/* n bytes of the value from `from` on; the error says where and why not. */
int value_read(const struct inspect_value *v, uint64_t from, void *buf, size_t n,
	       struct error *err);
/* A pointer's address. */
int value_address(const struct inspect_value *v, uint64_t *out, struct error *err);
/* "optimised out at this line" */
int value_optimised_out(struct error *err, const char *name);

bool value_is_record(const struct type *t); /* struct or union */
/* An error; the one %s of its text is how the type is spelled. -1. */
int value_error(const struct type *t, struct error *err, const char *fmt);
/* Has its type a sign? Of an enumeration that is the underlying type's. */
bool value_signed(const struct type *t);
/* Does the number fit into so many bits of the type? */
bool value_fits(const struct type *t, unsigned bits, int64_t number, bool is_unsigned);
/* All bits of an integer or bit-field, at most 128, extended as its type has it. */
int value_bits(const struct inspect_value *v, unsigned __int128 *out, struct error *err);
/* The bytes of a floating-point number of this type: how many, 0: it is of no such size. */
size_t value_real_bytes(const struct type *t, long double number, uint8_t out[16]);
int value_real(const struct inspect_value *v, long double *out, struct error *err);
/* The number that an INTEGER, BOOL, ENUM or FLOAT is. */
double plain_real(const struct inspect_plain *p);
/* "RED" and "Colour::RED" of an enumeration whose members are read; NULL: it has none of this name. */
const struct type_enumerator *value_enumerator(const struct type *t, const char *name);
/* False: it has a fraction, or is too large. */
bool value_whole_number(double number, int64_t *out);
/* The part of `type` that begins `offset` bytes inside. */
int value_part(const struct inspect_value *v, const struct type *type, uint64_t offset,
	       struct inspect_value *out, struct error *err);
/* Bits of an integer, a character, a bool, an enumerator, a pointer; sign-extended as its type has
   it. -1 also where it is wider than 64 bits and does not fit. */
int value_integer(const struct inspect_value *v, int64_t *out, bool *is_unsigned,
		  struct error *err);
/* What the pointer points to; library pointers are no pointers here. */
int value_follow(const struct inspect_value *v, struct inspect_value *out, struct error *err);

/* A member of this struct or union itself, its anonymous members and base classes: 1, 0: there is
   none, -1. */
int value_member(const struct inspect_value *v, const char *name, struct inspect_value *out,
		 struct error *err);
/* The direct base class whose name begins so: 1, 0, -1. */
int value_base(const struct inspect_value *v, const char *prefix, struct inspect_value *out,
	       struct error *err);
/* The part that a direct member is; of static ones their definition. */
int value_of_member(const struct inspect_value *v, const struct type_member *m,
		    struct inspect_value *out, struct error *err);
/* Is it there? Of Rust's enums only one variant is. 1, 0, -1 */
int value_has_variant(const struct inspect_value *v, const struct type_member *m,
		      struct error *err);
int value_static(const struct inspect_value *v, const struct type_member *m,
		 struct inspect_value *out, struct error *err);

struct type_layout;

/* The elements of a library type. */
struct value_row {
	const struct type *type; /* of the elements; of a map, of its values */
	const struct type *key;	 /* of a map's keys; NULL: no map */
	const struct type_layout *layout;
	uint64_t address, count;   /* of the first element, node, or pointer to a block */
	uint64_t block, skipped;   /* elements of a block; those before the first one */
	uint64_t key_at, value_at; /* offsets in a node */
	uint64_t node, index;	   /* the node of the last element asked for, and its number */
	bool text;		   /* a string, rather than a row of characters */
};

/* Each: 1, with the answer; 0: it is no such thing; -1. */
/* std::atomic, std::optional with a value, std::reference_wrapper, std::array: what it holds. */
int pretty_inner(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* std::unique_ptr and the like: the pointer that it holds. */
int pretty_pointer(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* Containers and strings. (elements.c) */
int pretty_row(const struct inspect_value *v, struct value_row *out, struct error *err);
/* An empty std::optional. */
int pretty_empty(const struct inspect_value *v, struct error *err);

/* One layer in: the pointer of a smart pointer, or what is inside. 1, 0: there is none, -1. */
int value_layer(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* False: it stands for something else (a std::string, a std::unique_ptr). */
bool value_is_itself(const struct inspect_value *v);

/* Follows layers to something that has elements: 1 with *row, 0: an array, a pointer or neither, -1. */
int value_elements(struct inspect_value *v, struct value_row *row, struct error *err);
/* The i-th element, i below row->count. Of a map: its value, and its key. */
int value_row_at(const struct inspect_value *v, struct value_row *row, uint64_t i,
		 struct inspect_value *out, struct error *err);
int value_row_key(const struct inspect_value *v, struct value_row *row, uint64_t i,
		  struct inspect_value *out, struct error *err);
/* Objects of the type are strings of a library. */
bool value_is_text(const struct inspect_value *v, const struct type *t);
/* The elements lie one after the other in memory: arrays, and rows of whole bytes. */
bool value_has_row(const struct inspect_value *v);
int value_row_text(const struct inspect_value *v, const struct value_row *row, struct str *out,
		   struct error *err);

#endif
