/* Functions in initializers of variables: tables of functions. */
#include "tracer/audit/frontend/reader.h"

struct function_table {
	struct audit_reader *reader;
	unsigned field; /* + 1, that the designator names; 0 if there is none */
};

static void store(struct function_table *t, unsigned field, unsigned function)
{
	struct number_map *stored = &t->reader->program->stored;
	unsigned known;

	for (size_t at = 0; (known = number_map_next(stored, field, &at));)
		if (known == function)
			return;
	number_map_add(stored, field, function);
}

/* USR of the function that the expression is, or 0. */
static unsigned function_of(const struct audit_reader *r, CXCursor c)
{
	const enum CXCursorKind kind = cursor_kind(r, c);
	CXCursor to;

	if (kind == CXCursor_UnexposedExpr || kind == CXCursor_CStyleCastExpr ||
	    kind == CXCursor_UnaryOperator || kind == CXCursor_ParenExpr) {
		CHILDREN(parts, r, c);

		return parts.count == 1 ? function_of(r, parts.items[0]) : 0;
	}
	to = kind == CXCursor_DeclRefExpr ? r->clang.getCursorReferenced(c)
					  : r->clang.getNullCursor();
	return cursor_kind(r, to) == CXCursor_FunctionDecl ? cursor_usr(r, to) : 0;
}

/* Functions in a list without designators are those of the fields in order. */
static void read_list(struct function_table *t, CXCursor list)
{
	struct audit_reader *r = t->reader;
	const unsigned record = record_of_type(r, r->clang.getCursorType(list));
	CHILDREN(values, r, list);

	for (size_t i = 0; record && i < values.count; i++) {
		const struct audit_record *of = &r->program->records.items[record - 1];
		const unsigned function = function_of(r, values.items[i]);

		if (function && i < of->fields.count)
			store(t, of->fields.items[i] + 1, function);
	}
}

static enum CXChildVisitResult read_value(CXCursor c, CXCursor parent, CXClientData data)
{
	struct function_table *t = data;
	struct audit_reader *r = t->reader;
	CXCursor to;

	(void)parent;
	switch ((unsigned)cursor_kind(r, c)) {
	case CXCursor_InitListExpr:
		read_list(t, c);
		return CXChildVisit_Recurse;
	case CXCursor_MemberRef:
		t->field = record_field(r, r->clang.getCursorReferenced(c));
		return CXChildVisit_Continue;
	case CXCursor_DeclRefExpr:
		to = r->clang.getCursorReferenced(c);
		if (cursor_kind(r, to) == CXCursor_FunctionDecl) {
			/* The function may be called from anywhere. */
			number_map_set(&r->program->taken, cursor_usr(r, to), TAKEN_SOMEHOW);
			if (t->field)
				store(t, t->field, cursor_usr(r, to));
		}
		t->field = 0;
		return CXChildVisit_Continue;
	default:
		return CXChildVisit_Recurse;
	}
}

void table_read(struct audit_reader *r, CXCursor variable)
{
	struct function_table t = {r, 0};

	r->clang.visitChildren(variable, read_value, &t);
}
