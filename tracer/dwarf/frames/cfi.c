/*
 * Reader of call frame information: FDEs, which describe code, and CIEs, which several FDEs share.
 */
#include "tracer/dwarf/cursor.h"
#include "tracer/dwarf/frames/frames.h"

#include <libdwarf/dwarf.h>

#include <string.h>

/* Data of a CIE. */
struct cfi_common {
	uint64_t code_align, return_address;
	int64_t data_align;
	uint8_t encoding;   /* DW_EH_PE_* of addresses */
	uint8_t exceptions; /* encoding of the LSDA pointer; DW_EH_PE_omit: no pointer */
	bool sized, signal;
	struct cursor code; /* initial instructions */
};

/* ---- pointers ------------------------------------------------------------------------------- */

uint64_t cfi_number(struct cursor *c, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cursor_fixed(c, 8);
	case DW_EH_PE_uleb128:
		return cursor_uleb(c);
	case DW_EH_PE_sleb128:
		return (uint64_t)cursor_sleb(c);
	case DW_EH_PE_udata2:
		return cursor_fixed(c, 2);
	case DW_EH_PE_udata4:
		return cursor_fixed(c, 4);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)cursor_fixed(c, 2);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)cursor_fixed(c, 4);
	default:
		c->broken = true;
		return 0;
	}
}

/* Only absolute and pc-relative pointers are read: compilers for x86-64 use no others. */
uint64_t cfi_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding)
{
	uint64_t here = s->address + (uint64_t)(c->at - s->bytes);
	uint64_t value = cfi_number(c, encoding);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return here + value;
	default:
		c->broken = true;
		return 0;
	}
}

bool cfi_pointer_at(const struct cfi_section *s, size_t at, uint8_t encoding, uint64_t *out)
{
	struct cursor c = {.at = s->bytes, .end = s->bytes + s->size};

	cursor_take(&c, at);
	*out = cfi_pointer(s, &c, encoding);
	return !c.broken;
}

/* ---- CIEs and FDEs -------------------------------------------------------------------------- */

/* Header of a CIE or an FDE. */
struct header {
	uint64_t offset;
	struct cursor body; /* after the id, to the end of the entry */
	uint64_t next;
	bool is_cie;
	uint64_t cie; /* offset of the FDE's CIE, or of the CIE itself */
};

/* Reads a header. Returns 1, or 0 at the end of the section and for an invalid entry. */
static int read_header(const struct cfi_section *s, uint64_t offset, struct header *out)
{
	struct cursor c = {.at = s->bytes, .end = s->bytes + s->size};
	uint64_t length, id, at;
	unsigned size = 4;

	cursor_take(&c, offset);
	length = cursor_fixed(&c, 4);
	if (length == UINT32_MAX) {
		length = cursor_fixed(&c, 8);
		size = 8;
	}
	if (c.broken || !length || length > (uint64_t)(c.end - c.at))
		return 0;
	*out = (struct header){.offset = offset, .body = {.at = c.at, .end = c.at + length}};
	out->next = (uint64_t)(out->body.end - s->bytes);
	at = (uint64_t)(c.at - s->bytes);
	if (s->eh)
		size = 4; /* ids of .eh_frame have 4 bytes in 64-bit entries too */
	id = cursor_fixed(&out->body, size);
	if (s->eh) {
		out->is_cie = id == 0;
		out->cie = out->is_cie ? offset : at - id;
	} else {
		out->is_cie = id == (size == 4 ? UINT32_MAX : UINT64_MAX);
		out->cie = out->is_cie ? offset : id;
	}
	return !out->body.broken;
}

/* Reads the data of an augmentation string that begins with z. */
static void read_augmentation(const struct cfi_section *s, struct cursor *c, const char *letters,
			      struct cfi_common *out)
{
	uint64_t size = cursor_uleb(c);
	struct cursor in = *c;

	cursor_take(c, size);
	for (letters++; *letters; letters++) {
		if (*letters == 'R')
			out->encoding = (uint8_t)cursor_fixed(&in, 1);
		else if (*letters == 'L')
			out->exceptions = (uint8_t)cursor_fixed(&in, 1);
		else if (*letters == 'P')
			cfi_pointer(s, &in, (uint8_t)(cursor_fixed(&in, 1) & 0x7f));
		else if (*letters == 'S')
			out->signal = true;
		else if (*letters != 'B')
			break; /* data of unknown letters is skipped */
	}
	out->sized = true;
}

