/* Compares entries and attributes. */
#ifndef TESTS_WITNESS_ENTRIES_H
#define TESTS_WITNESS_ENTRIES_H

#include "witness_lines.h"
#include "witness_lists.h"

/* ---- values --------------------------------------------------------------------------------- */

/* An attribute during its comparison. */
struct pair {
	struct witness *w;
	Dwarf_Attribute theirs;
	const struct entry *e;
	const struct attr *ours;
	struct difference d; /* the difference to report */
};

static inline bool pair_said(struct pair *p, int answer, const Dwarf_Error *error)
{
	return said(p->w, answer, error, p->d);
}

static inline void pair_differs(struct pair *p, const char *what, uint64_t theirs)
{
	struct difference d = p->d;

	d.what = what;
	d.ours = p->ours->number;
	d.theirs = theirs;
	differs(p->w, &d);
}

static inline void same_form(struct pair *p, unsigned form)
{
	if (p->ours->form != form)
		pair_differs(p, "form", form);
}

static inline void same_number(struct pair *p, uint64_t theirs)
{
	if (p->ours->number != theirs || p->ours->block)
		pair_differs(p, "number", theirs);
}

static inline void same_block(struct pair *p, const void *bytes, uint64_t size)
{
	if (!p->ours->block || p->ours->size != size)
		pair_differs(p, "size of a block", size);
	else if (memcmp(p->ours->block, bytes, size) != 0)
		pair_differs(p, "block", size);
}

static inline void same_text(struct pair *p, const char *theirs)
{
	const char *ours = die_text(p->w->ours, p->e->unit, p->ours);

	p->d.our_text = ours;
	p->d.their_text = theirs;
	if (!ours || strcmp(ours, theirs) != 0)
		pair_differs(p, "text", 0);
}

static inline void compare_number(struct pair *p, unsigned form)
{
	bool is_signed = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
	Dwarf_Unsigned unsigned_value;
	Dwarf_Signed signed_value;
	Dwarf_Error error;

	same_form(p, form);
	if (is_signed ? pair_said(p, dwarf_formsdata(p->theirs, &signed_value, &error), &error)
		      : pair_said(p, dwarf_formudata(p->theirs, &unsigned_value, &error), &error))
		same_number(p, is_signed ? (uint64_t)signed_value : unsigned_value);
}

static inline void compare_address(struct pair *p)
{
	Dwarf_Error error;
	Dwarf_Addr value;

	same_form(p, DW_FORM_addr);
	if (pair_said(p, dwarf_formaddr(p->theirs, &value, &error), &error))
		same_number(p, value);
}

static inline void compare_flag(struct pair *p, unsigned form)
{
	Dwarf_Error error;
	Dwarf_Bool value;

	same_form(p, form);
	if (pair_said(p, dwarf_formflag(p->theirs, &value, &error), &error))
		same_number(p, value != 0);
}

static inline void compare_text(struct pair *p, unsigned form)
{
	Dwarf_Error error;
	char *value;

	same_form(p, form);
	if (pair_said(p, dwarf_formstring(p->theirs, &value, &error), &error))
		same_text(p, value);
}

static inline void compare_block(struct pair *p, unsigned form)
{
	Dwarf_Error error;
	Dwarf_Block *value;

	same_form(p, form);
	if (!pair_said(p, dwarf_formblock(p->theirs, &value, &error), &error))
		return;
	same_block(p, value->bl_data, value->bl_len);
	dwarf_dealloc(p->w->theirs, value, DW_DLA_BLOCK);
}

static inline void compare_expression(struct pair *p)
{
	Dwarf_Unsigned size;
	Dwarf_Error error;
	Dwarf_Ptr bytes;

	same_form(p, DW_FORM_exprloc);
	if (pair_said(p, dwarf_formexprloc(p->theirs, &size, &bytes, &error), &error))
		same_block(p, bytes, size);
}

