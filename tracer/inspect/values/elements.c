/* Elements of library types: contiguous ones, blocks, lists and trees. */
#include "tracer/inspect/values/layout.h"

#include <string.h>

enum {
	WALK_MAX = 1 << 20,  /* nodes of a list or a tree */
	CLIMB_MAX = 1 << 10, /* levels of a tree */
};

/* ---- words ---------------------------------------------------------------------------------- */

static int value_word(const struct inspect_value *v, uint64_t offset, uint64_t *out,
		      struct error *err)
{
	struct inspect_value word;
	bool is_unsigned;

	if (value_part(v, type_builtin("unsigned long"), offset, &word, err) < 0)
		return -1;
	return value_integer(&word, (int64_t *)out, &is_unsigned, err);
}

/* Reads 8 bytes of a node or a block. Fails if they cannot be read: the container is not valid. */
static int word_at(const struct inspect_value *v, uint64_t address, uint64_t *out,
		   struct error *err)
{
	const struct inspect_value word =
		value_in_memory(v->program, type_builtin("unsigned long"), address);

	return value_word(&word, 0, out, err) < 0 ? layout_invalid(v, err) : 0;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* Finds a std::string's text: a pointer and a length, which clang's debug information may lack
   because it expects libstdc++.so to have it. Before C++11 the length was in front of the text. */
static int string_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	uint64_t room;

	if (value_word(v, 0, &row->address, err) < 0)
		return -1;
	if (v->type->size == 8)
		return word_at(v, row->address - 24, &row->count, err);
	if (value_word(v, 8, &row->count, err) < 0)
		return -1;
	/* If the text is outside the object, its capacity is at offset 16: it is less than the
	   length only before construction. */
	if (v->place == INSPECT_IN_MEMORY && row->address != v->address + 16 &&
	    (value_word(v, 16, &room, err) < 0 || room < row->count))
		return layout_invalid(v, err);
	return row->address ? 0 : layout_invalid(v, err);
}

/* libc++: a long text has its capacity with the lowest bit set, length and pointer. A short one
   has a byte of twice its length, and the text. */
static int short_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	uint64_t first;

	if (value_word(v, 0, &first, err) < 0)
		return -1;
	if (first & 1)
		return value_word(v, 8, &row->count, err) < 0 ||
				       value_word(v, 16, &row->address, err) < 0
			       ? -1
			       : 0;
	row->address = v->address + row->type->size;
	row->count = (first & 0xff) / 2;
	return v->place == INSPECT_IN_MEMORY ? 0 : layout_invalid(v, err);
}

static int text_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct type *c = type_argument(v->type, 0);

	row->type = c && c->kind == TYPE_CHAR ? c : type_builtin("char");
	return row->layout->kind == LAYOUT_SHORT ? short_row(v, row, err) : string_row(v, row, err);
}

/* ---- rows and blocks ------------------------------------------------------------------------ */

/* Finds the elements by a pointer to the first one and an end or a count. */
static int plain_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct type_layout *l = row->layout;
	const struct type *argument = l->rust && !l->text ? type_argument(v->type, 0) : NULL;
	struct inspect_value first;
	uint64_t end, size;
	int answer = layout_part(v, l->first, &first, err);

	if (answer <= 0 || first.type->kind != TYPE_POINTER)
		return answer < 0 ? -1 : layout_invalid(v, err);
	row->type = type_whole(argument ? argument : first.type->of, v->program);
	if (value_address(&first, &row->address, err) < 0)
		return -1;
	if (!l->end)
		return layout_number(v, l->count, &row->count, err);
	size = layout_size(v->program, row->type);
	if (layout_number(v, l->end, &end, err) < 0)
		return -1;
	if (!size || end < row->address || (end - row->address) % size)
		return layout_invalid(v, err);
	row->count = (end - row->address) / size;
	return 0;
}

