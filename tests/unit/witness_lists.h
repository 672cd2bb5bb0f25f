/* Compares range lists and location lists. */
#ifndef TESTS_WITNESS_LISTS_H
#define TESTS_WITNESS_LISTS_H

#include "witness.h"

struct part {
	uint64_t low, high;
	bool is_default;
	const uint8_t *code; /* expression of a location */
	size_t size;
};

struct parts {
	ARRAY(struct part) list;
};

static inline void part_add(struct parts *to, uint64_t low, uint64_t high)
{
	*array_add(&to->list) = (struct part){.low = low, .high = high};
}

/* ---- ranges --------------------------------------------------------------------------------- */

static inline void ranges_of_5(struct witness *w, Dwarf_Attribute a, const struct attr *ours,
			       struct difference d, struct parts *out)
{
	Dwarf_Unsigned value, count, at, low, high, raw[2];
	Dwarf_Rnglists_Head head;
	Dwarf_Error error;
	Dwarf_Bool missing;
	unsigned length, kind;
	Dwarf_Half form;

	dwarf_whatform(a, &form, &error);
	if (form == DW_FORM_rnglistx ? !said(w, dwarf_formudata(a, &value, &error), &error, d)
				     : !said(w, dwarf_global_formref(a, &value, &error), &error, d))
		return;
	if (!said(w, dwarf_rnglists_get_rle_head(a, form, value, &head, &count, &at, &error),
		  &error, d))
		return;
	if (at != ours->number) {
		d.ours = ours->number;
		d.theirs = at;
		d.what = "the place of a range list";
		differs(w, &d);
	}
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		if (!said(w,
			  dwarf_get_rnglists_entry_fields_a(head, i, &length, &kind, raw, raw + 1,
							    &missing, &low, &high, &error),
			  &error, d))
			break;
		if (kind != DW_RLE_end_of_list && kind != DW_RLE_base_address &&
		    kind != DW_RLE_base_addressx)
			part_add(out, low, high);
	}
	dwarf_dealloc_rnglists_head(head);
}

static inline void ranges_of_4(struct witness *w, Dwarf_Die die, Dwarf_Attribute a,
			       struct difference d, struct parts *out)
{
	Dwarf_Unsigned bytes;
	Dwarf_Off at, real;
	uint64_t base = w->low;
	Dwarf_Ranges *list;
	Dwarf_Signed count;
	Dwarf_Error error;

	if (!said(w, dwarf_global_formref(a, &at, &error), &error, d) ||
	    !said(w, dwarf_get_ranges_b(w->theirs, at, die, &real, &list, &count, &bytes, &error),
		  &error, d))
		return;
	for (Dwarf_Signed i = 0; i < count; i++) {
		if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = list[i].dwr_addr2;
		else if (list[i].dwr_type == DW_RANGES_ENTRY)
			part_add(out, base + list[i].dwr_addr1, base + list[i].dwr_addr2);
	}
	dwarf_dealloc_ranges(w->theirs, list, count);
}

static inline void ranges_of_pair(struct witness *w, Dwarf_Die die, struct difference d,
				  struct parts *out)
{
	enum Dwarf_Form_Class kind;
	Dwarf_Addr low, high;
	Dwarf_Error error;
	Dwarf_Half form;

	if (!said(w, dwarf_lowpc(die, &low, &error), &error, d) ||
	    !said(w, dwarf_highpc_b(die, &high, &form, &kind, &error), &error, d))
		return;
	part_add(out, low, kind == DW_FORM_CLASS_ADDRESS ? high : low + high);
}

/* Removes ranges dropped by the linker, which are not in our list. */
static inline void drop(const struct witness *w, struct parts *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->list.count; i++) {
		const struct part *one = &p->list.items[i];

		if (one->low && one->low < one->high && module_is_code(w->module, one->low) &&
		    module_is_code(w->module, one->high - 1))
			p->list.items[kept++] = *one;
	}
	p->list.count = kept;
}

