/*
 * When does a function do nothing? Lua's own compiler has turned it into instructions; those before it would do anything are
 * followed here with values that are not known, both ways at each comparison of a variable with a constant.
 *
 * Instructions are those of Lua 5.4 (its lopcodes.h, which is not installed; ldump.c writes what is read here). Whatever is not
 * known here has the function called.
 */
#include "lua/script_internal.h"

#include <string.h>

_Static_assert(LUA_VERSION_NUM == 504, "instructions and dumps are those of Lua 5.4");

enum opcode {
	OP_MOVE = 0,
	OP_LOADI = 1,
	OP_LOADK = 3,
	OP_LOADFALSE = 5,
	OP_LFALSESKIP = 6,
	OP_LOADTRUE = 7,
	OP_LOADNIL = 8,
	OP_GETUPVAL = 9,
	OP_GETI = 13,
	OP_GETFIELD = 14,
	OP_BANDK = 29, /* an OP_MMBINK behind it is for operands that are no integers */
	OP_JMP = 56,
	OP_EQ = 57,
	OP_LT = 58,
	OP_LE = 59,
	OP_EQK = 60,
	OP_EQI = 61,
	OP_LTI = 62,
	OP_LEI = 63,
	OP_GTI = 64,
	OP_GEI = 65,
	OP_TEST = 66,
	OP_RETURN = 70,
	OP_RETURN0 = 71,
	OP_RETURN1 = 72,
};

enum { REGISTERS = 32, CONSTANTS = 256, STEPS = 512 };

enum idle_kind {
	UNKNOWN,
	FALSE_OR_NIL,
	TRUE_VALUE,
	INTEGER,
	HIT,
	VARIABLES,
	ARGUMENTS,
	VARIABLE,
	OUTER
};
struct idle_value {
	enum idle_kind kind;
	int64_t integer; /* VARIABLE: its index; OUTER: its number */
	int64_t mask;	 /* VARIABLE: these bits of it */
};

struct constant {
	bool is_integer, is_text;
	int64_t integer;
	const char *text;
	size_t length;
};

/* What was dumped, as it is read. */
struct dump {
	const unsigned char *at, *end;
	bool failed;
};

struct dumped {
	unsigned parameters;
	const unsigned char *code;
	size_t length;
	struct constant constants[CONSTANTS];
	size_t constant_count;
};

struct idle_walk {
	const struct dumped *f;
	bool when; /* it does nothing where it returns true */
	struct idle *out;
	unsigned steps;
	bool any;
};

/* On one way through the function. */
struct idle_state {
	struct idle_value r[REGISTERS];
	unsigned read; /* variables, a bit each */
};

/* ---- the dump ------------------------------------------------------------------------------- */

static const unsigned char *take(struct dump *r, size_t n)
{
	const unsigned char *at = r->at;

	if (r->failed || n > (size_t)(r->end - r->at)) {
		r->failed = true;
		return NULL;
	}
	r->at += n;
	return at;
}

static unsigned take_byte(struct dump *r)
{
	const unsigned char *at = take(r, 1);

	return at ? *at : 0;
}

/* Seven bits a byte, the highest first; the last byte has the eighth one set. */
static size_t take_size(struct dump *r)
{
	size_t n = 0;
	unsigned byte;

	do {
		byte = take_byte(r);
		n = n << 7 | (byte & 0x7f);
	} while (!r->failed && !(byte & 0x80));
	return n;
}

static const char *take_text(struct dump *r, size_t *length)
{
	size_t n = take_size(r);

	*length = n ? n - 1 : 0;
	return (const char *)take(r, *length);
}

static void take_constant(struct dump *r, struct constant *out)
{
	enum { NIL = 0, FALSE = 1, TRUE = 17, INT = 3, FLOAT = 19, SHORT = 4, LONG = 20 };
	const unsigned char *bytes;

	*out = (struct constant){.is_integer = false};
	switch (take_byte(r)) {
	case NIL:
	case FALSE:
	case TRUE:
		return;
	case INT:
	case FLOAT:
		out->is_integer = r->at[-1] == INT;
		bytes = take(r, sizeof(out->integer));
		if (bytes)
			memcpy(&out->integer, bytes, sizeof(out->integer));
		return;
	case SHORT:
	case LONG:
		out->is_text = true;
		out->text = take_text(r, &out->length);
		return;
	default:
		r->failed = true;
	}
}

/* False: it is more than what is looked at here. */
static bool read_function(struct dump *r, struct dumped *f)
{
	enum { HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8, UPVALUES = 1 };
	size_t ignored;

	take(r, HEADER + UPVALUES);
	take_text(r, &ignored); /* the source's name */
	take_size(r);
	take_size(r); /* its lines */
	f->parameters = take_byte(r);
	take(r, 2); /* whether it takes more, and its registers */
	f->length = take_size(r);
	f->code = f->length <= (size_t)(r->end - r->at) / 4 ? take(r, f->length * 4) : NULL;
	f->constant_count = take_size(r);
	if (r->failed || !f->code || f->constant_count > CONSTANTS)
		return false;
	for (size_t i = 0; i < f->constant_count; i++)
		take_constant(r, &f->constants[i]);
	return !r->failed;
}