/* Reads a CIE. Returns 0, or -1 if it is invalid or of an unknown kind. */
static int read_common(const struct cfi_section *s, uint64_t offset, struct cfi_common *out)
{
	struct header h;
	const char *augmentation;
	unsigned version;

	*out = (struct cfi_common){.encoding = DW_EH_PE_absptr, .exceptions = DW_EH_PE_omit};
	if (!read_header(s, offset, &h) || !h.is_cie)
		return -1;
	version = (unsigned)cursor_fixed(&h.body, 1);
	augmentation = cursor_string(&h.body);
	if (h.body.broken || (version != 1 && version != 3 && version != 4))
		return -1;
	if (strncmp(augmentation, "eh", 2) == 0)
		cursor_take(&h.body, 8);
	if (version == 4)
		cursor_take(&h.body, 2); /* sizes of addresses and of segments: 8 and 0 */
	out->code_align = cursor_uleb(&h.body);
	out->data_align = cursor_sleb(&h.body);
	out->return_address = version == 1 ? cursor_fixed(&h.body, 1) : cursor_uleb(&h.body);
	if (*augmentation == 'z')
		read_augmentation(s, &h.body, augmentation, out);
	else if (*augmentation && strcmp(augmentation, "eh") != 0)
		return -1;
	out->code = h.body;
	return h.body.broken ? -1 : 0;
}

/* Reads an FDE's range and moves h->body to its instructions. Returns 0, or -1. */
static int read_description(const struct cfi_section *s, struct header *h,
			    const struct cfi_common *common, struct cfi_span *out)
{
	out->entry = h->offset;
	out->low = cfi_pointer(s, &h->body, common->encoding);
	out->high = out->low + cfi_number(&h->body, common->encoding);
	if (common->sized)
		cursor_take(&h->body, cursor_uleb(&h->body));
	return h->body.broken ? -1 : 0;
}

/* ---- index ---------------------------------------------------------------------------------- */

static int cfi_by_low(const void *a, const void *b)
{
	const struct cfi_span *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

void cfi_index(struct cfi_section *s)
{
	struct cfi_common common = {.encoding = 0};
	uint64_t common_at = UINT64_MAX;
	bool usable = false;
	struct header h;

	if (s->indexed)
		return;
	s->indexed = true;
	for (uint64_t at = 0; s->bytes && read_header(s, at, &h); at = h.next) {
		struct cfi_span span;

		if (h.is_cie)
			continue;
		if (h.cie != common_at) {
			usable = read_common(s, h.cie, &common) == 0;
			common_at = h.cie;
		}
		/* The linker gives removed code the address 0. */
		if (usable && read_description(s, &h, &common, &span) == 0 && span.low &&
		    span.low < span.high)
			*array_add(&s->spans) = span;
	}
	array_sort(&s->spans, cfi_by_low);
}

void cfi_fini(struct cfi_section *s)
{
	array_fini(&s->spans);
}

/* ---- the linker's search table -------------------------------------------------------------- */

enum { TABLE_AT = 12, ROW_SIZE = 8 };

/* Start of the code and its FDE, relative to .eh_frame_hdr. */
struct table_row {
	int32_t low, entry;
};

static struct table_row table_row(const struct cfi_section *s, size_t i)
{
	struct table_row row;

	memcpy(&row, s->header + TABLE_AT + i * ROW_SIZE, sizeof(row));
	return row;
}

/* Returns the number of rows, 0 if the table is not of the format that all linkers write. */
static size_t table_size(const struct cfi_section *s)
{
	static const uint8_t usual[4] = {1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
					 DW_EH_PE_datarel | DW_EH_PE_sdata4};
	uint32_t count;

	if (!s->header || s->header_size < TABLE_AT || memcmp(s->header, usual, sizeof(usual)) != 0)
		return 0;
	memcpy(&count, s->header + 8, sizeof(count));
	return count <= (s->header_size - TABLE_AT) / ROW_SIZE ? count : 0;
}

/* Searches the table. The FDE that it leads to is read and must cover the address. */
static const struct cfi_span *find_by_table(struct cfi_section *s, uint64_t address)
{
	size_t low = 0, high = table_size(s);
	struct cfi_common common;
	struct header h;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->header_address + (uint64_t)table_row(s, middle).low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low ||
	    !read_header(s, s->header_address + (uint64_t)table_row(s, low - 1).entry - s->address,
			 &h) ||
	    h.is_cie || read_common(s, h.cie, &common) < 0 ||
	    read_description(s, &h, &common, &s->found) < 0)
		return NULL;
	return s->found.low && s->found.low <= address && address < s->found.high ? &s->found
										  : NULL;
}

