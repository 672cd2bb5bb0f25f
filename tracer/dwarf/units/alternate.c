/* The file to which dwz -m has moved shared DIEs and texts: .gnu_debugaltlink, or .debug_sup. */
#include "tracer/base/text/str.h"

#include "tracer/dwarf/cursor.h"
#include "tracer/dwarf/units/units.h"

#include <stdio.h>
#include <string.h>

#define DEBUG_ROOT "/usr/lib/debug"

/* Name and identity of the alternate file, from the module. */
struct alternate_name {
	const char *name;
	const uint8_t *id;
	size_t id_size;
	bool sup; /* `id` is from the file's .debug_sup, not its build-id */
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

/* Returns false if the module names no file. */
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

/* Returns 1 if the path is the wanted file, 0 if it is missing or another file, or -1 if it is
   broken. */
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
		  "%s: %s is missing, or of another build, and contains a part of the debug "
		  "information of %s",
		  what, t->alt_missing, module_name(t->module));
	error_hint(err, "restore the file that dwz -m made, or build again");
	return true;
}

void alternate_free(struct die_source *alt)
{
	die_file_free((struct die_file *)alt);
}

/* ---- ELF files with units of a module ------------------------------------------------------- */

static int die_file_take(struct die_file *f, const char *name, const char *suffix,
			 struct section_data *out, struct error *err)
{
	char full[64];

	snprintf(full, sizeof(full), "%s%s", name, suffix);
	if (elf_file_section(&f->file, full, out, err) < 0)
		return -1;
	if (!out->bytes) /* empty is simpler than missing */
		*out = (struct section_data){.bytes = (const uint8_t *)""};
	return 0;
}

void dies_join_types(struct die_source *in, const struct section_data *types)
{
	in->types_from = in->info.size;
	if (!types->bytes || !types->size)
		return;
	in->joined = base_alloc(in->info.size + types->size, 1);
	memcpy(in->joined, in->info.bytes, in->info.size);
	memcpy(in->joined + in->info.size, types->bytes, types->size);
	in->info.bytes = in->joined;
	in->info.size += types->size;
}

static int take_sections(struct die_file *f, const char *suffix, struct error *err)
{
	struct die_source *s = &f->source;
	struct section_data types;
	const struct {
		const char *name;
		struct section_data *data;
	} wanted[] = {
		{".debug_info", &s->info},	   {".debug_abbrev", &s->abbrev},
		{".debug_str", &s->str},	   {".debug_line_str", &s->line_str},
		{".debug_rnglists", &s->rnglists}, {".debug_str_offsets", &s->str_offsets},
		{".debug_loclists", &s->loclists}, {".debug_loc", &s->loc},
		{".debug_types", &types},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (die_file_take(f, wanted[i].name, suffix, wanted[i].data, err) < 0)
			return -1;
	if (die_file_take(f, ".debug_cu_index", "", &f->cu_index, err) < 0 ||
	    die_file_take(f, ".debug_tu_index", "", &f->tu_index, err) < 0)
		return -1;
	dies_join_types(s, &types);
	return 0;
}

struct die_file *die_file_open(const char *path, uint64_t start, const char *suffix, bool *broken,
			       struct error *err)
{
	struct elf_file file;
	struct die_file *f;

	if (elf_file_open(&file, path, broken, err) < 0)
		return NULL;
	f = base_alloc(1, sizeof(*f));
	f->file = file;
	f->source.start = start;
	if (take_sections(f, suffix, err) == 0)
		return f;
	*broken = true;
	die_file_free(f);
	return NULL;
}

void die_file_free(struct die_file *f)
{
	if (!f)
		return;
	array_each(struct die_unit *, u, &f->made) {
		array_fini(&(*u)->scopes);
		array_fini(&(*u)->ranges);
		array_fini(&(*u)->spans);
		base_free(*u);
	}
	array_fini(&f->made);
	array_fini(&f->units);
	base_free(f->source.joined);
	elf_file_close(&f->file);
	base_free(f);
}
