/* Output of the writers of tracer/base for given texts; tests/fuzz/writers.py judges it. A text
   comes on standard input as its length (4 bytes) and its bytes; for each one all writers answer in
   the order of `writers`. */
#include "tracer/base/text/foreign.h"
#include "tracer/base/text/json.h"
#include "tracer/base/text/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

static void line(struct str *out, const char *text)
{
	foreign_line(out, text);
}

static void lines(struct str *out, const char *text)
{
	foreign_lines(out, text, "\n\t");
}

static void lua_comment(struct str *out, const char *text)
{
	foreign_lua_comment(out, "%s", text);
}

/* A command with this word in a comment, as harness writes one. */
static void command(struct str *out, const char *text)
{
	struct str word = {0};

	foreign_shell_word(&word, text);
	foreign_c_comment(out, str_text(&word));
	str_fini(&word);
}

static void json(struct str *out, const char *text)
{
	struct json j = {0};

	json_object(&j, NULL);
	json_string(&j, text, text);
	json_end_object(&j);
	str_add(out, str_text(&j.out));
	json_fini(&j);
}

static void script(struct str *out, const char *text)
{
	struct str plain = {0};

	json(&plain, text);
	foreign_script_json(out, str_text(&plain));
	str_fini(&plain);
}

static void xml(struct str *out, const char *text)
{
	str_add(out, "<a");
	xml_attribute(out, "title", text);
	str_add(out, ">");
	xml_text(out, text);
	str_add(out, "</a>");
}

static void property(struct str *out, const char *text)
{
	foreign_workflow(out, text, strlen(text), true);
}

static void (*const writers[])(struct str *, const char *) = {
	line,	lines,	lua_comment, foreign_lua_string, foreign_c_comment, foreign_c_text,    foreign_c_format,
	command, json, script,	     xml,		 foreign_shell_word, foreign_code_span, foreign_code_line,
	foreign_uri, property,
};

/* Lua reads the comment as nothing, and the string as the text. */
static int lua_agrees(lua_State *L, const char *text)
{
	struct str chunk = {0};
	size_t length;
	const char *value;
	int same;

	str_add(&chunk, "local before = 1\n");
	lua_comment(&chunk, text);
	str_add(&chunk, "return before, ");
	foreign_lua_string(&chunk, text);
	same = luaL_loadbuffer(L, str_text(&chunk), chunk.length, "=x") == LUA_OK && lua_pcall(L, 0, 2, 0) == LUA_OK;
	if (same) {
		value = lua_tolstring(L, -1, &length);
		same = lua_tointeger(L, -2) == 1 && length == strlen(text) && memcmp(value, text, length) == 0;
	}
	lua_settop(L, 0);
	str_fini(&chunk);
	return same;
}

static void answer(const char *text, unsigned length)
{
	fwrite(&length, sizeof(length), 1, stdout);
	fwrite(text, 1, length, stdout);
}

int main(void)
{
	lua_State *L = luaL_newstate();
	unsigned length;

	while (fread(&length, sizeof(length), 1, stdin) == 1) {
		char *text = calloc(1, (size_t)length + 1);

		if (fread(text, 1, length, stdin) != length)
			return 1;
		for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
			struct str out = {0};

			writers[i](&out, text);
			answer(str_text(&out), (unsigned)out.length);
			str_fini(&out);
		}
		answer(lua_agrees(L, text) ? "yes" : "no", lua_agrees(L, text) ? 3 : 2);
		free(text);
	}
	lua_close(L);
	return 0;
}