/* ---- instructions --------------------------------------------------------------------------- */

struct instruction {
	unsigned op, a, b, c;
	bool k;
	int sb, sbx, sj;
	unsigned bx;
};

static bool fetch(const struct dumped *f, size_t pc, struct instruction *out)
{
	uint32_t i;

	if (pc >= f->length)
		return false;
	memcpy(&i, f->code + pc * sizeof(i), sizeof(i));
	*out = (struct instruction){.op = i & 0x7f,
				    .a = i >> 7 & 0xff,
				    .k = i >> 15 & 1,
				    .b = i >> 16 & 0xff,
				    .c = i >> 24,
				    .bx = i >> 15,
				    .sb = (int)(i >> 16 & 0xff) - 127,
				    .sbx = (int)(i >> 15) - 65535,
				    .sj = (int)(i >> 7) - 16777215};
	if (out->op == OP_JMP)
		out->a = 0; /* it has none: these bits are of its distance */
	return out->a < REGISTERS;
}

static struct idle_value constant_of(const struct dumped *f, size_t i)
{
	if (i < f->constant_count && f->constants[i].is_integer)
		return (struct idle_value){INTEGER, f->constants[i].integer, 0};
	return (struct idle_value){UNKNOWN, 0, 0};
}

/* ---- the walk ------------------------------------------------------------------------------- */

static int follow(struct idle_walk *w, size_t pc, const struct idle_state *before);

static bool same(const struct idle_variable *v, const struct constant *name, size_t argument)
{
	if (!name)
		return !v->name && v->argument == argument;
	return v->name && strlen(v->name) == name->length &&
	       memcmp(v->name, name->text, name->length) == 0;
}

/* By its name, or an argument. -1: there are too many. */
static int variable(struct idle *out, const struct constant *name, size_t argument)
{
	for (size_t i = 0; i < out->variable_count; i++)
		if (same(&out->variables[i], name, argument))
			return (int)i;
	if (out->variable_count == IDLE_VARIABLES || (name && memchr(name->text, 0, name->length)))
		return -1;
	out->variables[out->variable_count] = (struct idle_variable){
		name ? base_strndup(name->text, name->length) : NULL, argument};
	return (int)out->variable_count++;
}

static bool is(const struct constant *name, const char *text)
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
static bool reads(struct idle_walk *w, const struct instruction *i, struct idle_state *s)
{
	const struct constant *name = i->c < w->f->constant_count ? &w->f->constants[i->c] : NULL;
	enum idle_kind of = i->b < REGISTERS ? s->r[i->b].kind : UNKNOWN;

	if (of == ARGUMENTS && i->op == OP_GETI)
		return reads_variable(s, i->a, variable(w->out, NULL, i->c));
	if (i->op == OP_GETI || !name || !name->is_text)
		return false;
	if (of == VARIABLES)
		return reads_variable(s, i->a, variable(w->out, name, 0));
	if (of != HIT || (!is(name, "var") && !is(name, "arg")))
		return false;
	s->r[i->a].kind = is(name, "var") ? VARIABLES : ARGUMENTS;
	return true;
}

/* Some bits of a variable. */
static bool masks(const struct idle_walk *w, const struct instruction *i, struct idle_state *s)
{
	struct idle_value mask = constant_of(w->f, i->c), of;

	if (i->b >= REGISTERS)
		return false;
	of = s->r[i->b];
	if (of.kind != VARIABLE || mask.kind != INTEGER)
		return false;
	s->r[i->a] = (struct idle_value){VARIABLE, of.integer, of.mask & mask.integer};
	return true;
}

/* Where it goes on if the comparison has this outcome: the jump behind it is for outcome k. */
static size_t behind(const struct idle_walk *w, size_t pc, bool outcome, bool k)
{
	struct instruction jump;

	if (outcome != k)
		return pc + 2;
	if (!fetch(w->f, pc + 1, &jump) || jump.op != OP_JMP || jump.sj < 0)
		return w->f->length;
	return pc + 2 + (size_t)jump.sj;
}

static int both_ways(struct idle_walk *w, size_t pc, bool k, const struct idle_state *s,
		     struct idle_test test)
{
	struct idle *out = w->out;
	size_t index = out->count;

	if (index == IDLE_TESTS)
		return IDLE_CALL;
	out->count++;
	test.yes = follow(w, behind(w, pc, true, k), s);
	test.no = follow(w, behind(w, pc, false, k), s);
	out->tests[index] = test;
	if (test.yes != IDLE_CALL || test.no != IDLE_CALL)
		return (int)index;
	out->count = index;
	return IDLE_CALL;
}

