/*
 * Build step "dump CHUNK <FILE.lua >FILE.luac": compiles gatectl's Lua files, which saves 0.8 ms at
 * each start. Linked with the Lua that loads them; line numbers for messages are kept.
 */
#include <lauxlib.h>
#include <stdio.h>

static char text[1 << 20];

static int write_piece(lua_State *L, const void *piece, size_t size, void *to)
{
	(void)L;
	return fwrite(piece, 1, size, to) != size;
}

int main(int argc, char **argv)
{
	size_t length = fread(text, 1, sizeof(text), stdin);
	lua_State *L = luaL_newstate();
	int failed = 1;

	if (argc != 2 || !L || length == sizeof(text))
		fputs("usage: dump CHUNK, with the source on standard input\n", stderr);
	else if (luaL_loadbufferx(L, text, length, argv[1], "t"))
		fprintf(stderr, "%s\n", lua_tostring(L, -1));
	else
		failed = lua_dump(L, write_piece, stdout, 0) || fflush(stdout);
	if (L)
		lua_close(L);
	return failed;
}
