/* The arguments of a call, as debuggers print them: q=0x5555..., n=3, p=<optimised out>. */
#include "tracer/base/text/utf8.h"
#include "tracer/inspect/inspect.h"
#include "tracer/inspect/variables/variables.h"

#include <string.h>

enum { ARGUMENTS_MOST = 16, ARGUMENTS_TEXT = 240, VALUE_MOST = 60 };

static void read_arguments(const struct inspect_call *call, struct place_arguments *out)
{
	const struct dwarf_frame *f = &call->frame;
	ERROR(ignored);
	struct code_place p;

	if (f->module && !f->signal && call->function &&
	    place_find(f->module, f->lookup_pc - f->bias, call->depth, &p, &ignored) >= 0 &&
	    p.self.scope)
		place_arguments(&p, out, &ignored);
}

static void add_fault(const struct error *err, struct str *out)
{
	if (strstr(error_text(err), "optimised out"))
		str_add(out, "<optimised out>");
	else
		str_add(out, "<unreadable>");
}

/* True if the text shows members of a library class, which mean nothing to the library's users. */
static bool is_inside_library(const char *text)
{
	return strstr(text, " _M_") || strstr(text, "{_M_") || strncmp(text, "{<", 2) == 0 ||
	       strstr(text, "{__");
}

static void arguments_add_value(const struct inspect_value *v, struct str *out)
{
	STR(text);
	size_t shown;

	inspect_describe(v, &text);
	shown = text.length <= VALUE_MOST ? text.length : utf8_cut(text.text, VALUE_MOST);
	if (shown < text.length && *str_text(&text) == '{' && is_inside_library(str_text(&text))) {
		str_add(out, "{...}");
	} else {
		str_add_bytes(out, str_text(&text), shown);
		if (shown < text.length)
			str_add(out, *str_text(&text) == '"' ? "\"..." : "...");
	}
}

void inspect_call_arguments(const struct inspect_call *call, struct str *out)
{
	size_t before = out->length;
	struct place_arguments all = {0};
	int64_t shown = 0;

	read_arguments(call, &all);
	for (size_t i = 0; i < all.count; i++) {
		const struct place_argument *a = &all.items[i];
		struct inspect_value v;
		ERROR(err);
		int failed;

		str_add(out, i ? ", " : "");
		if (i == ARGUMENTS_MOST || out->length - before > ARGUMENTS_TEXT) {
			str_add(out, "...");
			break;
		}
		if (a->name && *a->name)
			str_addf(out, "%s=", a->name);
		failed = a->artificial
				 ? inspect_variable_local(call, a->name ? a->name : "", &v, &err)
				 : inspect_argument(call, shown++, &v, &err);
		if (failed)
			add_fault(&err, out);
		else
			arguments_add_value(&v, out);
	}
	array_fini(&all);
}