static int bits_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct type_layout *l = row->layout;
	uint64_t end;

	row->type = type_builtin("bool");
	if (layout_number(v, l->first, &row->address, err) < 0 ||
	    layout_number(v, l->count, &row->count, err) < 0)
		return -1;
	if (!l->end)
		return 0;
	if (layout_number(v, l->end, &end, err) < 0)
		return -1;
	if (end < row->address || row->count > 63 || end - row->address > UINT64_MAX / 16)
		return layout_invalid(v, err);
	row->count += (end - row->address) * 8;
	return 0;
}

/* libstdc++: elements start and end anywhere in the first and last block. */
static int blocks_between(const struct inspect_value *v, struct value_row *row, uint64_t size,
			  struct error *err)
{
	uint64_t at, first, node, end, end_first;

	if (layout_number(v, "_M_impl._M_start._M_cur", &at, err) < 0 ||
	    layout_number(v, "_M_impl._M_start._M_first", &first, err) < 0 ||
	    layout_number(v, "_M_impl._M_finish._M_node", &node, err) < 0 ||
	    layout_number(v, "_M_impl._M_finish._M_cur", &end, err) < 0 ||
	    layout_number(v, "_M_impl._M_finish._M_first", &end_first, err) < 0)
		return -1;
	if (at < first || end < end_first || node < row->address ||
	    (at - first) / size >= row->block || (end - end_first) / size >= row->block)
		return layout_invalid(v, err);
	row->skipped = (at - first) / size;
	row->count = (node - row->address) / 8 * row->block + (end - end_first) / size;
	if (row->count < row->skipped)
		return layout_invalid(v, err);
	row->count -= row->skipped;
	return 0;
}

static int blocks_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct type_layout *l = row->layout;
	const struct type *of = type_argument(v->type, 0);
	uint64_t size;

	row->type = of ? type_whole(of, v->program) : NULL;
	size = of ? layout_size(v->program, row->type) : 0;
	if (!size || layout_number(v, l->first, &row->address, err) < 0)
		return size ? -1 : layout_invalid(v, err);
	row->block = size < l->block / l->block_least ? l->block / size : l->block_least;
	if (!l->count)
		return blocks_between(v, row, size, err);
	return layout_number(v, "__start_", &row->skipped, err) < 0 ||
			       layout_number(v, l->count, &row->count, err) < 0
		       ? -1
		       : 0;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t offset, uint64_t alignment)
{
	return (offset + alignment - 1) / alignment * alignment;
}

/* Moves to the next node of a tree, in order. */
static int tree_next(const struct inspect_value *v, const struct type_layout *l, uint64_t *node,
		     struct error *err)
{
	uint64_t next, right;
	unsigned steps = 0;

	if (word_at(v, *node + l->right, &next, err) < 0)
		return -1;
	if (next) {
		while (next && steps++ < CLIMB_MAX) {
			*node = next;
			if (word_at(v, next + l->next, &next, err) < 0)
				return -1;
		}
		return steps < CLIMB_MAX ? 0 : layout_invalid(v, err);
	}
	do {
		right = *node;
		if (word_at(v, right + l->parent, node, err) < 0 || !*node ||
		    word_at(v, *node + l->right, &next, err) < 0 || ++steps > CLIMB_MAX)
			return layout_invalid(v, err);
	} while (next == right);
	return 0;
}

static int node_next(const struct inspect_value *v, const struct type_layout *l, uint64_t *node,
		     struct error *err)
{
	if (l->kind == LAYOUT_TREE)
		return tree_next(v, l, node, err);
	return word_at(v, *node + l->next, node, err);
}

/* Counts the nodes of a list that stores no count: its end is a null pointer or the head. */
static int count_links(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	struct inspect_value head;
	uint64_t at = row->address, end = 0;

	if (row->layout->head && layout_part(v, row->layout->head, &head, err) > 0)
		end = head.address;
	for (row->count = 0; at && at != end; row->count++)
		if (row->count == WALK_MAX || word_at(v, at + row->layout->next, &at, err) < 0)
			return layout_invalid(v, err);
	return 0;
}

