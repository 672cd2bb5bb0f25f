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
	OP_LOADK = 3,
	OP_LOADNIL = 8,
	OP_GETUPVAL = 9,
	OP_GETTABUP = 11,
	OP_GETTABLE = 12,
	OP_GETI = 13,
	OP_GETFIELD = 14,
	OP_SETTABUP = 15,
	OP_NOT = 51,
	OP_EQ = 57,
	OP_EQK = 60,
	OP_TEST = 66,
	OP_TESTSET = 67,
	OP_CALL = 68,
};

struct bytecode_constant {
	enum { BYTECODE_NIL, BYTECODE_TEXT, BYTECODE_OTHER } kind;
	const char *text; /* in the dump */
	size_t length;
};

/* Of the instructions, first to last; none where they were stripped. All in the dump. */
struct bytecode_lines {
	unsigned line;		  /* of the instruction before */
	const signed char *step;  /* how many lines further the next one is */
	const unsigned char *far; /* the lines that no such step reaches */
	size_t left;
};

struct bytecode {
	const unsigned char *code; /* in the dump */
	size_t length;		   /* instructions */
	int globals;		   /* the upvalue that is the chunk's _ENV; -1: none */
	struct bytecode_lines lines;
	size_t constant_count;
	struct bytecode_constant constants[];
};

struct bytecode_instruction {
	unsigned op, a, b, c, bx;
};

struct lua_State;

/* Pushes what lua_dump() gives of the function on top. NULL: it is one of C, nothing is pushed. */
const char *bytecode_push_dump(struct lua_State *L, bool stripped, size_t *length);
/* Pushes what is in the dump, which has to stay as long. NULL: it is none, nothing is pushed. */
const struct bytecode *bytecode_push(struct lua_State *L, const char *dump, size_t length);

typedef void (*bytecode_visitor)(void *ctx, const struct bytecode *f);
/* Visits the function of a chunk and those that are written in it, inner ones first. */
void bytecode_visit(struct lua_State *L, const char *dump, size_t length, bytecode_visitor visit,
		    void *ctx);

/* The line of the next instruction; 0: not known. */
unsigned bytecode_next_line(struct bytecode_lines *lines);
bool bytecode_fetch(const struct bytecode *f, size_t pc, struct bytecode_instruction *out);

#endif
