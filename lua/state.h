/*
 * Inside the room: the program's state as a script sees it.
 *
 *	value.c  values of the program and those of Lua, one made from the other; objects
 *	enum.c   a number that was read as an enum has a `.name`
 *	state.c  hit.var, hit.arg, hit.ret, hit:frame, hit:backtrace, hit:eval, hit:call, program.var
 */
#ifndef GATECTL_LUA_STATE_H
#define GATECTL_LUA_STATE_H

#include "lua/script_internal.h"

/* ---- value.c ------------------------------------------------------------------------------------
 */

/* Empties the place for the next answer (the script owns it: a Lua error leaks nothing). */
struct asked *value_ask(lua_State *L);
/* Pushes asked->value; for -1 raises asked->err at the script's line. */
int value_answer(lua_State *L, int result);
/* Raises asked->err at the script's line. */
int value_raise(lua_State *L);
int value_unavailable(lua_State *L, const char *what);
/* Raises an error if the running function may only answer. */
void value_check_writing(lua_State *L, const char *what);
/* The value at that index for the program. A text in it is Lua's: keep it on the stack. */
void value_take(lua_State *L, int index, struct program_value *out);
/* The string at that index as a name; raises "WHO: ..." for anything else. */
const char *value_check_name(lua_State *L, int index, const char *who);
void value_new_type(lua_State *L, const char *name, const luaL_Reg *functions);
void value_open(lua_State *L);

/* ---- enum.c -------------------------------------------------------------------------------------
 */

/* Pushes the number and remembers its name (NULL: it has none). */
void enum_push(lua_State *L, lua_Integer number, const char *name);
void enum_open(lua_State *L);

/* ---- state.c ------------------------------------------------------------------------------------
 */

/* Pushes that field of the hit (or frame) at index 1; false: there is none of this name. */
bool state_push_field(lua_State *L, const char *key);
void state_open(lua_State *L);

/* ---- hit.c --------------------------------------------------------------------------------------
 */

struct script_hit *hit_at(lua_State *L, int index); /* NULL: it is no hit */
/* Pushes the thread: the same one is the same value, so that scripts can compare them. */
void thread_push(lua_State *L, struct engine_thread *t);
/* Pushes a field of the arrival; false: there is none of this name. */
bool hit_push_field(lua_State *L, const struct arrival *a, const char *key);

#endif
