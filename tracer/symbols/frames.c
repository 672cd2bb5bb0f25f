/* Call frames, as .eh_frame describes them for unwinders (libdwarf reads it). */
#include "tracer/symbols/module.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

struct frame_table {
	Dwarf_Debug debug;
	Dwarf_Cie *cies;
	Dwarf_Fde *fdes;
	Dwarf_Signed cie_count, fde_count;
};

void frames_free(struct frame_table *f)
{
	Dwarf_Error error = NULL;

	if (!f)
		return;
	if (f->fdes)
		dwarf_fde_cie_list_dealloc(f->debug, f->cies, f->cie_count, f->fdes, f->fde_count);
	if (f->debug)
		dwarf_finish(f->debug, &error);
	base_free(f);
}

/* A file without frames, or with broken ones, has an empty table: there are other ways. */
static struct frame_table *table_of(struct module *m)
{
	Dwarf_Error error = NULL;
	struct frame_table *f = m->frames;

	if (f)
		return f;
	f = m->frames = base_alloc(1, sizeof(*f));
	if (dwarf_init_b(m->fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, NULL, NULL, &f->debug, &error) !=
	    DW_DLV_OK) {
		f->debug = NULL;
		return f;
	}
	if (dwarf_get_fde_list_eh(f->debug, &f->cies, &f->cie_count, &f->fdes, &f->fde_count,
				  &error) != DW_DLV_OK)
		f->fdes = NULL;
	dwarf_set_frame_cfa_value(f->debug, DW_FRAME_CFA_COL3);
	return f;
}

bool symbols_cfa(struct module *m, uint64_t offset, unsigned *reg, int64_t *add)
{
	struct frame_table *f = table_of(m);
	Dwarf_Signed relevant, number, value;
	Dwarf_Addr low, high, row;
	Dwarf_Error error = NULL;
	Dwarf_Small type;
	Dwarf_Ptr block;
	Dwarf_Fde fde;

	if (!f->fdes ||
	    dwarf_get_fde_at_pc(f->fdes, offset, &fde, &low, &high, &error) != DW_DLV_OK)
		return false;
	if (dwarf_get_fde_info_for_cfa_reg3(fde, offset, &type, &relevant, &number, &value, &block,
					    &row, &error) != DW_DLV_OK)
		return false;
	if (type != DW_EXPR_OFFSET || !relevant || number < 0)
		return false; /* an expression: only in hand-written code and PLTs */
	*reg = (unsigned)number;
	*add = value;
	return true;
}