static inline void compare_data16(struct pair *p)
{
	Dwarf_Form_Data16 value;
	Dwarf_Error error;

	same_form(p, DW_FORM_data16);
	if (pair_said(p, dwarf_formdata16(p->theirs, &value, &error), &error))
		same_block(p, value.fd_data, sizeof(value.fd_data));
}

/* Compares the offset of an entry, or an offset into another section. */
static inline void compare_offset(struct pair *p, unsigned form)
{
	bool within = form != DW_FORM_ref_addr && form != DW_FORM_sec_offset;
	Dwarf_Error error;
	Dwarf_Off value;

	same_form(p, form);
	if (pair_said(p, dwarf_global_formref(p->theirs, &value, &error), &error))
		same_number(p, value + (within ? p->w->base : 0));
}

static inline void compare_signature(struct pair *p)
{
	Dwarf_Sig8 signature;
	Dwarf_Error error;
	uint64_t number;

	same_form(p, DW_FORM_ref_sig8);
	if (!pair_said(p, dwarf_formsig8(p->theirs, &signature, &error), &error))
		return;
	memcpy(&number, signature.signature, sizeof(number));
	array_each(const struct signed_type, t, &p->w->types) {
		if (t->signature == number) {
			same_number(p, t->die);
			return;
		}
	}
	pair_differs(p, "a signature of no type", number);
}

static inline void compare_value(struct pair *p, unsigned form)
{
	switch (form) {
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		compare_address(p);
		break;
	case DW_FORM_flag:
	case DW_FORM_flag_present:
		compare_flag(p, form);
		break;
	case DW_FORM_string:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		compare_text(p, form);
		break;
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		compare_block(p, form);
		break;
	case DW_FORM_exprloc:
		compare_expression(p);
		break;
	case DW_FORM_data16:
		compare_data16(p);
		break;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
	case DW_FORM_sec_offset:
		compare_offset(p, form);
		break;
	case DW_FORM_ref_sig8:
		compare_signature(p);
		break;
	case DW_FORM_loclistx: /* only the lists are compared, with their offsets */
	case DW_FORM_rnglistx:
		same_form(p, DW_FORM_sec_offset);
		break;
	default:
		compare_number(p, form);
	}
}

/* ---- attributes ----------------------------------------------------------------------------- */

static inline bool is_location_list(const struct witness *w, unsigned name, unsigned form)
{
	enum Dwarf_Form_Class class = dwarf_get_form_class(w->version, (Dwarf_Half)name,
							   w->offset_size, (Dwarf_Half)form);

	return class == DW_FORM_CLASS_LOCLIST || class == DW_FORM_CLASS_LOCLISTPTR;
}

static inline void compare_attribute(struct witness *w, Dwarf_Die die, const struct entry *e,
				     const struct attr *ours, Dwarf_Attribute theirs)
{
	struct pair p = {.w = w, .theirs = theirs, .e = e, .ours = ours};
	struct parts ranges = {0};
	Dwarf_Half name = 0, form = 0;
	Dwarf_Error error;

	p.d = (struct difference){.what = "an error", .entry = e->offset, .tag = e->tag};
	if (!pair_said(&p, dwarf_whatattr(theirs, &name, &error), &error) ||
	    !pair_said(&p, dwarf_whatform(theirs, &form, &error), &error))
		return;
	p.d.attribute = name;
	p.d.form = form;
	if (name != ours->name) {
		pair_differs(&p, "attribute", ours->name);
		return;
	}
	compare_value(&p, form);
	w->counts->attributes++;
	if (is_location_list(w, name, form))
		compare_locations(w, e, ours, theirs, p.d);
	if (name != DW_AT_ranges && (name != DW_AT_high_pc || entry_attr(e, DW_AT_ranges)))
		return;
	if (name == DW_AT_high_pc)
		ranges_of_pair(w, die, p.d, &ranges);
	else if (w->version >= 5)
		ranges_of_5(w, theirs, ours, p.d, &ranges);
	else
		ranges_of_4(w, die, theirs, p.d, &ranges);
	compare_ranges(w, e, &ranges);
	array_fini(&ranges.list);
}