static const struct cfi_span *find_span(struct cfi_section *s, uint64_t address)
{
	const struct cfi_span *quick = s->indexed ? NULL : find_by_table(s, address);
	size_t i;

	if (quick)
		return quick;
	cfi_index(s);
	i = array_upto(&s->spans, low, address);
	/* Spans overlap only if one is wrong, so a few earlier ones are tried. */
	for (size_t steps = 0; i-- > 0 && steps < 4; steps++)
		if (address < s->spans.items[i].high)
			return &s->spans.items[i];
	return NULL;
}

/* ---- instructions: they build a table, of which one row is needed --------------------------- */

enum { REMEMBERED = 16 }; /* compilers need one or two */

struct cfi_state {
	const struct cfi_section *section;
	const struct cfi_common *common;
	struct cursor c;
	uint64_t at, wanted; /* addresses: of the current row, and the one that is needed */
	struct cfi_row row, initial;
	/* REMEMBERED rows, `depth` of them in use; not worth clearing */
	struct cfi_row *remembered;
	unsigned depth;
	bool has_initial, failed;
	struct cfi_rule unwanted; /* takes rules of registers that are skipped */
};

/* Operands of an instruction: a register, and a rule for it or a distance to advance. */
struct cfi_operands {
	uint64_t reg;
	struct cfi_rule rule;
};

static void set_rule(struct cfi_state *t, const struct cfi_operands *o)
{
	*(o->reg < CFI_REGISTERS ? &t->row.rules[o->reg] : &t->unwanted) = o->rule;
}

static void restore(struct cfi_state *t, const struct cfi_operands *o)
{
	if (!t->has_initial)
		t->failed = true;
	else if (o->reg < CFI_REGISTERS)
		t->row.rules[o->reg] = t->initial.rules[o->reg];
}

static void set_cfa(struct cfi_state *t, const struct cfi_operands *o)
{
	t->row.cfa_register = o->reg < CFI_REGISTERS ? (unsigned)o->reg : CFI_REGISTERS;
	t->row.cfa = o->rule;
}

static void set_cfa_register(struct cfi_state *t, const struct cfi_operands *o)
{
	int64_t number = t->row.cfa.number;

	set_cfa(t, &(struct cfi_operands){o->reg, {.kind = CFI_VALUE_OFFSET, .number = number}});
}

/* Keeps the register, which has no meaning if the CFA is an expression. */
static void set_cfa_rule(struct cfi_state *t, const struct cfi_operands *o)
{
	t->row.cfa = o->rule;
}

static void remember(struct cfi_state *t, const struct cfi_operands *o)
{
	(void)o;
	if (t->depth == REMEMBERED)
		t->failed = true;
	else
		t->remembered[t->depth++] = t->row;
}

static void recall(struct cfi_state *t, const struct cfi_operands *o)
{
	(void)o;
	if (t->depth == 0)
		t->failed = true;
	else
		t->row = t->remembered[--t->depth];
}

static void set_location(struct cfi_state *t, const struct cfi_operands *o)
{
	t->at = (uint64_t)o->rule.number;
}

static void advance(struct cfi_state *t, const struct cfi_operands *o)
{
	t->at += (uint64_t)o->rule.number * t->common->code_align;
}

static void do_nothing(struct cfi_state *t, const struct cfi_operands *o)
{
	(void)t, (void)o;
}

/* Encodings of the operand after the register. */
enum cfi_operand {
	NONE,
	IN_BYTE,
	UNSIGNED,
	FACTORED,
	SIGNED_FACTORED,
	NEGATIVE,
	BLOCK,
	ADDRESS,
	FIXED
};

