/*
 * Lua's patterns, bounded by the budget.
 *
 * Lua's own matcher backtracks in a C loop that no hook can stop: one bad pattern would hang the
 * run. This matcher checks the budget. Patterns are those of the Lua 5.4 manual, section 6.4.1; a
 * malformed pattern is an error at once, even if matching would not reach the malformed part.
 */
#ifndef GATECTL_LUA_PATTERN_H
#define GATECTL_LUA_PATTERN_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#define PATTERN_CAPTURES 32

struct pattern;

/*
 * Compiles the pattern into a userdata, which it pushes and returns. With `anchors` a leading ^ is
 * an anchor. Raises an error if the pattern is malformed.
 */
struct pattern *pattern_compile(lua_State *L, const char *text, size_t length, bool anchors);
/* True if the pattern matches only at the start. */
bool pattern_anchored(const struct pattern *p);

struct match {
	lua_State *L;
	const struct pattern *pattern;
	const char *text, *end; /* the subject */
	unsigned steps, depth;
	int count; /* number of captures */
	struct {
		const char *start;
		ptrdiff_t length; /* bytes, or one of: */
#define CAPTURE_OPEN	 (-1)
#define CAPTURE_POSITION (-2)
	} captures[PATTERN_CAPTURES];
};

/* Prepares *m for matching the text, which must outlive it, as must the pattern. */
void pattern_begin(struct match *m, lua_State *L, const struct pattern *p, const char *text,
		   size_t length);
/*
 * Matches at `at`. Returns the end of the match, or NULL. Raises an error if the budget is used up.
 */
const char *pattern_match(struct match *m, const char *at);

#endif