static inline void compare_attributes(struct witness *w, Dwarf_Die die, const struct entry *e)
{
	Dwarf_Attribute *list = NULL;
	Dwarf_Signed count = 0;
	Dwarf_Error error;

	said(w, dwarf_attrlist(die, &list, &count, &error), &error,
	     (struct difference){.what = "an error", .entry = e->offset, .tag = e->tag});
	if ((uint64_t)count != e->count)
		differ(w, "the number of attributes", e->offset, e->count, (uint64_t)count);
	for (Dwarf_Signed i = 0; i < count; i++) {
		if (i < e->count)
			compare_attribute(w, die, e, &e->at[i], list[i]);
		dwarf_dealloc_attribute(list[i]);
	}
	dwarf_dealloc(w->theirs, list, DW_DLA_LIST);
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Our next entry, ends of lists skipped. */
static inline void next_entry(struct witness *w, struct entry *e)
{
	ERROR(err);

	do {
		if (entry_read(w->ours, w->next, e, &err) < 0)
			fail_msg("%s: %s", w->name, err.text);
		w->next = e->next;
		w->depth -= !e->tag;
	} while (!e->tag);
}

/* Compares an entry. Returns false if the comparison cannot go on. */
static inline bool compare_entry(struct witness *w, Dwarf_Die die, unsigned depth)
{
	Dwarf_Half tag = 0, children = 0;
	Dwarf_Off offset = 0;
	Dwarf_Error error;
	struct entry e;

	next_entry(w, &e);
	if (dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK ||
	    dwarf_tag(die, &tag, &error) != DW_DLV_OK ||
	    dwarf_die_abbrev_children_flag(die, &children) != DW_DLV_OK)
		fail_msg("%s: libdwarf cannot say what an entry is", w->name);
	if (offset + w->base != e.offset || w->depth != depth) {
		differ(w, "where an entry is", e.offset, w->depth, offset + w->base);
		return false;
	}
	if (tag != e.tag)
		differ(w, "tag", e.offset, e.tag, tag);
	if (children != e.children)
		differ(w, "are there children?", e.offset, e.children, children);
	compare_attributes(w, die, &e);
	w->depth += e.children;
	w->counts->entries++;
	return true;
}

static inline bool compare_tree(struct witness *w, Dwarf_Die die, bool is_info, unsigned depth)
{
	Dwarf_Die at, next;
	Dwarf_Error error;
	int answer;
	bool more;

	if (!compare_entry(w, die, depth))
		return false;
	answer = dwarf_child(die, &at, &error);
	while (answer == DW_DLV_OK) {
		more = compare_tree(w, at, is_info, depth + 1);
		answer = dwarf_siblingof_b(w->theirs, at, is_info, &next, &error);
		dwarf_dealloc_die(at);
		at = next;
		if (!more)
			break;
	}
	if (answer == DW_DLV_OK)
		dwarf_dealloc_die(at);
	said(w, answer, &error, (struct difference){.what = "an error", .entry = w->next});
	return answer == DW_DLV_NO_ENTRY;
}

/* Skips our ends of lists after libdwarf's last entry. */
static inline void end_of_unit(struct witness *w)
{
	ERROR(err);
	struct entry e;

	for (; w->next < w->unit->end; w->next = e.next) {
		if (entry_read(w->ours, w->next, &e, &err) < 0)
			fail_msg("%s: %s", w->name, err.text);
		if (e.tag)
			differ(w, "an entry that is not theirs", e.offset, e.tag, 0);
	}
}

/* ---- units ---------------------------------------------------------------------------------- */

struct their_unit {
	Dwarf_Unsigned length, type, next;
	Dwarf_Half version, address_size, offset_size, extension, kind;
	Dwarf_Off abbrev;
	Dwarf_Sig8 signature;
};

static inline bool next_unit(struct witness *w, bool is_info, struct their_unit *u)
{
	Dwarf_Error error;
	int answer = dwarf_next_cu_header_d(w->theirs, is_info, &u->length, &u->version, &u->abbrev,
					    &u->address_size, &u->offset_size, &u->extension,
					    &u->signature, &u->type, &u->next, &u->kind, &error);

	return said(w, answer, &error, (struct difference){.what = "an error in a unit's header"});
}

static inline void compare_header(struct witness *w, const struct their_unit *u, uint64_t offset)
{
	const struct die_unit *ours = w->unit;

	if (ours->offset != offset || ours->end != u->next + w->base)
		differ(w, "where a unit is", ours->offset, ours->end, u->next + w->base);
	if (ours->version != u->version)
		differ(w, "the version of a unit", offset, ours->version, u->version);
	if (ours->address_size != u->address_size || ours->offset_size != u->offset_size)
		differ(w, "the sizes of a unit", offset, ours->offset_size, u->offset_size);
	if (ours->abbrev_offset != u->abbrev)
		differ(w, "the abbreviations of a unit", offset, ours->abbrev_offset, u->abbrev);
	if (u->version >= 5 && ours->type != u->kind)
		differ(w, "the type of a unit", offset, ours->type, u->kind);
	w->version = u->version;
	w->offset_size = u->offset_size;
}

/* Collects all signatures first: entries refer to later units. */
static inline void collect_types(struct witness *w, bool is_info)
{
	uint64_t offset = is_info ? 0 : w->ours->own.types_from;
	uint64_t base = offset;
	struct their_unit u;

	for (; next_unit(w, is_info, &u); offset = base + u.next) {
		struct signed_type t = {.die = offset + u.type};

		memcpy(&t.signature, u.signature.signature, sizeof(t.signature));
		if (u.kind == DW_UT_type || !is_info)
			*array_add(&w->types) = t;
	}
}

static inline uint64_t low_of(struct witness *w, Dwarf_Die top)
{
	Dwarf_Error error;
	Dwarf_Addr low;
	int answer = dwarf_lowpc(top, &low, &error);

	return said(w, answer, &error, (struct difference){.what = "an error"}) ? low : 0;
}

static inline void compare_section(struct witness *w, bool is_info)
{
	uint64_t offset = w->base = is_info ? 0 : w->ours->own.types_from;
	struct their_unit u;
	Dwarf_Error error;
	ERROR(err);
	Dwarf_Off first;
	Dwarf_Die top;

	for (; next_unit(w, is_info, &u); offset = w->base + u.next) {
		if (dwarf_siblingof_b(w->theirs, NULL, is_info, &top, &error) != DW_DLV_OK ||
		    dwarf_dieoffset(top, &first, &error) != DW_DLV_OK)
			fail_msg("%s: libdwarf finds no top entry at 0x%lx", w->name, offset);
		w->unit = dies_unit_of(w->ours, w->base + first);
		if (!w->unit)
			fail_msg("%s: we have no unit at 0x%lx", w->name, offset);
		compare_header(w, &u, offset);
		if (dies_load(w->ours, w->unit, &err) < 0)
			fail_msg("%s: %s", w->name, err.text);
		w->next = w->unit->first;
		w->depth = 0;
		w->low = low_of(w, top);
		if (compare_tree(w, top, is_info, 0))
			end_of_unit(w);
		/* partial and type units share a table */
		if (!w->unit->signature && !w->unit->partial)
			compare_lines(w, top);
		dwarf_dealloc_die(top);
	}
}

static inline void compare_entries(struct witness *w)
{
	collect_types(w, true);
	collect_types(w, false);
	compare_section(w, true);
	compare_section(w, false);
	array_fini(&w->types);
}

#endif