static int nodes_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	const struct type_layout *l = row->layout;
	const struct type *first = type_argument(v->type, 0);
	const struct type *second = l->map ? type_argument(v->type, 1) : first;
	struct inspect_value count;
	uint64_t alignment, key_size;
	int answer;

	if (!first || !second)
		return layout_invalid(v, err);
	row->type = type_whole(second, v->program);
	row->key = l->map ? type_whole(first, v->program) : NULL;
	alignment = type_alignment(row->type, v->program);
	row->key_at = row->value_at = aligned(l->value, alignment);
	if (row->key) {
		key_size = layout_size(v->program, row->key);
		if (type_alignment(row->key, v->program) > alignment)
			row->key_at = aligned(l->value, type_alignment(row->key, v->program));
		row->value_at = row->key_at + aligned(key_size, alignment);
	}
	if (layout_number(v, l->first, &row->address, err) < 0)
		return -1;
	answer = l->count ? layout_part(v, l->count, &count, err) : 0;
	if (answer < 0)
		return -1;
	if (answer == 0)
		return count_links(v, row, err);
	return layout_number(v, l->count, &row->count, err);
}

/* ---- all kinds ------------------------------------------------------------------------------ */

int pretty_row(const struct inspect_value *v, struct value_row *row, struct error *err)
{
	static int (*const rows[])(const struct inspect_value *, struct value_row *,
				   struct error *) = {
		[LAYOUT_STRING] = text_row,   [LAYOUT_SHORT] = text_row,
		[LAYOUT_ROW] = plain_row,     [LAYOUT_BITS] = bits_row,
		[LAYOUT_BLOCKS] = blocks_row, [LAYOUT_LINKS] = nodes_row,
		[LAYOUT_TREE] = nodes_row,
	};
	const struct type_layout *l = layout_of(v);

	*row = (struct value_row){.layout = l, .text = l->text};
	if (!rows[l->kind])
		return 0;
	if (rows[l->kind](v, row, err) < 0)
		return -1;
	return row->count > INT64_MAX ? layout_invalid(v, err) : 1;
}

/* Moves to the i-th node. Reading elements in order takes one step each. */
static int seek_node(const struct inspect_value *v, struct value_row *row, uint64_t i,
		     struct error *err)
{
	if (i > WALK_MAX)
		return layout_invalid(v, err);
	if (!row->node || i < row->index)
		row->node = row->address, row->index = 0;
	for (; row->node && row->index < i; row->index++)
		if (node_next(v, row->layout, &row->node, err) < 0)
			return -1;
	return row->node ? 0 : layout_invalid(v, err);
}

int value_row_key(const struct inspect_value *v, struct value_row *row, uint64_t i,
		  struct inspect_value *out, struct error *err)
{
	if (seek_node(v, row, i, err) < 0)
		return -1;
	*out = value_in_memory(v->program, row->key, row->node + row->key_at);
	return 0;
}

int value_row_at(const struct inspect_value *v, struct value_row *row, uint64_t i,
		 struct inspect_value *out, struct error *err)
{
	uint64_t size = layout_size(v->program, row->type), block;

	switch (row->layout->kind) {
	case LAYOUT_LINKS:
	case LAYOUT_TREE:
		if (seek_node(v, row, i, err) < 0)
			return -1;
		*out = value_in_memory(v->program, row->type, row->node + row->value_at);
		return 0;
	case LAYOUT_BLOCKS:
		i += row->skipped;
		if (word_at(v, row->address + i / row->block * 8, &block, err) < 0)
			return -1;
		*out = value_in_memory(v->program, row->type, block + i % row->block * size);
		return 0;
	case LAYOUT_BITS:
		*out = value_in_memory(v->program, row->type, row->address + i / 8);
		out->bit_offset = i % 8;
		out->bit_size = 1;
		return 0;
	default:
		*out = value_in_memory(v->program, row->type, row->address + i * size);
		return 0;
	}
}
