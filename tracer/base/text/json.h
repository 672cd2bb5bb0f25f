/* Writes JSON (RFC 8259) to a string. Commas and nesting are handled here, the order of
   calls is the caller's. */
#ifndef GATECTL_BASE_TEXT_JSON_H
#define GATECTL_BASE_TEXT_JSON_H

#include "tracer/base/text/str.h"

struct json {
	struct str out;
	bool comma; /* the next value needs a comma before it */
};

/* Begins an object. In all functions `name` is the member's name, or NULL in an
   array and at the top. */
void json_object(struct json *j, const char *name);
/* Begins an array. */
void json_array(struct json *j, const char *name);
/* Ends an object. */
void json_end_object(struct json *j);
/* Ends an array. */
void json_end_array(struct json *j);
/* Writes a string, or null if `value` is NULL. */
void json_string(struct json *j, const char *name, const char *value);
/* Writes an integer. */
void json_integer(struct json *j, const char *name, long long value);
/* Writes a number with 12 digits, or null if it is not finite. */
void json_number(struct json *j, const char *name, double value);
/* Writes true or false. */
void json_bool(struct json *j, const char *name, bool value);
/* Frees the text. */
void json_fini(struct json *j);

#endif
