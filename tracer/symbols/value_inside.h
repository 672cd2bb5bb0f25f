/* Between the files of value: parts of values, and the types of libraries that read naturally. */
#ifndef GATECTL_SYMBOLS_VALUE_INSIDE_H
#define GATECTL_SYMBOLS_VALUE_INSIDE_H

#include "tracer/symbols/types.h"

enum { TEXT_MAX = 1 << 20 };

bool value_is_record(const struct type *t); /* struct or union */
/* "'name'" for messages: how the type is spelled; the caller frees it. */
char *value_type_text(const struct type *t);
/* The part of `type` that begins `offset` bytes inside. */
int value_part(const struct symbols_value *v, const struct type *type, uint64_t offset,
	       struct symbols_value *out, struct error *err);
/* Bits of an integer, a character, a bool, an enumerator, a pointer; sign-extended as its type has
   it. -1 also where it is wider than 64 bits and does not fit. */
int value_integer(const struct symbols_value *v, int64_t *out, bool *is_unsigned,
		  struct error *err);
int value_float(const struct symbols_value *v, double *out, struct error *err);
/* What the pointer points to; library pointers are no pointers here. */
int value_follow(const struct symbols_value *v, struct symbols_value *out, struct error *err);

/* A member of this struct or union itself, its anonymous members and base classes: 1, 0: there is
   none, -1. */
int value_member(const struct symbols_value *v, const char *name, struct symbols_value *out,
		 struct error *err);
/* The direct base class whose name begins so: 1, 0, -1. */
int value_base(const struct symbols_value *v, const char *prefix, struct symbols_value *out,
	       struct error *err);
/* The part that a direct member is; of static ones their definition. */
int value_of_member(const struct symbols_value *v, const struct type_member *m,
		    struct symbols_value *out, struct error *err);
/* Is it there? Of Rust's enums only one variant is. 1, 0, -1 */
int value_has_variant(const struct symbols_value *v, const struct type_member *m,
		      struct error *err);
int value_static(const struct symbols_value *v, const struct type_member *m,
		 struct symbols_value *out, struct error *err);

/* n elements of `type` in a row. */
struct value_row {
	const struct type *type;
	uint64_t address, count;
	uint64_t first_bit; /* of vector<bool> */
	bool bits, text;    /* text: a string, rather than a row of characters */
};

/* Each: 1, with the answer; 0: it is no such thing; -1. */
/* std::atomic, std::optional with a value, std::reference_wrapper, std::array: what it holds. */
int natural_inner(const struct symbols_value *v, struct symbols_value *out, struct error *err);
/* std::unique_ptr and the like: the pointer that it holds. */
int natural_pointer(const struct symbols_value *v, struct symbols_value *out, struct error *err);
/* std::vector, std::string, ...; Rust's too. */
int natural_row(const struct symbols_value *v, struct value_row *out, struct error *err);
/* An empty std::optional. */
int natural_empty(const struct symbols_value *v, struct error *err);

int value_row_at(const struct symbols_value *v, const struct value_row *row, int64_t i,
		 struct symbols_value *out, struct error *err);
int value_row_text(const struct symbols_value *v, const struct value_row *row, struct str *out,
		   struct error *err);

#endif
