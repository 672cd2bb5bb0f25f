/* Sections with the call frame information of a module, and landing pads. */
#include "tracer/dwarf/cursor.h"
#include "tracer/dwarf/frames/frames.h"
#include "tracer/elf/module.h"

#include <libdwarf/dwarf.h>

struct frame_table {
	struct cfi_section eh, debug;
	bool debug_read; /* .debug_frame is read only if .eh_frame has no rule */
};

static void frames_free(void *data)
{
	struct frame_table *f = data;

	cfi_fini(&f->eh);
	cfi_fini(&f->debug);
	base_free(f);
}

static void find_eh(const struct module *m, struct cfi_section *out)
{
	struct section_data data;

	if (!module_loaded_section(m, ".eh_frame", &data, &out->address))
		return;
	out->bytes = data.bytes;
	out->size = data.size;
	out->eh = true;
	if (!module_loaded_section(m, ".eh_frame_hdr", &data, &out->header_address))
		return;
	out->header = data.bytes;
	out->header_size = data.size;
}

static void find_debug(struct module *m, struct frame_table *f)
{
	struct section_data data;
	ERROR(ignored);

	f->debug_read = true;
	if (!module_find_debug(m) || module_section(m, ".debug_frame", &data, &ignored) < 0)
		return;
	f->debug.bytes = data.bytes;
	f->debug.size = data.size;
}

static struct frame_table *call_frames_table_of(struct module *m)
{
	if (!m->frames) {
		m->frames = cleanup_alloc(&m->cleanups, sizeof(*m->frames), frames_free);
		find_eh(m, &m->frames->eh);
	}
	return m->frames;
}

bool frames_is_signal(struct module *m, uint64_t offset)
{
	return cfi_is_signal(&call_frames_table_of(m)->eh, offset);
}

/* Finds the exception table of a module's code, as cfi_exceptions() does. */
static bool frames_exceptions(struct module *m, uint64_t offset, uint64_t *table, uint64_t *low)
{
	return cfi_exceptions(&call_frames_table_of(m)->eh, offset, table, low);
}

static void each_span(struct cfi_section *s, struct cfi_section *without,
		      void (*each)(void *ctx, uint64_t low, uint64_t high), void *ctx)
{
	uint64_t end = 0;

	cfi_index(s);
	array_each(const struct cfi_span, span, &s->spans) {
		if (span->low < end || (without && cfi_has(without, span->low)))
			continue;
		each(ctx, span->low, span->high);
		end = span->high;
	}
}

void frames_each(struct module *m, void (*each)(void *ctx, uint64_t low, uint64_t high), void *ctx)
{
	struct frame_table *f = call_frames_table_of(m);

	if (!f->debug_read)
		find_debug(m, f);
	each_span(&f->eh, NULL, each, ctx);
	each_span(&f->debug, &f->eh, each, ctx);
}

int frames_row(struct module *m, uint64_t offset, struct cfi_row *out, struct error *err)
{
	struct frame_table *f = call_frames_table_of(m);
	int answer = cfi_row(&f->eh, offset, out, err);
	if (answer)
		return answer;
	if (!f->debug_read)
		find_debug(m, f);
	return cfi_row(&f->debug, offset, out, err);
}

bool dwarf_cfa(struct module *m, uint64_t offset, unsigned *reg, int64_t *add)
{
	ERROR(ignored);
	struct cfi_row row;

	if (frames_row(m, offset, &row, &ignored) <= 0 || row.cfa.kind != CFI_VALUE_OFFSET ||
	    row.cfa_register == CFI_REGISTERS)
		return false; /* an expression: only in hand-written code and PLTs */
	*reg = row.cfa_register;
	*add = row.cfa.number;
	return true;
}

/* ---- landing pads: call sites of an exception table ----------------------------------------- */

/* Reads the header of an exception table. Landing pads count from `low` unless it has another
   base. */
static bool read_head(const struct cfi_section *s, struct cursor *c, uint64_t low, uint64_t *base,
		      uint8_t *encoding)
{
	uint8_t how = cursor_u8(c);
	uint64_t size;

	*base = how == DW_EH_PE_omit ? low : cfi_pointer(s, c, how);
	if (cursor_u8(c) != DW_EH_PE_omit) /* table of types */
		cursor_uleb(c);
	*encoding = cursor_u8(c);
	size = cursor_uleb(c);
	if (c->broken || size > cursor_left(c))
		return false;
	c->end = c->at + size;
	return true;
}

static bool read_site(struct cursor *c, uint8_t encoding, uint64_t low, uint64_t base,
		      struct landing_pad *out)
{
	uint64_t pad;

	out->low = low + cfi_number(c, encoding);
	out->high = out->low + cfi_number(c, encoding);
	pad = cfi_number(c, encoding);
	out->pad = pad ? base + pad : 0;
	cursor_uleb(c); /* action, which selects what is caught */
	return !c->broken;
}

void landing_pads(struct module *m, uint64_t offset, struct landing_pads *out)
{
	struct cfi_section s = {.bytes = NULL};
	struct section_data data;
	struct landing_pad site;
	uint64_t table, low, base;
	uint8_t encoding;
	struct cursor c;

	if (!frames_exceptions(m, offset, &table, &low) ||
	    !module_loaded_section(m, ".gcc_except_table", &data, &s.address))
		return;
	s.bytes = data.bytes;
	s.size = data.size;
	c = (struct cursor){.at = s.bytes, .end = s.bytes + s.size};
	cursor_take(&c, table - s.address);
	if (!read_head(&s, &c, low, &base, &encoding))
		return;
	while (cursor_left(&c) && read_site(&c, encoding, low, base, &site))
		if (site.pad)
			*array_add(out) = site;
}
