#include "lua/bytecode.h"

#include <string.h>

#include <lua.h>

_Static_assert(LUA_VERSION_NUM == 504, "instructions and dumps are those of Lua 5.4");

/* What was dumped, as it is read. */
struct dump {
	const unsigned char *at, *end;
	bool failed;
};

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

static void take_constant(struct dump *r, struct bytecode_constant *out)
{
	enum { NIL = 0, FALSE = 1, TRUE = 17, INT = 3, FLOAT = 19, SHORT = 4, LONG = 20 };
	unsigned kind = take_byte(r);
	const unsigned char *bytes;

	*out = (struct bytecode_constant){.kind = kind == NIL	  ? BYTECODE_NIL
						  : kind == FALSE ? BYTECODE_FALSE
						  : kind == TRUE  ? BYTECODE_TRUE
						  : kind == INT	  ? BYTECODE_INTEGER
						  : kind == FLOAT ? BYTECODE_OTHER
								  : BYTECODE_TEXT};
	switch (kind) {
	case NIL:
	case FALSE:
	case TRUE:
		return;
	case INT:
	case FLOAT:
		bytes = take(r, sizeof(out->integer));
		if (bytes)
			memcpy(&out->integer, bytes, sizeof(out->integer));
		return;
	case SHORT:
	case LONG:
		out->text = take_text(r, &out->length);
		return;
	default:
		r->failed = true;
	}
}

/* False: it is more than what is looked at here. */
static bool read_function(struct dump *r, struct bytecode *f)
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
	if (r->failed || !f->code || f->constant_count > BYTECODE_CONSTANTS)
		return false;
	for (size_t i = 0; i < f->constant_count; i++)
		take_constant(r, &f->constants[i]);
	return !r->failed;
}

bool bytecode_read(struct bytecode *out, const void *dump, size_t length)
{
	struct dump r = {dump, (const unsigned char *)dump + length, false};

	return read_function(&r, out);
}

bool bytecode_fetch(const struct bytecode *f, size_t pc, struct bytecode_instruction *out)
{
	uint32_t i;

	if (pc >= f->length)
		return false;
	memcpy(&i, f->code + pc * sizeof(i), sizeof(i));
	*out = (struct bytecode_instruction){.op = i & 0x7f,
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
	return true;
}