static bool is_constant(struct idle_value v)
{
	return v.kind == INTEGER || v.kind == OUTER;
}

static int compare(struct idle_walk *w, size_t pc, bool k, const struct idle_state *s,
		   struct idle_value x, enum idle_compare how, struct idle_value y)
{
	static const enum idle_compare turned[] = {IDLE_EQ, IDLE_GT, IDLE_GE, IDLE_LT, IDLE_LE};

	if (is_constant(x) && y.kind == VARIABLE)
		return compare(w, pc, k, s, y, turned[how], x);
	if (x.kind != VARIABLE || !is_constant(y))
		return IDLE_CALL;
	return both_ways(w, pc, k, s,
			 (struct idle_test){.variable = (size_t)x.integer,
					    .mask = x.mask,
					    .compare = how,
					    .constant = y.kind == INTEGER ? y.integer : 0,
					    .outer = y.kind == OUTER ? (size_t)y.integer : 0});
}

/* What is compared, if the instruction does that. */
static bool compares(const struct dumped *f, const struct instruction *i,
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
static bool sets(struct idle_walk *w, const struct instruction *i, struct idle_state *s, size_t *pc)
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
		r[i->a] = (struct idle_value){FALSE_OR_NIL, 0, 0};
		break;
	case OP_LOADTRUE:
		r[i->a] = (struct idle_value){TRUE_VALUE, 0, 0};
		break;
	case OP_LOADNIL:
		for (unsigned k = i->a; k <= i->a + i->b && k < REGISTERS; k++)
			r[k] = (struct idle_value){FALSE_OR_NIL, 0, 0};
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
	case OP_JMP:
		*pc = i->sj < 0 ? w->f->length : *pc + (size_t)i->sj;
		break;
	default:
		return false;
	}
	++*pc;
	return true;
}

static int returns(struct idle_walk *w, const struct idle_state *s, struct idle_value value)
{
	if (w->when && value.kind != TRUE_VALUE)
		return IDLE_CALL;
	w->any = true;
	w->out->needed |= s->read;
	return IDLE_NOTHING;
}

/* From there on: the next test, or the end. */
static int follow(struct idle_walk *w, size_t pc, const struct idle_state *before)
{
	struct idle_state s = *before;
	enum idle_compare how;
	struct instruction i;
	struct idle_value with;

	while (w->steps++ < STEPS && fetch(w->f, pc, &i)) {
		enum idle_kind value = s.r[i.a].kind;

		if (sets(w, &i, &s, &pc))
			continue;
		if (compares(w->f, &i, s.r, &how, &with))
			return compare(w, pc, i.k, &s, s.r[i.a], how, with);
		if (i.op == OP_TEST && (value == TRUE_VALUE || value == FALSE_OR_NIL))
			pc = behind(w, pc, value == TRUE_VALUE, i.k);
		else if (i.op == OP_RETURN1)
			return returns(w, &s, s.r[i.a]);
		else if (i.op == OP_RETURN0 || (i.op == OP_RETURN && i.b == 1))
			return returns(w, &s, (struct idle_value){FALSE_OR_NIL, 0, 0});
		else
			break;
	}
	return IDLE_CALL;
}

/* ---- all of it ------------------------------------------------------------------------------ */

struct dump_text {
	bool begun;
	luaL_Buffer buffer;
};

/* The buffer is made with the first piece: until then the function has to be on top. */
static int write_piece(lua_State *L, const void *piece, size_t size, void *to)
{
	struct dump_text *d = to;

	if (!d->begun)
		luaL_buffinit(L, &d->buffer);
	d->begun = true;
	luaL_addlstring(&d->buffer, piece, size);
	return 0;
}

static struct idle *idle_in(const char *text, size_t length, bool when)
{
	const struct idle_state begin = {.r = {{HIT, 0, 0}}};
	struct idle *out = base_alloc(1, sizeof(*out));
	struct dumped *f = base_alloc(1, sizeof(*f));
	struct idle_walk w = {.f = f, .when = when, .out = out};
	struct dump r = {(const unsigned char *)text, (const unsigned char *)text + length, false};
	bool good = read_function(&r, f) && f->parameters > 0 && follow(&w, 0, &begin) == 0;

	base_free(f);
	if (good && w.any)
		return out;
	idle_free(out);
	return NULL;
}

struct idle *script_idle(lua_State *L, bool when)
{
	enum { STRIPPED = 1 };
	struct dump_text d = {.begun = false};
	struct idle *found;
	size_t length;
	const char *text;

	if (lua_iscfunction(L, -1) || lua_dump(L, write_piece, &d, STRIPPED))
		return NULL;
	luaL_pushresult(&d.buffer);
	text = lua_tolstring(L, -1, &length);
	found = idle_in(text, length, when);
	lua_pop(L, 1);
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
