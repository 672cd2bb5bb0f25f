/* Compiles and matches Lua's patterns. */
#include "lua/pattern.h"

#include "lua/script_internal.h"

#include <ctype.h>
#include <string.h>

#define DEEPEST	    200
#define CHECK_EVERY 65536

enum item_kind {
	ITEM_END,      /* end of the pattern: it matches */
	ITEM_ONE,      /* one byte of the set, `repeat` times: 1 ? * + - */
	ITEM_OPEN,     /* ( */
	ITEM_CLOSE,    /* ) */
	ITEM_POSITION, /* () */
	ITEM_BALANCE,  /* %bxy */
	ITEM_FRONTIER, /* %f[set] */
	ITEM_AGAIN,    /* %1 */
	ITEM_TAIL,     /* $ at the end */
};

struct item {
	enum item_kind kind;
	char repeat;
	unsigned char open, close; /* BALANCE */
	int capture;		   /* CLOSE, AGAIN: index of the capture */
	unsigned char set[32];	   /* ONE, FRONTIER: a bit for each byte value */
};

struct pattern {
	bool anchored;
	struct item items[];
};

/* ---- compiling ------------------------------------------------------------------------------- */

struct compiler {
	lua_State *L;
	const char *at, *end;
	struct item *item; /* the item being compiled */
	int captures;
	bool open[PATTERN_CAPTURES];
};

static void set_add(unsigned char *set, unsigned char byte)
{
	set[byte / 8] |= (unsigned char)(1u << byte % 8);
}

static bool set_has(const unsigned char *set, char byte)
{
	unsigned char b = (unsigned char)byte;

	return set[b / 8] >> b % 8 & 1;
}

/* Adds the class or the byte after a %. */
static void set_add_escape(unsigned char *set, char name)
{
	static const struct {
		char name;
		int (*is)(int);
	} classes[] = {
		{'a', isalpha}, {'c', iscntrl}, {'d', isdigit}, {'g', isgraph}, {'l', islower},
		{'p', ispunct}, {'s', isspace}, {'u', isupper}, {'w', isalnum}, {'x', isxdigit},
	};
	unsigned char n = (unsigned char)name;

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].name != tolower(n))
			continue;
		for (int byte = 0; byte < 256; byte++)
			if (!classes[i].is(byte) == !islower(n))
				set_add(set, (unsigned char)byte);
		return;
	}
	set_add(set, n);
}

static char take_escaped(struct compiler *c)
{
	if (c->at == c->end)
		luaL_error(c->L, "malformed pattern (ends with '%%')");
	return *c->at++;
}

/* Adds one element of a [set]. */
static void compile_element(struct compiler *c, unsigned char *set)
{
	unsigned char from = (unsigned char)*c->at++, to = from;

	if (from == '%') {
		set_add_escape(set, take_escaped(c));
		return;
	}
	if (c->end - c->at >= 2 && c->at[0] == '-' && c->at[1] != ']') {
		to = (unsigned char)c->at[1];
		c->at += 2;
	}
	for (int byte = from; byte <= to; byte++)
		set_add(set, (unsigned char)byte);
}

/* Compiles a set, after its [. A ] at its start stands for itself. */
static void compile_set(struct compiler *c, unsigned char *set)
{
	bool negated = c->at < c->end && *c->at == '^';

	c->at += negated;
	do {
		if (c->at == c->end)
			luaL_error(c->L, "malformed pattern (missing ']')");
		compile_element(c, set);
	} while (c->at == c->end || *c->at != ']');
	c->at++;
	for (int i = 0; negated && i < 32; i++)
		set[i] = (unsigned char)~set[i];
}

static void compile_one(struct compiler *c, char byte)
{
	struct item *item = c->item;

	item->kind = ITEM_ONE;
	if (byte == '.')
		memset(item->set, 0xff, sizeof(item->set));
	else if (byte == '[')
		compile_set(c, item->set);
	else
		set_add(item->set, (unsigned char)byte);
}

static void compile_repeat(struct compiler *c)
{
	c->item->repeat = '1';
	if (c->at < c->end && *c->at && strchr("?*+-", *c->at))
		c->item->repeat = *c->at++;
}

