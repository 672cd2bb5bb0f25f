/*
 * What Lua's compiler has made of a function, as lua_dump() gives it: its instructions and constants. They are those of
 * Lua 5.4 (its lopcodes.h, which is not installed; ldump.c writes what is read here).
 */
#ifndef GATECTL_LUA_BYTECODE_H
#define GATECTL_LUA_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	OP_NOT = 51,
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

enum { BYTECODE_CONSTANTS = 256 };

struct bytecode_constant {
	enum {
		BYTECODE_NIL,
		BYTECODE_FALSE,
		BYTECODE_TRUE,
		BYTECODE_INTEGER,
		BYTECODE_TEXT,
		BYTECODE_OTHER
	} kind;
	int64_t integer;
	const char *text; /* in the dump */
	size_t length;
};

struct bytecode {
	unsigned parameters;
	const unsigned char *code; /* in the dump */
	size_t length;		   /* instructions */
	struct bytecode_constant constants[BYTECODE_CONSTANTS];
	size_t constant_count;
};

struct bytecode_instruction {
	unsigned op, a, b, c;
	bool k;
	int sb, sbx, sj;
	unsigned bx;
};

/* False: it is more than what is looked at. The dump has to stay as long as *out. */
bool bytecode_read(struct bytecode *out, const void *dump, size_t length);
bool bytecode_fetch(const struct bytecode *f, size_t pc, struct bytecode_instruction *out);

#endif
