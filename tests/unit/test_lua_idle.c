/*
 * When does a function do nothing? What its code says is compared with what it does, called with the same variables: where it is
 * said to do nothing it has to; and functions as testers write them are understood exactly.
 */
#include "lua/script_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned acted;

static int act(lua_State *L)
{
	(void)L;
	acted++;
	return 0;
}

static lua_State *new_state(void)
{
	lua_State *L = luaL_newstate();

	luaL_openlibs(L);
	lua_register(L, "act", act);
	return L;
}

/* The function is on top. */
static struct idle *idle_of(lua_State *L, const char *body, bool when)
{
	char text[2100];

	snprintf(text, sizeof(text), "local up, text = 5, 'x' return function(hit) %s end", body);
	if (luaL_dostring(L, text) != LUA_OK)
		fail_msg("%s: %s", text, lua_tostring(L, -1));
	return script_idle(L, when);
}

/*
 * The program: x and y, which are the arguments, too; a bool b; a pointer p to a struct with an integer n and a pointer q to another
 * one; z is text.
 */
enum kind { NONE, TEXT_VALUE, NUMBER, TRUTH, P, Q };

struct value {
	enum kind kind; /* P, Q: pointers */
	int64_t number; /* 0: NULL, false */
	bool faults;	/* on the way to it */
};

static struct value variable(const struct idle_variable *v, const int64_t values[2])
{
	const struct value all[] = {
		{NUMBER, values[0], false},    {NUMBER, values[1], false},
		{TRUTH, values[1] > 3, false}, {P, values[0] > 1, false},
		{TEXT_VALUE, 0, false},
	};

	if (!v->name)
		return v->number < 2 ? all[v->number] : (struct value){NONE, 0, false};
	for (size_t i = 0; i < 5; i++)
		if (strcmp(v->name, (const char *[]){"x", "y", "b", "p", "z"}[i]) == 0)
			return all[i];
	return (struct value){NONE, 0, false};
}

static struct value value_of(const struct idle *idle, size_t i, const int64_t values[2])
{
	const struct idle_variable *v = &idle->variables[i];
	struct value of;
	bool faults;

	if (v->of == IDLE_NOBODY)
		return variable(v, values);
	assert_true((size_t)v->of < i);
	of = value_of(idle, (size_t)v->of, values);
	faults = of.faults || !of.number;
	if ((of.kind == P || of.kind == Q) && v->name && strcmp(v->name, "n") == 0)
		return (struct value){NUMBER, values[of.kind == P], faults};
	if (of.kind == P && v->name && strcmp(v->name, "q") == 0)
		return (struct value){Q, values[1] < 100, faults};
	return (struct value){NONE, 0, false};
}

/* The function is on top. False: what it compares with is no integer. */
static bool constant_of(lua_State *L, const struct idle_test *t, int64_t *out)
{
	*out = t->constant;
	if (!t->outer)
		return true;
	assert_non_null(lua_getupvalue(L, -1, (int)t->outer));
	*out = lua_tointeger(L, -1);
	lua_pop(L, 1);
	return *out != 0; /* all that are integers are others */
}

static bool is_true(const struct idle_test *t, int64_t value, int64_t constant)
{
	switch (t->compare) {
	case IDLE_EQ:
		return value == constant;
	case IDLE_LT:
		return value < constant;
	case IDLE_LE:
		return value <= constant;
	case IDLE_GT:
		return value > constant;
	case IDLE_GE:
		return value >= constant;
	case IDLE_NIL:
	case IDLE_FALSE:
	case IDLE_FALSY:
		return !value;
	}
	return false;
}

static bool is_for(const struct idle_test *t, enum kind kind)
{
	bool pointer = kind == P || kind == Q;

	if (t->compare == IDLE_NIL)
		return pointer;
	if (t->compare == IDLE_FALSE)
		return kind == TRUTH;
	return t->compare == IDLE_FALSY ? pointer || kind == TRUTH : kind == NUMBER;
}

/* Can all of it be made? */
static bool is_made(lua_State *L, const struct idle *idle, const int64_t values[2])
{
	int64_t constant;

	for (size_t i = 0; i < idle->variable_count; i++) {
		enum kind kind = value_of(idle, i, values).kind;

		if ((idle->needed >> i & 1) &&
		    (kind <= TEXT_VALUE || ((idle->integers >> i & 1) && kind != NUMBER)))
			return false;
	}
	for (size_t i = 0; i < idle->count; i++)
		if (!constant_of(L, &idle->tests[i], &constant) ||
		    !is_for(&idle->tests[i], value_of(idle, idle->tests[i].variable, values).kind))
			return false;
	return true;
}