static void compile_open(struct compiler *c)
{
	bool position = c->at < c->end && *c->at == ')';

	if (c->captures == PATTERN_CAPTURES)
		luaL_error(c->L, "too many captures");
	c->at += position;
	c->open[c->captures++] = !position;
	c->item->kind = position ? ITEM_POSITION : ITEM_OPEN;
}

static void compile_close(struct compiler *c)
{
	int i = c->captures - 1;

	while (i >= 0 && !c->open[i])
		i--;
	if (i < 0)
		luaL_error(c->L, "invalid pattern capture");
	c->open[i] = false;
	c->item->kind = ITEM_CLOSE;
	c->item->capture = i;
}

static void compile_balance(struct compiler *c)
{
	if (c->end - c->at < 2)
		luaL_error(c->L, "malformed pattern (missing arguments to '%%b')");
	c->item->kind = ITEM_BALANCE;
	c->item->open = (unsigned char)*c->at++;
	c->item->close = (unsigned char)*c->at++;
}

static void compile_frontier(struct compiler *c)
{
	if (c->at == c->end || *c->at != '[')
		luaL_error(c->L, "missing '[' after '%%f' in pattern");
	c->at++;
	c->item->kind = ITEM_FRONTIER;
	compile_set(c, c->item->set);
}

static void compile_again(struct compiler *c, char digit)
{
	int i = digit - '1';

	if (i < 0 || i >= c->captures || c->open[i])
		luaL_error(c->L, "invalid capture index %%%d", i + 1);
	c->item->kind = ITEM_AGAIN;
	c->item->capture = i;
}

static void compile_escape(struct compiler *c)
{
	char name = take_escaped(c);

	if (name == 'b') {
		compile_balance(c);
	} else if (name == 'f') {
		compile_frontier(c);
	} else if (isdigit((unsigned char)name)) {
		compile_again(c, name);
	} else {
		c->item->kind = ITEM_ONE;
		set_add_escape(c->item->set, name);
		compile_repeat(c);
	}
}

static void compile_item(struct compiler *c)
{
	char byte = *c->at++;

	if (byte == '(') {
		compile_open(c);
	} else if (byte == ')') {
		compile_close(c);
	} else if (byte == '%') {
		compile_escape(c);
	} else if (byte == '$' && c->at == c->end) {
		c->item->kind = ITEM_TAIL;
	} else {
		compile_one(c, byte);
		compile_repeat(c);
	}
}

struct pattern *pattern_compile(lua_State *L, const char *text, size_t length, bool anchors)
{
	size_t size = sizeof(struct pattern) + (length + 1) * sizeof(struct item);
	struct pattern *p = lua_newuserdatauv(L, size, 0);
	struct compiler c = {.L = L, .at = text, .end = text + length, .item = p->items};

	memset(p, 0, size);
	p->anchored = anchors && length > 0 && text[0] == '^';
	for (c.at += p->anchored; c.at < c.end; c.item++)
		compile_item(&c);
	for (int i = 0; i < c.captures; i++)
		if (c.open[i])
			luaL_error(L, "unfinished capture");
	return p;
}

bool pattern_anchored(const struct pattern *p)
{
	return p->anchored;
}

/* ---- matching -------------------------------------------------------------------------------- */

static const char *go(struct match *m, const char *at, const struct item *item);

/* Matches the rest of the pattern. The recursion is bounded by its length and by DEEPEST. */
static const char *rest(struct match *m, const char *at, const struct item *item)
{
	const char *end;

	if (++m->depth > DEEPEST)
		luaL_error(m->L, "pattern too complex");
	end = go(m, at, item + 1);
	m->depth--;
	return end;
}

static bool pattern_fits(const struct match *m, const char *at, const struct item *item)
{
	return at < m->end && set_has(item->set, *at);
}

