/* Reads dumps of Lua functions: instructions, constants, lines. */
#include "lua/bytecode.h"

#include <string.h>

#include <lauxlib.h>
#include <lua.h>

_Static_assert(LUA_VERSION_NUM == 504, "instructions and dumps are those of Lua 5.4");

/* The dump while it is read. */
struct dump {
	const unsigned char *at, *end;
	bool failed;
};

static const unsigned char *bytecode_take(struct dump *r, size_t n)
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
	const unsigned char *at = bytecode_take(r, 1);

	return at ? *at : 0;
}

/* Size in bytes of seven bits, the highest first; bit 7 marks the last byte. */
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
	return (const char *)bytecode_take(r, *length);
}

static void take_constant(struct dump *r, struct bytecode_constant *out)
{
	enum { NIL = 0, FALSE = 1, TRUE = 17, INT = 3, FLOAT = 19, SHORT = 4, LONG = 20 };
	unsigned kind = take_byte(r);

	*out = (struct bytecode_constant){.kind = kind == NIL			  ? BYTECODE_NIL
						  : kind == SHORT || kind == LONG ? BYTECODE_TEXT
										  : BYTECODE_OTHER};
	switch (kind) {
	case NIL:
	case FALSE:
	case TRUE:
		return;
	case INT:
	case FLOAT:
		bytecode_take(r, sizeof(int64_t));
		return;
	case SHORT:
	case LONG:
		out->text = take_text(r, &out->length);
		return;
	default:
		r->failed = true;
	}
}

/* ---- functions ------------------------------------------------------------------------------- */

struct dump_walk {
	struct dump r;
	lua_State *L;
	bytecode_visitor visit;
	void *ctx;
};

enum { NO_GLOBALS = -1, OF_CHUNK = -2 };

/* Reads up to the number of constants. */
static struct bytecode read_front(struct dump *r)
{
	struct bytecode f = {.globals = NO_GLOBALS};
	size_t ignored;

	take_text(r, &ignored); /* name of the source */
	f.lines.line = (unsigned)take_size(r);
	take_size(r);	     /* last line */
	bytecode_take(r, 3); /* number of parameters, vararg flag, number of registers */
	f.length = take_size(r);
	f.code = f.length <= (size_t)(r->end - r->at) / 4 ? bytecode_take(r, f.length * 4) : NULL;
	f.constant_count = take_size(r);
	r->failed |= !f.code || f.constant_count > (size_t)(r->end - r->at);
	return f;
}

/*
 * Returns the index of the upvalue that is the chunk's _ENV; `outer` is its index in the enclosing
 * function.
 */
static int read_upvalues(struct dump *r, int outer)
{
	int globals = NO_GLOBALS, count = (int)take_size(r);

	for (int i = 0; !r->failed && i < count; i++) {
		bool is_local = take_byte(r);
		int index = (int)take_byte(r);

		take_byte(r); /* kind */
		if (outer == OF_CHUNK ? i == 0 : !is_local && index == outer)
			globals = i;
	}
	return globals;
}

static void read_lines(struct dump *r, struct bytecode_lines *out)
{
	out->left = take_size(r);
	out->step = (const signed char *)bytecode_take(r, out->left);
	for (size_t i = take_size(r); !r->failed && i > 0; i--) {
		out->far = out->far ? out->far : r->at;
		take_size(r); /* number of the instruction */
		take_size(r);
	}
}

/* Skips the names of local variables and upvalues. */
static void skip_names(struct dump *r)
{
	size_t ignored;

	for (size_t i = take_size(r); !r->failed && i > 0; i--) {
		take_text(r, &ignored);
		take_size(r);
		take_size(r); /* first and last instruction of the variable's scope */
	}
	for (size_t i = take_size(r); !r->failed && i > 0; i--)
		take_text(r, &ignored);
}

