/* Headers of a module's line programs: file tables, and parameters of the programs. */
#include "tracer/dwarf/lines/lines.h"

#include "tracer/dwarf/cursor.h"
#include "tracer/dwarf/units/units.h"
#include "tracer/elf/module.h"

#include <inttypes.h>

#include <libdwarf/dwarf.h>

enum { FORMATS_MAX = 255 };

struct entry_format {
	uint64_t content, form;
};

/* A section of strings, read on first use because .debug_str may be large. */
struct strings {
	const char *section;
	bool fetched;
	struct section_data data;
};

/* A header that is being read. */
struct heading {
	struct module *m;
	struct line_unit *u;
	struct strings strings, line_strings;
	struct cursor in;
	unsigned offset_size;
	struct abbrevs sizes; /* sizes of forms */
	struct error *err;
};

static int broken(const struct heading *h, const char *what)
{
	return error_set(h->err, ERROR_OBJECT, "%s: .debug_line is broken at 0x%" PRIx64 ": %s",
			 h->m->debug_path, h->u->stmt_list, what);
}

/* ---- version 5: self-describing tables ------------------------------------------------------ */

static int read_offset_string(struct heading *h, struct strings *strings, const char **text)
{
	uint64_t offset = cursor_fixed(&h->in, h->offset_size);

	if (!strings->fetched && module_section(h->m, strings->section, &strings->data, h->err) < 0)
		return -1;
	strings->fetched = true;
	*text = h->in.broken ? NULL : section_text(&strings->data, offset);
	return *text ? 0 : broken(h, "a name is not in the section of strings");
}

/* Reads one value of a table: a string into *text or a number into *number; others are skipped. */
static int read_form(struct heading *h, uint64_t form, const char **text, uint64_t *number)
{
	static const struct die_unit unit;
	struct attr value = {0};
	int size;

	switch (form) {
	case DW_FORM_string:
		*text = cursor_string(&h->in);
		return 0;
	case DW_FORM_line_strp:
		return read_offset_string(h, &h->line_strings, text);
	case DW_FORM_strp:
		return read_offset_string(h, &h->strings, text);
	case DW_FORM_udata:
		*number = cursor_uleb(&h->in);
		return 0;
	default:
		size = form <= UINT16_MAX ? abbrev_form_size(&h->sizes, (unsigned)form) : -2;
		if (size == -2 || size == 0) /* forms without bytes would allow any count */
			return broken(h, "a form in its file table is unknown");
		attr_read(&h->sizes, &unit, &h->in, &(struct abbrev_attr){.form = (uint16_t)form},
			  &value);
		*number = value.number;
		return 0;
	}
}

static int read_entry(struct heading *h, const struct entry_format *formats, unsigned count,
		      struct line_file *out)
{
	out->name = "";
	for (unsigned i = 0; i < count; i++) {
		const char *text = NULL;
		uint64_t number = 0;

		if (read_form(h, formats[i].form, &text, &number) < 0)
			return -1;
		if (formats[i].content == DW_LNCT_path && text)
			out->name = text;
		else if (formats[i].content == DW_LNCT_directory_index)
			out->dir = number;
	}
	return h->in.broken ? broken(h, "its file table extends beyond the end") : 0;
}

/* Reads the table of directories or of files. */
static int read_table(struct heading *h, bool dirs)
{
	struct entry_format formats[FORMATS_MAX];
	unsigned format_count = cursor_u8(&h->in);
	uint64_t count;

	for (unsigned i = 0; i < format_count; i++) {
		formats[i].content = cursor_uleb(&h->in);
		formats[i].form = cursor_uleb(&h->in);
	}
	count = cursor_uleb(&h->in);
	/* Every entry has at least one byte, so a count beyond the rest is corrupt. */
	if (h->in.broken || count > cursor_left(&h->in) || (count && !format_count))
		return broken(h, "its file table extends beyond the end");
	for (uint64_t i = 0; i < count; i++) {
		struct line_file entry = {0};

		if (read_entry(h, formats, format_count, &entry) < 0)
			return -1;
		if (dirs)
			*array_add(&h->u->dirs) = entry.name;
		else
			*array_add(&h->u->files) = entry;
	}
	return 0;
}

