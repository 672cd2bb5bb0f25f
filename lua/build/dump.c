/*
 * A step of the build: dump CHUNK <FILE.lua >FILE.luac. Compiles Lua that is part of gatectl, so that no
 * start has to (0.8 ms for the prelude). Linked with the same Lua that will load it; what an error
 * message says of lines stays in.
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