static bool is_idle(lua_State *L, const struct idle *idle, const int64_t values[2])
{
	int64_t constant;
	int at = 0;

	if (!is_made(L, idle, values))
		return false;
	while (at >= 0) {
		const struct idle_test *t = &idle->tests[at];
		struct value value = value_of(idle, t->variable, values);
		int next;

		if (value.faults)
			return false;
		constant_of(L, t, &constant);
		next = is_true(t, value.number & t->mask, constant) ? t->yes : t->no;
		assert_true(next < 0 || (next > at && (size_t)next < idle->count));
		assert_true(idle->needed >> t->variable & 1);
		at = next;
	}
	return at == IDLE_NOTHING;
}

static void push_struct(lua_State *L, int64_t n)
{
	lua_newtable(L);
	lua_pushinteger(L, n);
	lua_setfield(L, -2, "n");
}

static void push_variables(lua_State *L, const int64_t values[2])
{
	lua_newtable(L);
	lua_pushinteger(L, values[0]);
	lua_setfield(L, -2, "x");
	lua_pushinteger(L, values[1]);
	lua_setfield(L, -2, "y");
	lua_pushliteral(L, "text");
	lua_setfield(L, -2, "z");
	lua_pushboolean(L, values[1] > 3);
	lua_setfield(L, -2, "b");
	if (values[0] <= 1)
		return;
	push_struct(L, values[1]);
	if (values[1] < 100) {
		push_struct(L, values[0]);
		lua_setfield(L, -2, "q");
	}
	lua_setfield(L, -2, "p");
}

/* Calls the function on top, which stays; z is no number. */
static bool does_nothing(lua_State *L, const int64_t values[2], bool when)
{
	bool nothing;

	acted = 0;
	lua_pushvalue(L, -1);
	lua_newtable(L);
	push_variables(L, values);
	lua_setfield(L, -2, "var");
	lua_newtable(L);
	for (int i = 0; i < 2; i++) {
		lua_pushinteger(L, values[i]);
		lua_rawseti(L, -2, i);
	}
	lua_setfield(L, -2, "arg");
	lua_pushinteger(L, 7);
	lua_setfield(L, -2, "count");
	if (lua_pcall(L, 1, 1, 0) != LUA_OK)
		acted++; /* a fault is something, too */
	nothing = !acted && (!when || lua_toboolean(L, -1));
	lua_pop(L, 1);
	return nothing;
}

static const int64_t interesting[] = {INT64_MIN, -70000, -129,	-128,	   -1,	     0,	  1,
				      2,	 3,	 4,	5,	   6,	     127, 128,
				      4711,	 65536,	 70000, INT32_MAX, INT64_MAX};
enum { VALUES = sizeof(interesting) / sizeof(*interesting) };

static void compare(const char *body, bool when, bool exact)
{
	lua_State *L = new_state();
	struct idle *idle = idle_of(L, body, when);

	assert_int_equal(lua_gettop(L), 1);
	if (exact && !idle)
		fail_msg("not understood: %s", body);
	for (size_t i = 0; idle && i < (size_t)VALUES * VALUES; i++) {
		const int64_t values[2] = {interesting[i / VALUES], interesting[i % VALUES]};
		bool said = is_idle(L, idle, values), is = does_nothing(L, values, when);

		if (said != is && (said || exact))
			fail_msg("%s: x %lld, y %lld: said %d, is %d", body, (long long)values[0],
				 (long long)values[1], said, is);
	}
	idle_free(idle);
	lua_close(L);
}