static int read_tables(struct heading *h)
{
	if (read_table(h, true) < 0 || read_table(h, false) < 0)
		return -1;
	h->u->comp_dir = h->u->dirs.count ? h->u->dirs.items[0] : NULL;
	return 0;
}

/* ---- versions 2 to 4 ------------------------------------------------------------------------ */

static int read_old_tables(struct heading *h)
{
	const char *name;

	*array_add(&h->u->dirs) = h->u->comp_dir; /* lines_set_comp_dir() may have set it already */
	while ((name = cursor_string(&h->in)) && *name)
		*array_add(&h->u->dirs) = name;
	while ((name = cursor_string(&h->in)) && *name) {
		struct line_file *f = array_add(&h->u->files);

		f->name = name;
		f->dir = cursor_uleb(&h->in);
		cursor_uleb(&h->in); /* modification time */
		cursor_uleb(&h->in); /* length in bytes */
	}
	return h->in.broken ? broken(h, "its file table extends beyond the end") : 0;
}

/* ---- headers -------------------------------------------------------------------------------- */

/* Reads the fields between the header's length and its tables. */
static int read_parameters(struct heading *h)
{
	struct line_program *p = &h->u->program;

	p->min_inst = cursor_u8(&h->in);
	p->max_ops = h->u->version >= 4 ? cursor_u8(&h->in) : 1;
	p->default_is_stmt = cursor_u8(&h->in) != 0;
	p->line_base = (int8_t)cursor_u8(&h->in);
	p->line_range = cursor_u8(&h->in);
	p->opcode_base = cursor_u8(&h->in);
	if (p->max_ops == 0)
		p->max_ops = 1;
	if (!h->in.broken && (p->line_range == 0 || p->opcode_base == 0))
		return broken(h, "its line range or opcode base is zero");
	p->operands = cursor_take(&h->in, p->opcode_base - 1u);
	return h->in.broken ? broken(h, "its header extends beyond the end") : 0;
}

/* Reads a header; h->in has the bytes of the unit after its length. */
static int read_header(struct heading *h)
{
	const uint8_t *unit_end = h->in.end;
	uint64_t length;

	h->u->version = (unsigned)cursor_fixed(&h->in, 2);
	h->sizes = (struct abbrevs){.version = 5, .address_size = 8};
	h->sizes.offset_size = (uint8_t)h->offset_size;
	if (!h->in.broken && (h->u->version < 2 || h->u->version > 5))
		return error_set(h->err, ERROR_OBJECT,
				 "%s: .debug_line at 0x%" PRIx64
				 ": version %u of line programs is unknown",
				 h->m->debug_path, h->u->stmt_list, h->u->version);
	if (h->u->version >= 5)
		cursor_take(&h->in, 2); /* sizes of an address and of a segment selector */
	length = cursor_fixed(&h->in, h->offset_size);
	if (h->in.broken || length > cursor_left(&h->in))
		return broken(h, "its header extends beyond the end");
	h->in.end = h->in.at + length;
	h->u->program.bytes = h->in.end;
	h->u->program.end = unit_end;
	if (read_parameters(h) < 0)
		return -1;
	h->u->headed = true;
	return h->u->version >= 5 ? read_tables(h) : read_old_tables(h);
}

/* Reads the length of a unit, narrows h->in to the unit and moves `rest` past it. */
static int read_length(struct heading *h, struct cursor *rest)
{
	uint64_t length = cursor_fixed(rest, 4);

	h->offset_size = 4;
	if (length == 0xffffffff) {
		h->offset_size = 8;
		length = cursor_fixed(rest, 8);
	} else if (length >= 0xfffffff0) {
		return broken(h, "its length is a reserved value");
	}
	h->in = *rest;
	if (rest->broken || !cursor_take(rest, length))
		return broken(h, "it extends beyond the end of the section");
	h->in.end = rest->at;
	return 0;
}