/* Our ranges are appended to those of the unit's scopes, and removed again. */
static inline void compare_ranges(struct witness *w, const struct entry *e, struct parts *theirs)
{
	struct cursor c = {.at = dies_bytes(e->unit, e->offset),
			   .end = dies_bytes(e->unit, e->unit->end)};
	size_t before = e->unit->ranges.count;
	ERROR(err);
	struct die d;
	int count;

	if (die_read(w->ours, e->unit, &c, true, &d, &err) < 0 ||
	    (count = die_ranges(w->ours, e->unit, &d, &err)) < 0) {
		differ(w, "ranges, which we cannot read", e->offset, 0, theirs->list.count);
		return;
	}
	drop(w, theirs);
	if ((size_t)count != theirs->list.count)
		differ(w, "the number of ranges", e->offset, (uint64_t)count, theirs->list.count);
	for (size_t i = 0; i < (size_t)count && i < theirs->list.count; i++) {
		const struct module_range *r = &e->unit->ranges.items[before + i];

		if (r->low != theirs->list.items[i].low)
			differ(w, "where a range begins", e->offset, r->low,
			       theirs->list.items[i].low);
		if (r->high != theirs->list.items[i].high)
			differ(w, "where a range ends", e->offset, r->high,
			       theirs->list.items[i].high);
		w->counts->ranges++;
	}
	e->unit->ranges.count = before;
}

/* ---- location lists ------------------------------------------------------------------------- */

/* Version 5: the bytes of each expression come by a call of their own. */
static inline void places_of_5(struct witness *w, Dwarf_Unsigned context, Dwarf_Unsigned at,
			       struct difference d, struct part *out, Dwarf_Unsigned *next)
{
	Dwarf_Unsigned raw[2], size, offset;
	unsigned length, kind;
	Dwarf_Small *bytes;
	Dwarf_Error error;

	if (!said(w,
		  dwarf_get_loclist_lle(w->theirs, context, at, at + (1 << 30), &length, &kind, raw,
					raw + 1, &size, &offset, &bytes, &error),
		  &error, d))
		return;
	out->code = bytes;
	out->size = size;
	*next = at + length;
}

/* A location list, as libdwarf's tables describe it. */
struct their_list {
	Dwarf_Loc_Head_c head;
	Dwarf_Unsigned count, context, at, bytes;
};

static inline bool begin_list(struct witness *w, Dwarf_Attribute a, struct difference d,
			      struct their_list *out)
{
	Dwarf_Unsigned count, version, ignored[7];
	Dwarf_Half sizes[3];
	Dwarf_Small kind;
	Dwarf_Bool has[3];
	Dwarf_Error error;

	if (!said(w, dwarf_get_loclist_c(a, &out->head, &out->count, &error), &error, d))
		return false;
	if (said(w,
		 dwarf_get_loclist_head_basics(
			 out->head, &kind, &count, &version, &out->context, &out->bytes, sizes,
			 sizes + 1, sizes + 2, ignored, ignored + 1, ignored + 2, ignored + 3, has,
			 ignored + 4, has + 1, ignored + 5, has + 2, ignored + 6, &out->at, &error),
		 &error, d))
		return true;
	dwarf_dealloc_loc_head_c(out->head);
	return false;
}

static inline bool is_place(unsigned kind)
{
	return kind != DW_LLE_end_of_list && kind != DW_LLE_base_address &&
	       kind != DW_LLE_base_addressx;
}

