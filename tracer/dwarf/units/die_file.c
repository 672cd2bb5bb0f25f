/* ELF files with units that are not the module's own. */
#include "tracer/dwarf/units/dies_read.h"
#include "tracer/dwarf/units/split.h"

#include <stdio.h>

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