static const struct cfi_instruction {
	void (*run)(struct cfi_state *t, const struct cfi_operands *o); /* NULL: unknown */
	bool reg;
	enum cfi_operand operand;
	unsigned size; /* bytes of a FIXED operand */
	enum cfi_kind kind;
} instructions[] = {
	[DW_CFA_nop] = {do_nothing},
	[DW_CFA_set_loc] = {set_location, false, ADDRESS},
	[DW_CFA_advance_loc1] = {advance, false, FIXED, 1},
	[DW_CFA_advance_loc2] = {advance, false, FIXED, 2},
	[DW_CFA_advance_loc4] = {advance, false, FIXED, 4},
	[DW_CFA_offset_extended] = {set_rule, true, FACTORED, 0, CFI_OFFSET},
	[DW_CFA_restore_extended] = {restore, true},
	[DW_CFA_undefined] = {set_rule, true, NONE, 0, CFI_UNDEFINED},
	[DW_CFA_same_value] = {set_rule, true, NONE, 0, CFI_SAME},
	[DW_CFA_register] = {set_rule, true, UNSIGNED, 0, CFI_REGISTER},
	[DW_CFA_remember_state] = {remember},
	[DW_CFA_restore_state] = {recall},
	[DW_CFA_def_cfa] = {set_cfa, true, UNSIGNED, 0, CFI_VALUE_OFFSET},
	[DW_CFA_def_cfa_register] = {set_cfa_register, true},
	[DW_CFA_def_cfa_offset] = {set_cfa_rule, false, UNSIGNED, 0, CFI_VALUE_OFFSET},
	[DW_CFA_def_cfa_expression] = {set_cfa_rule, false, BLOCK, 0, CFI_EXPRESSION},
	[DW_CFA_expression] = {set_rule, true, BLOCK, 0, CFI_EXPRESSION},
	[DW_CFA_offset_extended_sf] = {set_rule, true, SIGNED_FACTORED, 0, CFI_OFFSET},
	[DW_CFA_def_cfa_sf] = {set_cfa, true, SIGNED_FACTORED, 0, CFI_VALUE_OFFSET},
	[DW_CFA_def_cfa_offset_sf] = {set_cfa_rule, false, SIGNED_FACTORED, 0, CFI_VALUE_OFFSET},
	[DW_CFA_val_offset] = {set_rule, true, FACTORED, 0, CFI_VALUE_OFFSET},
	[DW_CFA_val_offset_sf] = {set_rule, true, SIGNED_FACTORED, 0, CFI_VALUE_OFFSET},
	[DW_CFA_val_expression] = {set_rule, true, BLOCK, 0, CFI_VALUE_EXPRESSION},
	[DW_CFA_GNU_window_save] = {do_nothing},
	[DW_CFA_GNU_args_size] = {do_nothing, false, UNSIGNED},
	[DW_CFA_GNU_negative_offset_extended] = {set_rule, true, NEGATIVE, 0, CFI_OFFSET},
};

/* Opcodes with an operand in their low six bits. */
static const struct cfi_instruction in_byte[] = {
	{.run = advance, .operand = IN_BYTE},
	{.run = set_rule, .operand = FACTORED, .kind = CFI_OFFSET},
	{.run = restore},
};

static void read_operand(struct cfi_state *t, const struct cfi_instruction *i, struct cfi_rule *out)
{
	uint64_t factor = (uint64_t)t->common->data_align, number = 0;

	switch (i->operand) {
	case NONE:
		break;
	case IN_BYTE:
		number = (uint64_t)out->number;
		break;
	case UNSIGNED:
		number = cursor_uleb(&t->c);
		break;
	case FACTORED:
		number = cursor_uleb(&t->c) * factor;
		break;
	case SIGNED_FACTORED:
		number = (uint64_t)cursor_sleb(&t->c) * factor;
		break;
	case NEGATIVE:
		number = 0 - cursor_uleb(&t->c) * factor;
		break;
	case BLOCK:
		out->size = cursor_uleb(&t->c);
		out->code = t->c.at;
		cursor_take(&t->c, out->size);
		break;
	case ADDRESS:
		number = cfi_pointer(t->section, &t->c, t->common->encoding);
		break;
	case FIXED:
		number = cursor_fixed(&t->c, i->size);
		break;
	}
	out->number = (int64_t)number;
}

