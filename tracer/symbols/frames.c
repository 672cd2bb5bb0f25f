/* Call frames of a module's code: which section describes them. */
#include "tracer/symbols/cfi.h"
#include "tracer/symbols/module.h"

struct frame_table {
	struct cfi_section eh, debug;
	bool debug_read; /* .debug_frame is only looked at where .eh_frame knows nothing */
};

void frames_free(struct frame_table *f)
{
	if (!f)
		return;
	cfi_fini(&f->eh);
	cfi_fini(&f->debug);
	base_free(f);
}

static void find_eh(const struct module *m, struct cfi_section *out)
{
	GElf_Shdr h;

	if (!module_find_section(m->elf, ".eh_frame", &h) || h.sh_flags & SHF_COMPRESSED ||
	    h.sh_offset > m->size || h.sh_size > m->size - h.sh_offset)
		return;
	out->bytes = m->image + h.sh_offset;
	out->size = h.sh_size;
	out->address = h.sh_addr;
	out->eh = true;
	cfi_index(out);
}

static void find_debug(struct module *m, struct frame_table *f)
{
	struct section_data data;
	struct error ignored;

	f->debug_read = true;
	if (!module_find_debug(m) || module_section(m, ".debug_frame", &data, &ignored) < 0)
		return;
	f->debug.bytes = data.bytes;
	f->debug.size = data.size;
	cfi_index(&f->debug);
}

static struct frame_table *table_of(struct module *m)
{
	if (!m->frames) {
		m->frames = base_alloc(1, sizeof(*m->frames));
		find_eh(m, &m->frames->eh);
	}
	return m->frames;
}

bool frames_is_signal(struct module *m, uint64_t offset)
{
	return cfi_is_signal(&table_of(m)->eh, offset);
}

int frames_row(struct module *m, uint64_t offset, struct cfi_row *out, struct error *err)
{
	struct frame_table *f = table_of(m);
	int answer = cfi_row(&f->eh, offset, out, err);
	if (answer)
		return answer;
	if (!f->debug_read)
		find_debug(m, f);
	return cfi_row(&f->debug, offset, out, err);
}

bool symbols_cfa(struct module *m, uint64_t offset, unsigned *reg, int64_t *add)
{
	struct error ignored;
	struct cfi_row row;

	if (frames_row(m, offset, &row, &ignored) <= 0 || row.cfa.kind != CFI_VALUE_OFFSET ||
	    row.cfa_register == CFI_REGISTERS)
		return false; /* an expression: only in hand-written code and PLTs */
	*reg = row.cfa_register;
	*add = row.cfa.number;
	return true;
}
