/*
 * Instructions and constants of a function, as dumped by lua_dump(): those of Lua 5.4 (lopcodes.h,
 * which is not installed; ldump.c writes the format read here).
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
	const char *text; /* points into the dump */
	size_t length;
};

/* Lines of the instructions, first to last; none if stripped. Points into the dump. */
struct bytecode_lines {
	unsigned line;		  /* line of the previous instruction */
	const signed char *step;  /* increment of the line at each instruction */
	const unsigned char *far; /* absolute lines, for increments that do not fit */
	size_t left;		  /* instructions left */
};

struct bytecode {
	const unsigned char *code; /* points into the dump */
	size_t length;		   /* number of instructions */
	int globals;		   /* index of the upvalue that is the chunk's _ENV; -1: none */
	struct bytecode_lines lines;
	size_t constant_count;
	struct bytecode_constant constants[];
};

struct bytecode_instruction {
	unsigned op, a, b, c, bx;
};

struct lua_State;

/*
 * Pushes the dump of the function on top and returns it, with *length its bytes. Returns NULL, and
 * pushes nothing, if it is a C function.
 */
const char *bytecode_push_dump(struct lua_State *L, bool stripped, size_t *length);
/*
 * Pushes the main function of a dump and returns it; the dump must outlive it. Returns NULL, and
 * pushes nothing, if the dump is malformed.
 */
const struct bytecode *bytecode_push(struct lua_State *L, const char *dump, size_t length);

typedef void (*bytecode_visitor)(void *ctx, const struct bytecode *f);
/* Visits the main function of a dump and all functions nested in it, inner ones first. */
void bytecode_visit(struct lua_State *L, const char *dump, size_t length, bytecode_visitor visit,
		    void *ctx);

/* Returns the line of the next instruction; 0: unknown. */
unsigned bytecode_next_line(struct bytecode_lines *lines);
/* Decodes instruction `pc` into *out; returns false after the last. */
bool bytecode_fetch(const struct bytecode *f, size_t pc, struct bytecode_instruction *out);

#endif
