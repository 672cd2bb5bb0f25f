/* The call sites of an exception table. */
#include "tracer/dwarf/frames/landing_pads.h"
#include "tracer/dwarf/frames/cfi_internal.h"
#include "tracer/elf/module_tables.h"

#include <libdwarf/dwarf.h>

/* What stands before the call sites. Where landing pads count from is `low`, if nothing else is said. */
static bool read_head(const struct cfi_section *s, struct cursor *c, uint64_t low, uint64_t *base,
		      uint8_t *encoding)
{
	uint8_t how = cursor_u8(c);
	uint64_t size;

	*base = how == DW_EH_PE_omit ? low : cfi_pointer(s, c, how);
	if (cursor_u8(c) != DW_EH_PE_omit) /* types */
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
	cursor_uleb(c); /* what is caught */
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