/* Pushes the function as a userdata: a Lua error may leave this function at any time. */
static struct bytecode *walk(struct dump_walk *w, int outer)
{
	struct dump *r = &w->r;
	const struct bytecode front = read_front(r);
	size_t count = r->failed ? 0 : front.constant_count;
	struct bytecode *f;

	luaL_checkstack(w->L, LUA_MINSTACK, NULL);
	f = lua_newuserdatauv(w->L, sizeof(*f) + count * sizeof(f->constants[0]), 0);
	*f = front;
	for (size_t i = 0; i < count; i++)
		take_constant(r, &f->constants[i]);
	f->globals = read_upvalues(r, outer);
	for (size_t i = take_size(r); !r->failed && i > 0; i--) {
		walk(w, f->globals);
		lua_pop(w->L, 1);
	}
	read_lines(r, &f->lines);
	skip_names(r);
	if (!r->failed && w->visit)
		w->visit(w->ctx, f);
	return f;
}

static bool walk_dump(struct dump_walk *w, const char *dump, size_t length,
		      const struct bytecode **out)
{
	enum { HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8, UPVALUES = 1 };

	w->r.at = (const unsigned char *)dump;
	w->r.end = w->r.at + length;
	bytecode_take(&w->r, HEADER + UPVALUES);
	*out = walk(w, OF_CHUNK);
	return !w->r.failed;
}

const struct bytecode *bytecode_push(lua_State *L, const char *dump, size_t length)
{
	struct dump_walk w = {.L = L};
	const struct bytecode *f;

	if (walk_dump(&w, dump, length, &f))
		return f;
	lua_pop(L, 1);
	return NULL;
}

void bytecode_visit(lua_State *L, const char *dump, size_t length, bytecode_visitor visit,
		    void *ctx)
{
	struct dump_walk w = {.L = L, .visit = visit, .ctx = ctx};
	const struct bytecode *f;

	walk_dump(&w, dump, length, &f);
	lua_pop(L, 1);
}

/*
 * ---- dumping ----------------------------------------------------------------------------------
 */

struct dump_text {
	bool begun;
	luaL_Buffer buffer;
};

/* Initializes the buffer at the first piece: until then the function must be on top. */
static int write_piece(lua_State *L, const void *piece, size_t size, void *to)
{
	struct dump_text *t = to;

	if (!t->begun)
		luaL_buffinit(L, &t->buffer);
	t->begun = true;
	luaL_addlstring(&t->buffer, piece, size);
	return 0;
}

const char *bytecode_push_dump(lua_State *L, bool stripped, size_t *length)
{
	struct dump_text t = {.begun = false};

	if (lua_iscfunction(L, -1) || lua_dump(L, write_piece, &t, stripped))
		return NULL;
	luaL_pushresult(&t.buffer);
	return lua_tolstring(L, -1, length);
}

/* ---- instructions ---------------------------------------------------------------------------- */

unsigned bytecode_next_line(struct bytecode_lines *lines)
{
	enum { IS_FAR = -128 };
	struct dump r = {.at = lines->far,
			 .end = lines->far ? lines->far + 2 * sizeof(uint64_t) : 0};

	if (lines->left == 0)
		return 0;
	lines->left--;
	if (*lines->step != IS_FAR)
		return lines->line += (unsigned)*lines->step++;
	lines->step++;
	take_size(&r); /* number of the instruction */
	lines->line = (unsigned)take_size(&r);
	lines->far = r.at;
	return lines->line;
}

bool bytecode_fetch(const struct bytecode *f, size_t pc, struct bytecode_instruction *out)
{
	uint32_t i;

	if (pc >= f->length)
		return false;
	memcpy(&i, f->code + pc * sizeof(i), sizeof(i));
	*out = (struct bytecode_instruction){.op = i & 0x7f,
					     .a = i >> 7 & 0xff,
					     .b = i >> 16 & 0xff,
					     .c = i >> 24,
					     .bx = i >> 15};
	return true;
}
