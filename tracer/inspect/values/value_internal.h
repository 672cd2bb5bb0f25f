/*
 * Parts of values, and pretty-printing of library types. Functions that return int return 0, or -1
 * with *err set, unless their comment says otherwise.
 */
#ifndef GATECTL_INSPECT_VALUES_VALUE_INTERNAL_H
#define GATECTL_INSPECT_VALUES_VALUE_INTERNAL_H

#include "tracer/inspect/inspect.h"
#include "tracer/source/types/types.h"

enum { TEXT_MAX = 1 << 20 };

struct inspect_value value_in_memory(const struct dwarf_program *p, const struct type *t,
				     uint64_t address);
struct inspect_value value_of_bytes(const struct dwarf_program *p, const struct type *t,
				    const void *bytes, size_t n);
/* Replaces references by what they refer to, and an incomplete type by its definition. */
int value_whole(struct inspect_value *v, struct error *err);
/* Reads n bytes of the value from offset `from` on. */
int value_read(const struct inspect_value *v, uint64_t from, void *buf, size_t n,
	       struct error *err);
/* Reads the address that a pointer or a reference holds. */
int value_address(const struct inspect_value *v, uint64_t *out, struct error *err);
/* Sets the error "NAME is optimised out at this line". Returns -1. */
int value_optimised_out(struct error *err, const char *name);

bool value_is_record(const struct type *t); /* struct or union */
/* Sets an error whose text is `fmt`; its one %s becomes the type's name. Returns -1. */
int value_error(const struct type *t, struct error *err, const char *fmt);
/* True if the type is signed. An enumeration has the sign of its underlying type. */
bool value_signed(const struct type *t);
/* True if `bits` bits of the type can hold the number. */
bool value_fits(const struct type *t, unsigned bits, int64_t number, bool is_unsigned);
/* Reads all bits of an integer or a bit-field, at most 128, extended by the sign of its type. */
int value_bits(const struct inspect_value *v, unsigned __int128 *out, struct error *err);
/* Writes the bytes of a floating-point number of this type. Returns their count, 0 if no type
   has that size. */
size_t value_real_bytes(const struct type *t, long double number, uint8_t out[16]);
int value_real(const struct inspect_value *v, long double *out, struct error *err);
/* Returns an INTEGER, BOOL, ENUM or FLOAT as a double. */
double plain_real(const struct inspect_plain *p);
/* Finds an enumerator by its name, "RED" or "Colour::RED", in a type whose members are read.
   Returns NULL if there is none. */
const struct type_enumerator *value_enumerator(const struct type *t, const char *name);
/* Converts to an integer. Returns false if the number has a fraction or is too large. */
bool value_whole_number(double number, int64_t *out);
/* Makes the value of type `type` that begins `offset` bytes inside v. */
int value_part(const struct inspect_value *v, const struct type *type, uint64_t offset,
	       struct inspect_value *out, struct error *err);
/* Reads an integer, character, bool, enumerator or pointer, extended by the sign of its type. A
   number of more than 64 bits is an error. */
int value_integer(const struct inspect_value *v, int64_t *out, bool *is_unsigned,
		  struct error *err);
/* Makes the value that a pointer points to. A smart pointer is not accepted. */
int value_follow(const struct inspect_value *v, struct inspect_value *out, struct error *err);

/* Finds a member of the struct or union itself, of its anonymous members and of its base
   classes. Returns 1, 0 if there is none, or -1 with *err set. */
int value_member(const struct inspect_value *v, const char *name, struct inspect_value *out,
		 struct error *err);
/* Finds the direct base class whose name begins with `prefix`. Returns 1, 0, or -1 with *err
   set. */
int value_base(const struct inspect_value *v, const char *prefix, struct inspect_value *out,
	       struct error *err);
/* Makes the value of a direct member; a static one is found by its definition. */
int value_of_member(const struct inspect_value *v, const struct type_member *m,
		    struct inspect_value *out, struct error *err);
/* True if the member exists in this value: only one variant of a Rust enum does. Returns 1, 0,
   or -1 with *err set. */
int value_has_variant(const struct inspect_value *v, const struct type_member *m,
		      struct error *err);
int value_static(const struct inspect_value *v, const struct type_member *m,
		 struct inspect_value *out, struct error *err);

struct type_layout;

/* The elements of a library type. */
struct value_row {
	const struct type *type; /* type of the elements; of the values of a map */
	const struct type *key;	 /* type of the keys of a map; NULL: not a map */
	const struct type_layout *layout;
	uint64_t address, count; /* address of the first element, node, or pointer to a block */
	/* elements of a block; elements of the first block that are not in use */
	uint64_t block, skipped;
	uint64_t key_at, value_at; /* offsets in a node */
	/* node of the last element that was read, and its index; 0: none yet */
	uint64_t node, index;
	bool text; /* a string, not a vector of characters */
};

/* ---- library types -------------------------------------------------------------------------- */
/* Makes the value inside a std::atomic, std::reference_wrapper, std::array, or non-empty
   std::optional or std::variant. Returns 1, 0 for other types, or -1 with *err set. */
int pretty_inner(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* Makes the pointer that a std::unique_ptr or another smart pointer holds. Returns 1, 0 for other
   types, or -1 with *err set. */
int pretty_pointer(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* Finds the elements of a container or a string. Returns 1, 0 for other types, or -1 with *err set.
   (elements.c) */
int pretty_row(const struct inspect_value *v, struct value_row *out, struct error *err);
/* Returns 1 for an empty std::optional or std::variant, 0 for other values, or -1 with *err set. */
int pretty_empty(const struct inspect_value *v, struct error *err);
/* Finds which type the value of a std::variant has. Returns 1 with *index set, 0 if it has no
   value, or -1 with *err set. */
int pretty_alternative(const struct inspect_value *v, unsigned *index, struct error *err);
/* Appends a std::function, duration or time_point as the function or the time that it stands for.
   Returns false for other types, and for those that cannot be read. (described.c) */
bool pretty_described(const struct inspect_value *v, struct str *out);

/* Goes one layer in: the pointer of a smart pointer, or the value of a wrapper. Returns 1, 0 if
   there is none, or -1 with *err set. */
int value_layer(const struct inspect_value *v, struct inspect_value *out, struct error *err);
/* Returns false for a library type that stands for something else (a std::string, a
   std::unique_ptr). */
bool value_is_itself(const struct inspect_value *v);

/* Follows layers to a value that has elements. Returns 1 with *row set, 0 if it ends at an
   array, a pointer or neither, or -1 with *err set. */
int value_elements(struct inspect_value *v, struct value_row *row, struct error *err);
/* Makes the i-th element, i < row->count; of a map, the i-th value or key. */
int value_row_at(const struct inspect_value *v, struct value_row *row, uint64_t i,
		 struct inspect_value *out, struct error *err);
int value_row_key(const struct inspect_value *v, struct value_row *row, uint64_t i,
		  struct inspect_value *out, struct error *err);
/* True if objects of the type are strings of a library. */
bool value_is_text(const struct inspect_value *v, const struct type *t);
/* True if the elements are contiguous in memory: arrays and vectors, but not std::vector<bool>. */
bool value_has_row(const struct inspect_value *v);
int value_row_text(const struct inspect_value *v, const struct value_row *row, struct str *out,
		   struct error *err);

#endif
