/*
 * Lua's patterns, with a bound.
 *
 * Lua's own matcher backtracks in a C loop that no hook can stop: one bad pattern would hang the
 * run. This one checks the budget. Patterns are those of the reference manual, section 6.4.1; a
 * malformed one is an error at once, even where matching would never reach the malformed part.
 */
#ifndef GATECTL_LUA_PATTERN_H
#define GATECTL_LUA_PATTERN_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#define PATTERN_CAPTURES 32

struct pattern;

/* Compiles into a userdata on top of the stack. `anchors`: a ^ in front is an anchor. */
struct pattern *pattern_compile(lua_State *L, const char *text, size_t length, bool anchors);
bool pattern_anchored(const struct pattern *p);

struct match {
	lua_State *L;
	const struct pattern *pattern;
	const char *text, *end; /* the subject */
	unsigned steps, depth;
	int count; /* of captures */
	struct {
		const char *start;
		ptrdiff_t length; /* or one of these: */
#define CAPTURE_OPEN	 (-1)
#define CAPTURE_POSITION (-2)
	} captures[PATTERN_CAPTURES];
};

void pattern_begin(struct match *m, lua_State *L, const struct pattern *p, const char *text,
		   size_t length);
/* Matches at `at`; the end of the match, or NULL. Raises an error when the budget is used up. */
const char *pattern_match(struct match *m, const char *at);

#endif
