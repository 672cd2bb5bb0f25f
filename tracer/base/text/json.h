/* Writes JSON (RFC 8259) into a string; commas and nesting are kept here, order is the caller's. */
#ifndef GATECTL_BASE_TEXT_JSON_H
#define GATECTL_BASE_TEXT_JSON_H

#include "tracer/base/text/str.h"

struct json {
	struct str out;
	bool comma; /* the next value needs a comma before it */
};

/* `name` is the member's name inside an object, and NULL inside an array or at the top. */
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_end_object(struct json *j);
void json_end_array(struct json *j);
void json_string(struct json *j, const char *name, const char *value); /* NULL writes null */
void json_integer(struct json *j, const char *name, long long value);
void json_number(struct json *j, const char *name, double value);
void json_bool(struct json *j, const char *name, bool value);
void json_fini(struct json *j);

#endif