static void test_as_testers_write(void **state)
{
	static const char *const run[] = {
		"if hit.var.x == 4711 then act() end",
		"if hit.var.x == 70000 then act() end",
		"if 3 == hit.var.x then act() end",
		"if hit.var.x ~= 3 then act() end",
		"if hit.var.x < 3 then act() end",
		"if hit.var.x <= 70000 then act() end",
		"if hit.var.x > -70000 then act() end",
		"if hit.var.x >= 3 then act() end",
		"if 3 < hit.var.x then act() end",
		"if 70000 <= hit.var.x then act() end",
		"if 70000 > hit.var.x then act() end",
		"if not (hit.var.x == 3) then act() end",
		"if hit.var.x == 3.0 then act() end",
		"if hit.var.x > 2.0 then act() end",
		"if hit.var.x > 2 and hit.var.y < 5 then act() end",
		"if hit.var.x == 2 or hit.var.y == 5 then act() end",
		"if hit.var.x > 2 and (hit.var.y < 5 or hit.var.x == 128) then act() end",
		"if hit.var.x > 2 then if hit.var.y == 3 then act() end end",
		"if hit.var.x > 2 then elseif hit.var.y == 3 then act() end",
		"if hit.var.x > 2 then act() elseif hit.var.y == 3 then act() end",
		"if hit.var.x ~= 2 then return end act()",
		"if hit.var.x ~= 2 then return nil end act()",
		"if hit.var.x ~= 2 then return true end act()",
		"local x, y = hit.var.x, hit.var.y if x >= 2 and x < 127 and y == 1 then act() end",
		"local v = hit.var if v.x == 1 then act() end",
		"local limit = 6 if hit.var.x == limit then act() end",
		"local limit <const> = 6 if hit.var.x == limit then act() end",
		"if hit.var.x == 5 then act(hit.var.z.name, hit.count) end",
		"if hit.var.x == 5 then for i = 1, 3 do act() end end",
		"if hit.var.x ~= 5 then else act() end",
		"if hit.arg[0] == 5 then act() end",
		"if hit.arg[1] < 5 and hit.var.y > 2 then act() end",
		"if hit.var.x & 4 ~= 0 then act() end",
		"if 4 & hit.var.x == 4 then act() end",
		"if hit.var.x & 6 & 12 == 0 and hit.var.y & -4 < 70000 then act() end",
		"if hit.arg[0] & 0xffff == 4464 then act() end",
		"if hit.var.x == up then act() end",
		"local up = up if up < hit.var.x and hit.var.y & 6 ~= up then act() end",
		"if hit.var.p then act() end",
		"if not hit.var.p then act() end",
		"if hit.var.p == nil then act() end",
		"if hit.var.p ~= nil then act() end",
		"if nil ~= hit.var.p then act() end",
		"if hit.var.b then act() end",
		"if hit.var.b == true then act() end",
		"if hit.var.b == false then act() end",
		"if hit.var.b ~= true and hit.var.x == 5 then act() end",
		"if hit.var.p.n == 5 then act() end",
		"if hit.var.p and hit.var.p.n == 5 then act() end",
		"if hit.var.p and hit.var.p.n & 4 == 4 then act() end",
		"local p = hit.var.p if p and p.q and p.q.n > 3 then act() end",
		"local p = hit.var.p if not p or p.n < 5 then return end act()",
		("local p = hit.var.p if not p then return end local q = p.q "
		 "if q and q.n == 4711 then act() end"),
		"local v = hit.var if v.p and (v.p.n == 2 or v.p.q ~= nil and v.b) then act() end",
		"if hit.var.x == 5 and hit.var.p.q.n == 3 then act() end",
	};
	static const char *const when[] = {
		"return hit.var.x ~= 5",
		"return hit.var.x == 5",
		"return hit.var.x < 5 or hit.var.y > 127",
		"return hit.var.x < 5 and hit.var.y > 127",
		"return not (hit.var.x == 5)",
		"if hit.var.x == 5 then return false end return true",
		"if hit.var.x == 5 then return end return true",
		"return hit.var.p ~= nil",
		"return hit.var.p == nil or hit.var.p.n ~= 5",
		"return not hit.var.b",
		"return hit.var.b",
		"return not hit.var.p",
		"if hit.var.x == 5 then return false end return hit.var.b",
		"return hit.var.p == nil or not hit.var.p.q",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(run) / sizeof(*run); i++)
		compare(run[i], false, true);
	for (size_t i = 0; i < sizeof(when) / sizeof(*when); i++)
		compare(when[i], true, true);
}

