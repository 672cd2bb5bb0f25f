/*
 * When does a function do nothing? Lua's own compiler has turned it into instructions; those before it would do anything are
 * followed here with values that are not known, both ways at each comparison of a variable with a constant. Whatever is
 * not known here has the function called.
 */
#include "lua/bytecode.h"
#include "lua/script_internal.h"

#include <string.h>

enum { REGISTERS = 32, STEPS = 512, CONSTANTS = 256 };

enum idle_kind {
	UNKNOWN,
	NIL_VALUE,
	FALSE_VALUE,
	TRUE_VALUE,
	INTEGER,
	HIT,
	VARIABLES,
	ARGUMENTS,
	VARIABLE,
	BITS,
	NOT_VARIABLE,
	OUTER
};
struct idle_value {
	enum idle_kind kind;
	int64_t integer; /* VARIABLE, BITS, NOT_VARIABLE: its index; OUTER: its number */
	int64_t mask;	 /* BITS: these of it; VARIABLE: -1 */
};

struct idle_walk {
	const struct bytecode *f;
	bool when; /* it does nothing where it returns true */
	struct idle *out;
	unsigned steps;
	bool any;
};

/* On one way through the function. */
struct idle_state {
	struct idle_value r[REGISTERS];
	unsigned read, asked; /* variables, a bit each */
};

static struct idle_value constant_of(const struct bytecode *f, size_t i)
{
	static const enum idle_kind kinds[] = {
		[BYTECODE_NIL] = NIL_VALUE,   [BYTECODE_FALSE] = FALSE_VALUE,
		[BYTECODE_TRUE] = TRUE_VALUE, [BYTECODE_INTEGER] = INTEGER,
		[BYTECODE_TEXT] = UNKNOWN,    [BYTECODE_OTHER] = UNKNOWN};

	if (i < f->constant_count)
		return (struct idle_value){kinds[f->constants[i].kind], f->constants[i].integer, 0};
	return (struct idle_value){UNKNOWN, 0, 0};
}