/* .debug_loc: the start of each expression, from which the end of the previous one follows. */
static inline void sizes_of_4(struct witness *w, const struct their_list *l, struct parts *out,
			      const uint64_t *expressions)
{
	uint64_t end = l->at + l->bytes;
	struct section_data loc;
	ERROR(err);

	if (module_section(w->module, ".debug_loc", &loc, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = out->list.count; i-- > 0;) {
		struct part *p = &out->list.items[i];

		if (!expressions[i]) {
			end -= 16;
			continue;
		}
		p->code = loc.bytes + expressions[i];
		p->size = end - expressions[i];
		end = expressions[i] - 18;
	}
	if (end != l->at)
		differ(w, "a list of locations that does not add up", l->at, end, l->at);
}

static inline void read_list(struct witness *w, const struct their_list *l, struct difference d,
			     struct parts *out)
{
	ARRAY(uint64_t) expressions = {0};
	Dwarf_Unsigned at = l->at;

	for (Dwarf_Unsigned i = 0; i < l->count; i++) {
		Dwarf_Unsigned raw[2], operations, expression = 0, offset;
		struct part p = {.code = NULL};
		Dwarf_Addr low, high;
		Dwarf_Small kind, source;
		Dwarf_Locdesc_c code;
		Dwarf_Bool missing;
		Dwarf_Error error;

		if (!said(w,
			  dwarf_get_locdesc_entry_d(l->head, i, &kind, raw, raw + 1, &missing, &low,
						    &high, &operations, &code, &source, &expression,
						    &offset, &error),
			  &error, d))
			break;
		if (is_place(kind))
			p = (struct part){.low = low, .high = high};
		p.is_default = kind == DW_LLE_default_location;
		if (w->version >= 5)
			places_of_5(w, l->context, at, d, &p, &at);
		if (w->version < 5 || is_place(kind)) {
			*array_add(&out->list) = p;
			*array_add(&expressions) = is_place(kind) ? expression : 0;
		}
	}
	if (w->version < 5)
		sizes_of_4(w, l, out, expressions.items);
	array_fini(&expressions);
}

/* The part valid at this offset, or NULL. */
static inline const struct part *part_at(const struct parts *p, uint64_t offset)
{
	const struct part *fallback = NULL;

	array_each(const struct part, one, &p->list) {
		if (one->low <= offset && offset < one->high)
			return one;
		if (one->is_default && !fallback)
			fallback = one;
	}
	return fallback;
}

static inline void compare_place(struct witness *w, const struct entry *e, const struct attr *a,
				 const struct parts *theirs, uint64_t offset)
{
	const struct part *p = part_at(theirs, offset);
	const uint8_t *code;
	ERROR(err);
	size_t size;

	if (loclist_find(e, a, offset, &code, &size, &err) < 0)
		differ(w, "a list of locations that we cannot read", e->offset, a->number, offset);
	else if (!code != !p)
		differ(w, "is there a location?", e->offset, code != NULL, offset);
	else if (p && size != p->size)
		differ(w, "the size of a location", e->offset, size, p->size);
	else if (p && memcmp(code, p->code, size) != 0)
		differ(w, "the bytes of a location", e->offset, offset, p->low);
	w->counts->places++;
}

/* libdwarf's ranges, joined in our way. */
static inline void known_ranges(const struct parts *p, struct parts *out)
{
	array_each(const struct part, one, &p->list) {
		struct part *last = out->list.count ? &out->list.items[out->list.count - 1] : NULL;

		if (!one->size || one->low >= one->high || one->code[0] == DW_OP_entry_value ||
		    one->code[0] == DW_OP_GNU_entry_value)
			continue;
		if (last && last->high == one->low)
			last->high = one->high;
		else
			part_add(out, one->low, one->high);
	}
}

static inline void compare_known_ranges(struct witness *w, const struct entry *e,
					const struct attr *a, const struct parts *theirs)
{
	struct loclist_ranges ours = {0};
	struct parts known = {0};
	ERROR(err);

	known_ranges(theirs, &known);
	if (loclist_ranges(e, a, &ours, &err) < 0 || ours.count != known.list.count)
		differ(w, "how many ranges have a known location", e->offset, ours.count,
		       known.list.count);
	for (size_t i = 0; i < ours.count && i < known.list.count; i++) {
		if (ours.items[i].low != known.list.items[i].low ||
		    ours.items[i].high != known.list.items[i].high)
			differ(w, "a range with a known location", e->offset, ours.items[i].low,
			       known.list.items[i].low);
	}
	array_fini(&ours);
	array_fini(&known.list);
}

/* Both find the same expression at the ends of each part, inside and outside. */
static inline void compare_locations(struct witness *w, const struct entry *e,
				     const struct attr *ours, Dwarf_Attribute a,
				     struct difference d)
{
	struct parts theirs = {0};
	struct their_list l;

	if (!begin_list(w, a, d, &l))
		return;
	if (l.at != ours->number)
		differ(w, "the place of a list of locations", e->offset, ours->number, l.at);
	read_list(w, &l, d, &theirs);
	array_each(const struct part, p, &theirs.list) {
		if (p->low >= p->high)
			continue;
		compare_place(w, e, ours, &theirs, p->low - 1);
		compare_place(w, e, ours, &theirs, p->low);
		compare_place(w, e, ours, &theirs, p->high - 1);
		compare_place(w, e, ours, &theirs, p->high);
	}
	compare_known_ranges(w, e, ours, &theirs);
	w->counts->lists++;
	array_fini(&theirs.list);
	dwarf_dealloc_loc_head_c(l.head);
}

#endif