/* What is not understood is never said to do nothing. */
static void test_others(void **state)
{
	static const char *const bodies[] = {
		"",
		"act()",
		"act() if hit.var.x == 5 then act() end",
		"if hit.count == 7 then act() end",
		"if hit.var.z == 5 then act() end",
		"if hit.var.none == 5 then act() end",
		"if hit.var.z < 5 then act() end",
		"if hit.var.x == text then act() end",
		"if hit.var.x == act then act() end",
		"if up == 5 then return end act()",
		"if hit.var.x == 5 then up = 6 end",
		"up = up + 1 if hit.var.x == 5 then act() end",
		"if hit.var.x == hit.var.y then act() end",
		"if hit.var.x == '5' then act() end",
		"if hit.var.x == 2.5 then act() end",
		"if hit.var.x then act() end",
		"if hit.var.x == nil then act() end",
		"if hit.var.x == true then act() end",
		"if hit.var.x & 2 then act() end",
		"if hit.var.p == false then act() end",
		"if hit.var.b == nil then act() end",
		"if hit.var.b == 1 then act() end",
		"if hit.var.p == 5 then act() end",
		"if hit.var.p < 5 then act() end",
		"if hit.var.p == hit.var.p.q then act() end",
		"if hit.var.p[0] == 5 then act() end",
		"if hit.arg[0].n == 5 then act() end",
		"if (hit.var.x & 3).n == 5 then act() end",
		"local n = hit.var.p.n if hit.var.x == 5 then act() end",
		"local n = hit.var.p.n if hit.var.x == 5 and n == 3 then act() end",
		"local q = hit.var.p.q if hit.var.p.n == 5 then act(q) end",
		"local p = hit.var.p if hit.var.x ~= 5 then return end if p.n == 3 then act() end",
		"if hit.var.p.q then if hit.var.p.q.q then act() end end",
		"return hit.var.p",
		"return not hit.var.x",
		"if (hit.var.p & -1) == nil then act() end",
		"if hit.var.x == 5 and (hit.var.p & -1).n == 3 then act() end",
		"if hit.var.x == 5 then return true end return not (hit.var.b & -1)",
		"local bits = hit.var.p & 4 if hit.var.x == 5 then act(bits) end",
		"local bits = hit.var.b & -1 if hit.var.x == 5 then act(bits) end",
		"return hit.var.x & 4",
		"return not hit.var.z",
		"local no = not hit.var.b if no then act() end",
		"if hit.var.x == 5 then return not hit.var.b end",
		"return not hit.var.p.q",
		"return not hit.var.p.n",
		"return hit.var.p and hit.var.p.n ~= 5",
		"if hit.var.x % 4 == 1 then act() end",
		"if hit.var.x + 1 == 4 then act() end",
		"if -hit.var.x == 3 then act() end",
		"if hit.var.x & 2.0 == 2 then act() end",
		"if hit.var.x & hit.var.y == 2 then act() end",
		"if hit.var.x & up == 2 then act() end",
		"if hit.var.x | 2 == 2 then act() end",
		"if hit.arg[2] == 2 then act() end",
		"if hit.arg[hit.var.x] == 2 then act() end",
		"if hit.arg[-1] == 2 then act() end",
		"if hit.arg.x == 2 then act() end",
		"if hit.var[1] == 2 then act() end",
		"if hit.arg == 2 then act() end",
		"while hit.var.x ~= 5 do act() break end",
		"repeat local x = hit.var.x until x ~= 5 act()",
		"for i = 1, 2 do if hit.var.x == i then act() end end",
		"goto on ::back:: act() do return end ::on:: if hit.var.x == 5 then goto back end",
		"hit = {var = {x = 3}} if hit.var.x == 3 then act() end",
		"hit.var.x = 3 if hit.var.x == 3 then act() end",
		"local t = {x = 3} if t.x == 3 then act() end",
		"if hit['var'].x == 3 then act() end",
		"local y = hit.var.y.deep if hit.var.x == 5 then act() end",
		"if hit.var.x == 5 and hit.var.z.deep == 3 then act() end",
		"if hit.var.x == 5 or act() then act() end",
		"return hit.var.x",
		"return hit.var.x == 3 and 1 or nil",
		"return 1, 2",
		"return act()",
		"if hit.var.x == 5 then return hit.var.y end return false",
		"if hit.var.x == 5 then return 0 end return 'x'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		compare(bodies[i], false, false);
		compare(bodies[i], true, false);
	}
}