static bool only_zeros(const struct cursor *b)
{
	for (const uint8_t *at = b->at; at < b->end; at++)
		if (*at)
			return false;
	return true;
}

static int read_units(struct heading *h, struct line_table *t, const struct section_data *section)
{
	struct cursor rest = {.at = section->bytes, .end = section->bytes + section->size};
	struct pass pass = {rest.at};

	while (rest.at < rest.end) {
		pass_to(&pass, rest.at);
		if (rest.at[0] == 0 && only_zeros(&rest)) /* padding of the linker */
			break;
		h->u = array_add(&t->units);
		h->u->stmt_list = (uint64_t)(rest.at - section->bytes);
		h->u->program.unit = rest.at;
		if (read_length(h, &rest) < 0 || read_header(h) < 0)
			return -1;
	}
	return 0;
}

static void lines_free(void *data)
{
	struct line_table *t = data;

	array_each(struct line_unit, u, &t->units) {
		array_each(struct line_file, f, &u->files)
			base_free(f->path);
		array_fini(&u->files);
		array_fini(&u->dirs);
		array_fini(&u->rows);
		array_fini(&u->by_line);
		array_fini(&u->sequences);
	}
	array_fini(&t->units);
	base_free(t);
}

struct line_table *lines_new(struct module *m)
{
	struct line_table *t = cleanup_alloc(&m->cleanups, sizeof(*t), lines_free);

	t->module = m;
	return m->lines = t;
}

static struct heading heading_of(struct module *m, struct error *err)
{
	struct heading h = {.m = m, .err = err};

	h.strings.section = ".debug_str";
	h.line_strings.section = ".debug_line_str";
	return h;
}

struct line_table *lines_units(struct module *m, struct error *err)
{
	struct heading h = heading_of(m, err);
	struct section_data section;
	struct line_table *t;

	if (m->lines)
		return m->lines;
	if (module_section(m, ".debug_line", &section, err) < 0)
		return NULL;
	t = base_alloc(1, sizeof(*t));
	t->module = m;
	if (section.bytes && read_units(&h, t, &section) < 0) {
		lines_free(t);
		return NULL;
	}
	cleanup_add(&m->cleanups, lines_free, t);
	return m->lines = t;
}

int lines_head(struct module *m, struct line_unit *u, struct error *err)
{
	struct heading h = heading_of(m, err);
	struct section_data section;
	struct cursor rest;

	if (u->headed)
		return 0;
	if (module_section(m, ".debug_line", &section, err) < 0)
		return -1;
	h.u = u;
	rest = (struct cursor){.at = section.bytes, .end = section.bytes + section.size};
	if (!cursor_take(&rest, u->stmt_list))
		return broken(&h, "it extends beyond the end of the section");
	u->program.unit = rest.at;
	if (read_length(&h, &rest) == 0 && read_header(&h) == 0)
		return 0;
	u->headed = false; /* a later call reads it again and reports the same error */
	array_fini(&u->dirs);
	array_fini(&u->files);
	return -1;
}

struct line_table *lines_table(struct module *m, struct error *err)
{
	struct line_table *t = lines_units(m, err);

	for (size_t i = 0; t && i < t->units.count; i++)
		if (lines_head(m, &t->units.items[i], err) < 0)
			return NULL;
	return t;
}

struct line_unit *lines_unit_bare(struct line_table *t, uint64_t stmt_list)
{
	size_t i = array_below(&t->units, stmt_list, stmt_list);

	if (i < t->units.count && t->units.items[i].stmt_list == stmt_list)
		return &t->units.items[i];
	return NULL;
}

struct line_unit *lines_unit_at(struct line_table *t, uint64_t stmt_list)
{
	struct line_unit *u = lines_unit_bare(t, stmt_list);
	ERROR(ignored);

	if (u)
		lines_head(t->module, u, &ignored);
	return u;
}