static const char *most_first(struct match *m, const char *at, const struct item *item)
{
	const char *least = item->repeat == '+' ? at + 1 : at, *most = at, *end;

	while (pattern_fits(m, most, item))
		most++;
	m->steps += (unsigned)(most - at);
	for (; most >= least; most--)
		if ((end = rest(m, most, item)))
			return end;
	return NULL;
}

static const char *least_first(struct match *m, const char *at, const struct item *item)
{
	const char *end;

	while (!(end = rest(m, at, item)))
		if (!pattern_fits(m, at++, item))
			return NULL;
	return end;
}

static const char *open_capture(struct match *m, const char *at, const struct item *item)
{
	const char *end;

	m->captures[m->count].start = at;
	m->captures[m->count++].length = item->kind == ITEM_OPEN ? CAPTURE_OPEN : CAPTURE_POSITION;
	end = rest(m, at, item);
	if (!end)
		m->count--;
	return end;
}

static const char *close_capture(struct match *m, const char *at, const struct item *item)
{
	const char *end;

	m->captures[item->capture].length = at - m->captures[item->capture].start;
	end = rest(m, at, item);
	if (!end)
		m->captures[item->capture].length = CAPTURE_OPEN;
	return end;
}

static const char *balance(struct match *m, const char *at, const struct item *item)
{
	size_t depth = 0;

	if (at == m->end || (unsigned char)*at != item->open)
		return NULL;
	for (; at < m->end; at++, m->steps++) {
		if ((unsigned char)*at == item->close && depth > 0) {
			if (--depth == 0)
				return at + 1;
		} else if ((unsigned char)*at == item->open) {
			depth++;
		}
	}
	return NULL;
}

static bool frontier(const struct match *m, const char *at, const struct item *item)
{
	char before = at > m->text ? at[-1] : '\0', here = at < m->end ? *at : '\0';

	return !set_has(item->set, before) && set_has(item->set, here);
}

static const char *again(const struct match *m, const char *at, const struct item *item)
{
	ptrdiff_t length = m->captures[item->capture].length;

	if (length < 0)
		luaL_error(m->L, "invalid capture index %%%d", item->capture + 1);
	if (m->end - at < length || memcmp(at, m->captures[item->capture].start, (size_t)length))
		return NULL;
	return at + length;
}

/* Matches an item that needs no backtracking. Returns the end of the match, or NULL. */
static const char *simple(struct match *m, const char *at, const struct item *item)
{
	switch (item->kind) {
	case ITEM_ONE:
		return pattern_fits(m, at, item) ? at + 1 : NULL;
	case ITEM_BALANCE:
		return balance(m, at, item);
	case ITEM_FRONTIER:
		return frontier(m, at, item) ? at : NULL;
	case ITEM_AGAIN:
		return again(m, at, item);
	default:
		return at == m->end ? at : NULL; /* ITEM_TAIL */
	}
}

static const char *one_or_none(struct match *m, const char *at, const struct item *item)
{
	const char *end = pattern_fits(m, at, item) ? rest(m, at + 1, item) : NULL;

	return end ? end : rest(m, at, item);
}

static const char *go(struct match *m, const char *at, const struct item *item)
{
	for (; at && item->kind != ITEM_END; item++) {
		if (++m->steps >= CHECK_EVERY) {
			m->steps = 0;
			budget_check(m->L);
		}
		if (item->kind == ITEM_OPEN || item->kind == ITEM_POSITION)
			return open_capture(m, at, item);
		if (item->kind == ITEM_CLOSE)
			return close_capture(m, at, item);
		if (item->kind != ITEM_ONE || item->repeat == '1')
			at = simple(m, at, item);
		else if (item->repeat == '?')
			return one_or_none(m, at, item);
		else if (item->repeat == '-')
			return least_first(m, at, item);
		else
			return most_first(m, at, item);
	}
	return at;
}

void pattern_begin(struct match *m, lua_State *L, const struct pattern *p, const char *text,
		   size_t length)
{
	m->L = L;
	m->pattern = p;
	m->text = text;
	m->end = text + length;
	m->steps = 0;
}

const char *pattern_match(struct match *m, const char *at)
{
	m->count = 0;
	m->depth = 0;
	return go(m, at, m->pattern->items);
}