/* An instruction whose first register is one of those that are followed. */
static bool fetch(const struct bytecode *f, size_t pc, struct bytecode_instruction *out)
{
	return bytecode_fetch(f, pc, out) && out->a < REGISTERS;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static int idle_follow(struct idle_walk *w, size_t pc, const struct idle_state *before);

static bool idle_same(const struct idle_variable *v, int of, const struct bytecode_constant *name,
		      size_t number)
{
	if (v->of != of || !name || !v->name)
		return v->of == of && !name && !v->name && v->number == number;
	return strlen(v->name) == name->length && memcmp(v->name, name->text, name->length) == 0;
}

/* Of the function (IDLE_NOBODY) or a variable: by its name, or the argument or element of that number. -1: there are too many. */
static int variable(struct idle *out, int of, const struct bytecode_constant *name, size_t number)
{
	for (size_t i = 0; i < out->variable_count; i++)
		if (idle_same(&out->variables[i], of, name, number))
			return (int)i;
	if (out->variable_count == IDLE_VARIABLES || (name && memchr(name->text, 0, name->length)))
		return -1;
	out->variables[out->variable_count] = (struct idle_variable){
		of, name ? base_strndup(name->text, name->length) : NULL, number};
	return (int)out->variable_count++;
}

static bool is(const struct bytecode_constant *name, const char *text)
{
	return name->length == strlen(text) && memcmp(name->text, text, name->length) == 0;
}

static bool reads_variable(struct idle_state *s, unsigned into, int index)
{
	if (index < 0)
		return false;
	s->r[into] = (struct idle_value){VARIABLE, index, -1};
	s->read |= 1u << index;
	return true;
}

/* hit.var, hit.arg, or what they have. False: it is something else, and to read it may be a fault. */
static bool reads(struct idle_walk *w, const struct bytecode_instruction *i, struct idle_state *s)
{
	const struct bytecode_constant *name =
		i->c < w->f->constant_count ? &w->f->constants[i->c] : NULL;
	struct idle_value of = i->b < REGISTERS ? s->r[i->b] : (struct idle_value){UNKNOWN, 0, 0};

	if (i->op == OP_GETI)
		name = NULL;
	else if (!name || name->kind != BYTECODE_TEXT)
		return false;
	if (of.kind == VARIABLE)
		return reads_variable(s, i->a, variable(w->out, (int)of.integer, name, i->c));
	if (of.kind == (name ? VARIABLES : ARGUMENTS))
		return reads_variable(s, i->a, variable(w->out, IDLE_NOBODY, name, i->c));
	if (of.kind != HIT || !name || (!is(name, "var") && !is(name, "arg")))
		return false;
	s->r[i->a].kind = is(name, "var") ? VARIABLES : ARGUMENTS;
	return true;
}

/* Some bits of a variable. */
static bool masks(const struct idle_walk *w, const struct bytecode_instruction *i,
		  struct idle_state *s)
{
	struct idle_value mask = constant_of(w->f, i->c), of;

	if (i->b >= REGISTERS)
		return false;
	of = s->r[i->b];
	if ((of.kind != VARIABLE && of.kind != BITS) || mask.kind != INTEGER)
		return false;
	w->out->integers |= 1u << of.integer;
	s->r[i->a] = (struct idle_value){BITS, of.integer, of.mask & mask.integer};
	return true;
}

/* Where it goes on if the comparison has this outcome: the jump behind it is for outcome k. */
static size_t behind(const struct idle_walk *w, size_t pc, bool outcome, bool k)
{
	struct bytecode_instruction jump;

	if (outcome != k)
		return pc + 2;
	if (!fetch(w->f, pc + 1, &jump) || jump.op != OP_JMP || jump.sj < 0)
		return w->f->length;
	return pc + 2 + (size_t)jump.sj;
}

/* The variable is read there, and so are those it is a part of. */
static void note_asked(const struct idle *idle, int variable, struct idle_state *s)
{
	for (; variable != IDLE_NOBODY; variable = idle->variables[variable].of)
		s->asked |= 1u << variable;
}

/* `yes`: what the comparison says where the test holds. */
static int both_ways(struct idle_walk *w, size_t pc, bool k, const struct idle_state *s,
		     struct idle_test test, bool yes)
{
	struct idle_state after = *s;
	struct idle *out = w->out;
	size_t index = out->count;

	if (index == IDLE_TESTS)
		return IDLE_CALL;
	out->count++;
	note_asked(out, (int)test.variable, &after);
	test.yes = idle_follow(w, behind(w, pc, yes, k), &after);
	test.no = idle_follow(w, behind(w, pc, !yes, k), &after);
	out->tests[index] = test;
	if (test.yes != IDLE_CALL || test.no != IDLE_CALL)
		return (int)index;
	out->count = index;
	return IDLE_CALL;
}

/* Of a variable whose type is not known here: is it nil, false, or nothing that Lua takes for true? */
static int idle_ask(struct idle_walk *w, size_t pc, bool k, const struct idle_state *s,
		    struct idle_value x, enum idle_compare what, bool yes)
{
	if (x.kind != VARIABLE)
		return IDLE_CALL;
	return both_ways(
		w, pc, k, s,
		(struct idle_test){.variable = (size_t)x.integer, .mask = -1, .compare = what},
		yes);
}

static bool is_constant(struct idle_value v)
{
	return v.kind != UNKNOWN && (v.kind <= INTEGER || v.kind == OUTER);
}

static int lua_idle_compare(struct idle_walk *w, size_t pc, bool k, const struct idle_state *s,
			    struct idle_value x, enum idle_compare how, struct idle_value y)
{
	static const enum idle_compare turned[] = {IDLE_EQ, IDLE_GT, IDLE_GE, IDLE_LT, IDLE_LE};

	if (is_constant(x) && (y.kind == VARIABLE || y.kind == BITS))
		return lua_idle_compare(w, pc, k, s, y, turned[how], x);
	if (y.kind >= NIL_VALUE && y.kind <= TRUE_VALUE && how == IDLE_EQ)
		return idle_ask(w, pc, k, s, x, y.kind == NIL_VALUE ? IDLE_NIL : IDLE_FALSE,
				y.kind != TRUE_VALUE);
	if ((x.kind != VARIABLE && x.kind != BITS) || (y.kind != INTEGER && y.kind != OUTER))
		return IDLE_CALL;
	return both_ways(w, pc, k, s,
			 (struct idle_test){.variable = (size_t)x.integer,
					    .mask = x.mask,
					    .compare = how,
					    .constant = y.kind == INTEGER ? y.integer : 0,
					    .outer = y.kind == OUTER ? (size_t)y.integer : 0},
			 true);
}

/* What is compared, if the instruction does that. */
static bool compares(const struct bytecode *f, const struct bytecode_instruction *i,
		     const struct idle_value *r, enum idle_compare *how, struct idle_value *with)
{
	static const enum idle_compare kinds[] = {IDLE_EQ, IDLE_LT, IDLE_LE, IDLE_GT, IDLE_GE};

	if (i->op >= OP_EQI && i->op <= OP_GEI) {
		*how = kinds[i->op - OP_EQI];
		*with = (struct idle_value){INTEGER, i->sb, 0};
	} else if (i->op == OP_EQK) {
		*how = IDLE_EQ;
		*with = constant_of(f, i->b);
	} else if (i->op >= OP_EQ && i->op <= OP_LE && i->b < REGISTERS) {
		*how = kinds[i->op - OP_EQ];
		*with = r[i->b];
	} else {
		return false;
	}
	return true;
}

/* An instruction that only sets registers; false: it is another one. */
static bool sets(struct idle_walk *w, const struct bytecode_instruction *i, struct idle_state *s,
		 size_t *pc)
{
	struct idle_value *r = s->r;

	switch (i->op) {
	case OP_MOVE:
		r[i->a] = i->b < REGISTERS ? r[i->b] : (struct idle_value){UNKNOWN, 0, 0};
		break;
	case OP_GETUPVAL:
		r[i->a] = (struct idle_value){OUTER, i->b + 1, 0};
		break;
	case OP_LOADI:
		r[i->a] = (struct idle_value){INTEGER, i->sbx, 0};
		break;
	case OP_LOADK:
		r[i->a] = constant_of(w->f, i->bx);
		break;
	case OP_LFALSESKIP:
		++*pc;
		/* fall through */
	case OP_LOADFALSE:
		r[i->a] = (struct idle_value){FALSE_VALUE, 0, 0};
		break;
	case OP_LOADTRUE:
		r[i->a] = (struct idle_value){TRUE_VALUE, 0, 0};
		break;
	case OP_LOADNIL:
		for (unsigned k = i->a; k <= i->a + i->b && k < REGISTERS; k++)
			r[k] = (struct idle_value){NIL_VALUE, 0, 0};
		break;
	case OP_GETI:
	case OP_GETFIELD:
		if (!reads(w, i, s))
			return false;
		break;
	case OP_BANDK:
		if (!masks(w, i, s))
			return false;
		++*pc;
		break;
	case OP_NOT:
		if (i->b >= REGISTERS || r[i->b].kind != VARIABLE)
			return false;
		r[i->a] = (struct idle_value){NOT_VARIABLE, r[i->b].integer, -1};
		break;
	case OP_JMP:
		*pc = i->sj < 0 ? w->f->length : *pc + (size_t)i->sj;
		break;
	default:
		return false;
	}
	++*pc;
	return true;
}

/* What a pointer leads to cannot always be read: so it is only left to the program where it is read there, too. */
static bool has_asked_all(const struct idle *idle, const struct idle_state *s)
{
	for (size_t i = 0; i < idle->variable_count; i++)
		if (idle->variables[i].of != IDLE_NOBODY && (s->read & ~s->asked) >> i & 1)
			return false;
	return true;
}

static int returns(struct idle_walk *w, const struct idle_state *s, enum idle_kind value)
{
	if ((w->when && value != TRUE_VALUE) || !has_asked_all(w->out, s))
		return IDLE_CALL;
	w->any = true;
	w->out->needed |= s->read;
	w->out->unasked |= s->read & ~s->asked;
	return IDLE_NOTHING;
}

/* A bool of the program, or that something is none, or NULL. */
static int returns_variable(struct idle_walk *w, const struct idle_state *s, struct idle_value x)
{
	bool turned = x.kind == NOT_VARIABLE;
	struct idle_state after = *s;
	struct idle *out = w->out;
	size_t index = out->count;
	int passes;

	if (!w->when || index == IDLE_TESTS)
		return returns(w, s, x.kind);
	note_asked(out, (int)x.integer, &after);
	passes = returns(w, &after, TRUE_VALUE);
	if (passes == IDLE_CALL)
		return IDLE_CALL;
	out->tests[out->count++] = (struct idle_test){.variable = (size_t)x.integer,
						      .mask = -1,
						      .compare = turned ? IDLE_FALSY : IDLE_FALSE,
						      .yes = turned ? passes : IDLE_CALL,
						      .no = turned ? IDLE_CALL : passes};
	return (int)index;
}

/* From there on: the next test, or the end. */
static int idle_follow(struct idle_walk *w, size_t pc, const struct idle_state *before)
{
	struct idle_state s = *before;
	enum idle_compare how;
	struct bytecode_instruction i;
	struct idle_value with;

	while (w->steps++ < STEPS && fetch(w->f, pc, &i)) {
		enum idle_kind value = s.r[i.a].kind;

		if (sets(w, &i, &s, &pc))
			continue;
		if (compares(w->f, &i, s.r, &how, &with))
			return lua_idle_compare(w, pc, i.k, &s, s.r[i.a], how, with);
		if (i.op == OP_TEST && value == VARIABLE)
			return idle_ask(w, pc, i.k, &s, s.r[i.a], IDLE_FALSY, false);
		if (i.op == OP_TEST && value >= NIL_VALUE && value <= TRUE_VALUE)
			pc = behind(w, pc, value == TRUE_VALUE, i.k);
		else if (i.op == OP_RETURN1 && (value == VARIABLE || value == NOT_VARIABLE))
			return returns_variable(w, &s, s.r[i.a]);
		else if (i.op == OP_RETURN1)
			return returns(w, &s, value);
		else if (i.op == OP_RETURN0 || (i.op == OP_RETURN && i.b == 1))
			return returns(w, &s, NIL_VALUE);
		else
			break;
	}
	return IDLE_CALL;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static struct idle *idle_in(const struct bytecode *f, bool when)
{
	const struct idle_state begin = {.r = {{HIT, 0, 0}}};
	struct idle *out = base_alloc(1, sizeof(*out));
	struct idle_walk w = {.f = f, .when = when, .out = out};

	if (idle_follow(&w, 0, &begin) == 0 && w.any)
		return out;
	idle_free(out);
	return NULL;
}

struct idle *script_idle(lua_State *L, bool when)
{
	int top = lua_gettop(L);
	struct idle *found = NULL;
	const struct bytecode *f;
	size_t length;
	const char *dump = bytecode_push_dump(L, true, &length);

	f = dump ? bytecode_push(L, dump, length) : NULL;
	if (f && f->parameters > 0 && f->constant_count <= CONSTANTS)
		found = idle_in(f, when);
	lua_settop(L, top);
	return found;
}

bool script_outer(void *ctx, int ref, size_t outer, int64_t *out)
{
	struct script *s = ctx;
	int top = s->L ? lua_gettop(s->L) : 0;
	bool found;

	if (!s->L || !lua_checkstack(s->L, 2))
		return false;
	lua_rawgeti(s->L, LUA_REGISTRYINDEX, ref);
	found = lua_getupvalue(s->L, -1, (int)outer) && lua_isinteger(s->L, -1);
	if (found)
		*out = lua_tointeger(s->L, -1);
	lua_settop(s->L, top);
	return found;
}

/* Through a table or function anything may be reached, and globals are in one, too. */
static bool leads_to(lua_State *L, const struct gate *g)
{
	const struct gate *held = script_to_gate(L, -1);

	if (held)
		return held == g || held->kind == GATE_CUSTOM;
	return lua_type(L, -1) > LUA_TSTRING;
}

bool script_may_open(void *ctx, int ref, const struct gate *g)
{
	struct script *s = ctx;
	int top = s->L ? lua_gettop(s->L) : 0;
	bool may = false;

	if (!s->L || !lua_checkstack(s->L, 8))
		return true;
	lua_rawgeti(s->L, LUA_REGISTRYINDEX, ref);
	for (int i = 1; !may && lua_getupvalue(s->L, top + 1, i); i++) {
		may = leads_to(s->L, g);
		lua_pop(s->L, 1);
	}
	lua_settop(s->L, top);
	return may;
}