/* However much it does where it does something. */
static void test_long_bodies(void **state)
{
	static const char *const begins[] = {"if hit.var.x == 5 then ",
					     "if hit.var.x > 2 and hit.var.y ~= 4 then ",
					     "if hit.var.x < 3 then elseif hit.var.y == 4 then "};

	(void)state;
	for (unsigned calls = 1; calls < 300; calls += calls < 70 ? 1 : 23)
		for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
			char body[1900];

			snprintf(body, sizeof(body), "%s", begins[i]);
			for (unsigned k = 0; k < calls; k++)
				strcat(body, "act() ");
			strcat(body, "end");
			if (strlen(body) < sizeof(body) - 20)
				compare(body, false, true);
		}
}

static bool is_understood(const char *body)
{
	lua_State *L = new_state();
	struct idle *idle = idle_of(L, body, false);
	bool understood = idle;

	idle_free(idle);
	lua_close(L);
	return understood;
}

/* More tests and variables than there is room for. */
static void test_large(void **state)
{
	char body[1900] = "";

	(void)state;
	for (int i = 0; i < 40; i++)
		snprintf(body + strlen(body), sizeof(body) - strlen(body),
			 "if hit.var.x == %d then act() end ", i * 3 - 20);
	compare(body, false, false);
	assert_false(is_understood(body)); /* each of so many would have to be made */
	assert_false(is_understood("act() if hit.var.x == 5 then act() end"));
	assert_true(is_understood("if hit.var.x == 5 then act() end"));
	*body = 0;
	for (int i = 0; i < 24; i++)
		snprintf(body + strlen(body), sizeof(body) - strlen(body),
			 "if hit.var.%s%c == %d then act() end ", i % 2 ? "x" : "a",
			 i % 2 ? ' ' : 'a' + i, i);
	compare(body, false, false);
}

/* ---- made up ---------------------------------------------------------------------------------- */

static uint64_t seed = 1;

static unsigned below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static void add(char *out, const char *text)
{
	assert_true(strlen(out) + strlen(text) < 1900);
	strcat(out, text);
}

static void add_expression(char *out, unsigned depth)
{
	static const char *const operands[] = {"hit.var.x", "hit.var.y",   "x",
					       "y",	    "hit.var.p.n", "p.n"};
	static const char *const truths[] = {"hit.var.p",	 "p",	       "hit.var.b",
					     "hit.var.p == nil", "p ~= nil",   "hit.var.b == false",
					     "p and p.q",	 "hit.var.p.q"};
	static const char *const compares[] = {" == ", " ~= ", " < ", " <= ", " > ", " >= "};
	static const char *const constants[] = {"0",	 "3",	 "-1", "127",
						"70000", "-128", "up", "2.5"};

	if (depth && below(3)) {
		add(out, below(4) ? "(" : "not (");
		add_expression(out, depth - 1);
		add(out, below(2) ? ") and (" : ") or (");
		add_expression(out, depth - 1);
		add(out, ")");
	} else if (!below(5)) {
		add(out, truths[below(8)]);
	} else if (below(3)) {
		add(out, operands[below(below(4) ? 4 : 6)]);
		add(out, compares[below(6)]);
		add(out, constants[below(below(4) ? 6 : 8)]);
	} else {
		add(out, constants[below(6)]);
		add(out, compares[below(6)]);
		add(out, operands[below(below(4) ? 4 : 6)]);
	}
}

static void add_block(char *out, unsigned depth)
{
	static const char *const ends[] = {"",
					   "",
					   "act() ",
					   "do return end ",
					   "do return true end ",
					   "do return hit.var.z end "};

	if (!depth) {
		add(out, ends[below(6)]);
		return;
	}
	add(out, "if ");
	add_expression(out, 1);
	add(out, " then ");
	add_block(out, depth - 1);
	if (below(2)) {
		add(out, "else ");
		add_block(out, depth - 1);
	}
	add(out, "end ");
	if (!below(3))
		add_block(out, depth - 1);
}

static void test_made_up(void **state)
{
	unsigned understood = 0;

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		char body[2000] = "local x, y, p = hit.var.x, hit.var.y, hit.var.p ";
		bool when = below(2);
		lua_State *L;
		struct idle *idle;

		add_block(body, 1 + below(3));
		if (when)
			add(body, below(2) ? "do return true end" : "");
		L = new_state();
		idle = idle_of(L, body, when);
		understood += idle != NULL;
		idle_free(idle);
		lua_close(L);
		compare(body, when, false);
	}
	assert_true(1000 <= understood && understood <= 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_testers_write), cmocka_unit_test(test_others),
		cmocka_unit_test(test_long_bodies),	 cmocka_unit_test(test_large),
		cmocka_unit_test(test_made_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
