/* The file that dwz -m has moved shared DIEs and texts into: .gnu_debugaltlink, or .debug_sup. */
#include "tracer/base/text/str.h"
#include "tracer/dwarf/cursor.h"
#include "tracer/dwarf/units/split.h"

#include <string.h>

#define DEBUG_ROOT "/usr/lib/debug"

/* What the module says of it. */
struct alternate_name {
	const char *name;
	const uint8_t *id;
	size_t id_size;
	bool sup; /* the identity is that of the other file's .debug_sup, not its build-id */
};

static bool read_sup(const struct section_data *d, bool *is_it, struct alternate_name *out)
{
	struct cursor c = {.at = d->bytes, .end = d->bytes + d->size};
	unsigned version = (unsigned)cursor_fixed(&c, 2);

	*is_it = cursor_fixed(&c, 1) != 0;
	out->sup = true;
	out->name = cursor_string(&c);
	out->id_size = cursor_uleb(&c);
	out->id = c.at;
	cursor_take(&c, out->id_size);
	return version == 5 && !c.broken && out->name;
}

/* False: the module names no file. */
static bool read_wanted(struct module *m, struct alternate_name *out)
{
	struct section_data d;
	ERROR(ignored);
	bool is_it;

	if (module_section(m, ".gnu_debugaltlink", &d, &ignored) == 0 && d.bytes) {
		size_t length = strnlen((const char *)d.bytes, d.size);

		if (length == 0 || length == d.size)
			return false;
		*out = (struct alternate_name){(const char *)d.bytes, d.bytes + length + 1,
					       d.size - length - 1, false};
		return true;
	}
	return module_section(m, ".debug_sup", &d, &ignored) == 0 && d.bytes &&
	       read_sup(&d, &is_it, out) && !is_it;
}

static bool is_same_sup(struct die_file *f, const struct alternate_name *w)
{
	struct section_data d;
	ERROR(ignored);
	struct alternate_name own;
	bool is_it;

	return elf_file_section(&f->file, ".debug_sup", &d, &ignored) == 0 && d.bytes &&
	       read_sup(&d, &is_it, &own) && is_it && own.id_size == w->id_size &&
	       memcmp(own.id, w->id, w->id_size) == 0;
}

static bool is_same_id(const struct die_file *f, const struct alternate_name *w)
{
	char id[65], wanted[65];

	if (w->id_size > 32)
		return false;
	module_hex(w->id, w->id_size, wanted);
	elf_file_build_id(&f->file, id);
	return strcmp(id, wanted) == 0;
}

/* 1: it is the file; 0: it is not there, or another one; -1: it is broken. */
static int try_path(struct die_table *t, const struct alternate_name *w, const char *path,
		    struct error *err)
{
	bool broken;
	struct die_file *f = die_file_open(path, DIES_SOURCE, "", &broken, err);

	if (!f)
		return broken ? -1 : 0;
	if (w->sup ? is_same_sup(f, w) : is_same_id(f, w)) {
		t->alt = &f->source;
		return 1;
	}
	die_file_free(f);
	return 0;
}

static int try_all(struct die_table *t, const struct alternate_name *w, struct str *path,
		   struct error *err)
{
	const char *from = t->module->debug_path, *slash = strrchr(from, '/');
	char id[65] = "";
	int answer;

	if (*w->name == '/' || !slash)
		str_add(path, w->name);
	else
		str_addf(path, "%.*s/%s", (int)(slash - from), from, w->name);
	answer = try_path(t, w, str_text(path), err);
	if (answer)
		return answer;
	str_clear(path);
	str_addf(path, DEBUG_ROOT "/.dwz/%s", str_base_name(w->name));
	answer = try_path(t, w, str_text(path), err);
	if (answer || w->id_size < 2 || w->id_size > 32)
		return answer;
	module_hex(w->id, w->id_size, id);
	str_clear(path);
	str_addf(path, DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2);
	return try_path(t, w, str_text(path), err);
}

int alternate_find(struct die_table *t, struct error *err)
{
	STR(path);
	struct alternate_name w;
	int answer;

	if (!t->module->debug_path || !read_wanted(t->module, &w))
		return 0;
	answer = try_all(t, &w, &path, err);
	if (answer == 0)
		t->alt_missing = base_strdup(w.name);
	return answer < 0 ? -1 : 0;
}

bool alternate_explain(const struct die_table *t, const char *what, struct error *err)
{
	if (!t->alt_missing)
		return false;
	error_set(err, ERROR_STATE,
		  "%s: %s is missing (or of another build), which has a part of the debug "
		  "information of %s",
		  what, t->alt_missing, module_name(t->module));
	error_hint(err, "put the file back that dwz -m made, or build again");
	return true;
}

void alternate_free(struct die_source *alt)
{
	die_file_free((struct die_file *)alt);
}