static void cfi_step(struct cfi_state *t)
{
	unsigned op = (unsigned)cursor_fixed(&t->c, 1), low = op & 0x3f;
	const struct cfi_instruction *i = &instructions[DW_CFA_nop];
	struct cfi_operands o = {.reg = low, .rule.number = (int64_t)low};

	if (op & 0xc0)
		i = &in_byte[(op >> 6) - 1];
	else if (op < sizeof(instructions) / sizeof(*instructions) && instructions[op].run)
		i = &instructions[op];
	else
		t->failed = true;
	o.rule.kind = i->kind;
	if (i->reg && !(op & 0xc0))
		o.reg = cursor_uleb(&t->c);
	read_operand(t, i, &o.rule);
	i->run(t, &o);
}

/* Runs instructions up to the row of the wanted address, or to their end. */
static void cfi_run_code(struct cfi_state *t, struct cursor code)
{
	t->c = code;
	while (t->c.at < t->c.end && !t->failed && !t->c.broken) {
		uint64_t at = t->at;

		cfi_step(t); /* an advance changes nothing else */
		if (t->at != at && t->at > t->wanted)
			return;
	}
}

/* Computes the row for an address: runs the CIE's instructions, then the FDE's from `low` on. */
static int cfi_run(const struct cfi_section *s, const struct cfi_common *common, struct cursor code,
		   uint64_t low, uint64_t address, struct cfi_row *out, struct error *err)
{
	struct cfi_row remembered[REMEMBERED];
	struct cfi_state t = {.section = s,
			      .common = common,
			      .at = low,
			      .wanted = address,
			      .remembered = remembered};

	t.row.cfa_register = CFI_REGISTERS;
	cfi_run_code(&t, common->code);
	t.at = low; /* the CIE's instructions have no addresses */
	t.initial = t.row;
	t.has_initial = true;
	if (!t.c.broken && !t.failed)
		cfi_run_code(&t, code);
	*out = t.row;
	out->return_address = common->return_address < CFI_REGISTERS
				      ? (unsigned)common->return_address
				      : CFI_REGISTERS;
	out->signal = common->signal;
	if (t.c.broken || t.failed || out->cfa.kind == CFI_UNSAID ||
	    out->return_address == CFI_REGISTERS)
		return error_set(err, ERROR_STATE, "broken call frame information");
	return 0;
}

/* ---- queries -------------------------------------------------------------------------------- */

bool cfi_has(struct cfi_section *s, uint64_t address)
{
	return find_span(s, address) != NULL;
}

bool cfi_is_signal(struct cfi_section *s, uint64_t address)
{
	const struct cfi_span *span = find_span(s, address);
	struct cfi_common common;
	struct header h;

	return span && read_header(s, span->entry, &h) && read_common(s, h.cie, &common) == 0 &&
	       common.signal;
}

int cfi_row(struct cfi_section *s, uint64_t address, struct cfi_row *out, struct error *err)
{
	const struct cfi_span *span = find_span(s, address);
	struct cfi_common common;
	struct cfi_span again;
	struct header h;

	if (!span)
		return 0;
	if (!read_header(s, span->entry, &h) || read_common(s, h.cie, &common) < 0 ||
	    read_description(s, &h, &common, &again) < 0)
		return error_set(err, ERROR_STATE, "broken call frame information");
	return cfi_run(s, &common, h.body, span->low, address, out, err) < 0 ? -1 : 1;
}

bool cfi_exceptions(struct cfi_section *s, uint64_t address, uint64_t *table, uint64_t *low)
{
	const struct cfi_span *span = find_span(s, address);
	struct cfi_common common;
	struct cursor nothing;
	struct header h;

	if (!span || !read_header(s, span->entry, &h) || read_common(s, h.cie, &common) < 0 ||
	    !common.sized || common.exceptions == DW_EH_PE_omit)
		return false;
	*low = cfi_pointer(s, &h.body, common.encoding);
	cfi_number(&h.body, common.encoding); /* size of the range */
	cursor_uleb(&h.body);
	nothing = h.body;
	if (!cfi_number(&nothing, common.exceptions))
		return false;
	*table = cfi_pointer(s, &h.body, common.exceptions);
	return !h.body.broken;
}
