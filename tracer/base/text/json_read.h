/* Reads JSON (RFC 8259) into a tree. */
#ifndef GATECTL_BASE_TEXT_JSON_READ_H
#define GATECTL_BASE_TEXT_JSON_READ_H

#include "tracer/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A value. {0} is null. The root owns the whole tree. */
struct json_value {
	enum json_kind kind;
	char *name;    /* of a member of an object; else NULL */
	char *text;    /* JSON_STRING, without escapes; else NULL */
	double number; /* JSON_NUMBER; 1 for true */
	/* Elements of an array, members of an object. */
	struct json_value *items;
	size_t count, capacity;
};

/* Reads the text as one value. Returns 0, or -1 with *err set: no JSON, or nested too deeply. */
int json_read(const char *text, struct json_value *out, struct error *err);
/* Returns the member of an object, or NULL; `v` may be NULL. */
const struct json_value *json_member(const struct json_value *v, const char *name);
/* Returns the member's text, or NULL if there is no such string. */
const char *json_member_text(const struct json_value *v, const char *name);
/* Returns the member's number, 1 for true, or `absent` if there is none. */
double json_member_number(const struct json_value *v, const char *name, double absent);
/* Frees the tree. */
void json_value_fini(struct json_value *v);

#endif
