/* Lowers expressions, and conditions to basic blocks. */
#include "tracer/audit/frontend/cxx.h"
#include "tracer/base/text/word.h"

#include <stdio.h>
#include <string.h>

static bool decays(const struct lower *l, CXCursor c)
{
	CXType t = cursor_type(l->reader, c);

	return t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray ||
	       t.kind == CXType_VariableArray || t.kind == CXType_Record;
}

struct audit_expr *lower_new(struct lower *l, enum audit_expr_kind kind, CXCursor c,
			     unsigned operands)
{
	struct audit_program *p = l->reader->program;
	struct audit_expr *e = program_alloc(p, sizeof(*e) + operands * sizeof(*e->operands));

	e->kind = kind;
	e->site = ++p->sites;
	e->at = cursor_place(l->reader, c);
	e->record = record_of_type(l->reader, l->reader->clang.getCursorType(c));
	e->decays = decays(l, c);
	e->is_pointer = cursor_type(l->reader, c).kind == CXType_Pointer;
	if (e->decays && l->reader->cxx &&
	    cxx_is_pointer(cxx_class_of(l->reader, cursor_type(l->reader, c)))) {
		e->decays = false;
		e->is_pointer = true;
	}
	e->count = operands;
	e->operands = operands ? (struct audit_expr **)(e + 1) : NULL;
	return e;
}

static struct audit_expr *lower_all(struct lower *l, enum audit_expr_kind kind, CXCursor c,
				    const struct cursors *parts)
{
	struct audit_expr *e = lower_new(l, kind, c, (unsigned)parts->count);

	for (size_t i = 0; i < parts->count; i++)
		e->operands[i] = lower_expr(l, parts->items[i]);
	return e;
}

/* ---- names and constants --------------------------------------------------------------------- */

static struct audit_expr *constant(struct lower *l, CXCursor c, long long value)
{
	struct audit_expr *e = lower_new(l, EXPR_CONSTANT, c, 0);

	e->value = (long)value;
	return e;
}

static struct audit_expr *literal(struct lower *l, CXCursor c)
{
	const struct clang *clang = &l->reader->clang;
	CXEvalResult is = clang->Cursor_Evaluate(c);
	struct audit_expr *e = is && clang->EvalResult_getKind(is) == CXEval_Int
				       ? constant(l, c, clang->EvalResult_getAsLongLong(is))
				       : lower_new(l, EXPR_OTHER, c, 0);

	if (is)
		clang->EvalResult_dispose(is);
	return e;
}

static struct audit_expr *reference(struct lower *l, CXCursor c)
{
	const struct audit_reader *r = l->reader;
	CXCursor to = r->clang.getCursorReferenced(c);
	const unsigned local = lower_local(l, to);
	enum audit_expr_kind kind = EXPR_OTHER;
	struct audit_expr *e;

	if (local) {
		kind = EXPR_LOCAL;
	} else if (cursor_kind(r, to) == CXCursor_EnumConstantDecl) {
		return constant(l, c, r->clang.getEnumConstantDeclValue(to));
	} else if (cursor_kind(r, to) == CXCursor_FunctionDecl) {
		kind = EXPR_FUNCTION;
	} else if (cursor_kind(r, to) == CXCursor_VarDecl) {
		kind = r->clang.getCursorTLSKind(to) != CXTLS_None ? EXPR_PRIVATE : EXPR_GLOBAL;
		if (kind == EXPR_GLOBAL)
			lower_global(l->reader, to);
	}
	e = lower_new(l, kind, c, 0);
	if (local)
		e->id = local - 1;
	else if (kind == EXPR_FUNCTION || kind == EXPR_GLOBAL)
		e->id = cursor_usr(r, to);
	if (kind == EXPR_FUNCTION)
		e->value = r->clang.Location_isInSystemHeader(r->clang.getCursorLocation(to));
	return e;
}

static struct audit_expr *lower_expr_member(struct lower *l, CXCursor c,
					    const struct cursors *parts)
{
	CXCursor field = l->reader->clang.getCursorReferenced(c);
	unsigned index = record_field(l->reader, field);
	struct audit_expr *e;

	if (parts->count != 1)
		return lower_all(l, EXPR_OTHER, c, parts);
	/* Member access of an unnamed struct in between. */
	if (!index)
		return lower_expr(l, parts->items[0]);
	e = lower_new(l, EXPR_MEMBER, c, 1);
	e->id = index - 1;
	e->operands[0] = lower_expr(l, parts->items[0]);
	e->is_arrow = cursor_type(l->reader, parts->items[0]).kind == CXType_Pointer;
	return e;
}

/* ---- operators ------------------------------------------------------------------------------- */

static struct audit_expr *binary(struct lower *l, CXCursor c, const struct cursors *parts)
{
	static const enum audit_expr_kind kinds[] = {
		[CURSOR_OTHER] = EXPR_OTHER,	 [CURSOR_ASSIGN] = EXPR_ASSIGN,
		[CURSOR_EQUAL] = EXPR_EQUAL,	 [CURSOR_UNEQUAL] = EXPR_UNEQUAL,
		[CURSOR_LESS] = EXPR_LESS,	 [CURSOR_LESS_EQUAL] = EXPR_LESS_EQUAL,
		[CURSOR_GREATER] = EXPR_GREATER, [CURSOR_GREATER_EQUAL] = EXPR_GREATER_EQUAL,
		[CURSOR_AND] = EXPR_AND,	 [CURSOR_OR] = EXPR_OR,
		[CURSOR_COMMA] = EXPR_LAST,	 [CURSOR_BITS] = EXPR_BITS,
	};
	enum cursor_operator is;

	if (parts->count != 2)
		return lower_all(l, EXPR_OTHER, c, parts);
	is = cursor_binary(l->reader, c, parts->items[0], parts->items[1]);
	return lower_all(l, kinds[is], c, parts);
}

static struct audit_expr *update(struct lower *l, CXCursor c, const struct cursors *parts)
{
	struct audit_expr *e = lower_all(l, EXPR_ASSIGN, c, parts);

	e->is_update = true;
	return e;
}

/* True for *(volatile T *)&x, as in READ_ONCE(): an atomic before C11. */
static bool is_cast_to_volatile(const struct audit_reader *r, CXCursor c)
{
	const enum CXCursorKind kind = cursor_kind(r, c);
	CHILDREN(parts, r, c);

	if (kind == CXCursor_CStyleCastExpr)
		return r->clang.isVolatileQualifiedType(r->clang.getPointeeType(cursor_type(r, c)));
	return (kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr) && parts.count == 1 &&
	       is_cast_to_volatile(r, parts.items[0]);
}

static struct audit_expr *unary(struct lower *l, CXCursor c, const struct cursors *parts)
{
	static const enum audit_expr_kind kinds[] = {
		[CURSOR_OTHER] = EXPR_OTHER,	[CURSOR_ADDRESS] = EXPR_ADDRESS,
		[CURSOR_DEREF] = EXPR_DEREF,	[CURSOR_NOT] = EXPR_NOT,
		[CURSOR_NEGATE] = EXPR_NEGATE,	[CURSOR_STEP] = EXPR_STEP,
		[CURSOR_EXTENSION] = EXPR_LAST,
	};
	const enum cursor_operator is =
		parts->count == 1 ? cursor_unary(l->reader, c, parts->items[0]) : CURSOR_OTHER;
	struct audit_expr *e = lower_all(l, kinds[is], c, parts);

	e->is_volatile = is == CURSOR_DEREF && is_cast_to_volatile(l->reader, parts->items[0]);
	return e;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* First word of the expression's text. */
static void first_word(const struct lower *l, CXCursor c, char *out, size_t size)
{
	struct cursor_text t = cursor_text(l->reader, c);
	size_t length = t.at ? word_length(t.at) : 0;

	snprintf(out, size, "%.*s", (int)length, t.at ? t.at : "");
}

/* Kind of an atomic, by the first row that is part of its name. */
static enum audit_atomic atomic_named(const char *name)
{
	static const struct {
		const char *part;
		enum audit_atomic is;
	} rows[] = {
		{"exchange", ATOMIC_EXCHANGE}, {"test_and", ATOMIC_EXCHANGE},
		{"compare", ATOMIC_EXCHANGE},  {"cas", ATOMIC_EXCHANGE},
		{"fetch", ATOMIC_UPDATE},      {"_add", ATOMIC_UPDATE},
		{"_sub", ATOMIC_UPDATE},       {"inc", ATOMIC_UPDATE},
		{"dec", ATOMIC_UPDATE},	       {"load", ATOMIC_LOAD},
		{"read", ATOMIC_LOAD},	       {"get", ATOMIC_LOAD},
		{"store", ATOMIC_STORE},       {"clear", ATOMIC_STORE},
		{"set", ATOMIC_STORE},	       {"init", ATOMIC_STORE},
		{"write", ATOMIC_STORE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strstr(name, rows[i].part))
			return rows[i].is;
	return ATOMIC_UPDATE;
}

static bool begins_with_any(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strncmp(word, *words, strlen(*words)) == 0)
			return true;
	return false;
}

/* True if the result tells that the exchange was done: a bool. The old value may be a bool, too.
   Only a compare-and-exchange has more operands than an exchange. The __sync_ functions, which are
   calls, have no memory order. */
static bool tells_done(const struct audit_reader *r, CXCursor c, const struct cursors *operands)
{
	enum { EXCHANGE = 3, SYNC_EXCHANGE = 2 };
	const size_t most = cursor_kind(r, c) == CXCursor_CallExpr ? SYNC_EXCHANGE : EXCHANGE;

	return cursor_type(r, c).kind == CXType_Bool && operands->count > most;
}

static struct audit_expr *atomic(struct lower *l, CXCursor c, const struct cursors *parts,
				 const char *name)
{
	struct audit_expr *e = lower_all(l, EXPR_ATOMIC, c, parts);

	e->id = atomic_named(name);
	e->value = tells_done(l->reader, c, parts);
	return e;
}

/* An atomic builtin in a macro, whose text is that of the macro, by its operands: the address, the
   memory order, then the rest. A name tells an update and an exchange apart. */
static struct audit_expr *atomic_of_macro(struct lower *l, CXCursor c, const struct cursors *parts,
					  const char *name)
{
	enum { LOADED = 2, STORED = 3, EXCHANGED = 4 };
	const bool gives = cursor_type(l->reader, c).kind != CXType_Void;
	struct audit_expr *e = atomic(l, c, parts, name);

	if (parts->count == LOADED)
		e->id = gives ? ATOMIC_LOAD : ATOMIC_STORE;
	else if (parts->count == EXCHANGED && !gives)
		e->id = ATOMIC_EXCHANGE;
	else if (parts->count == STORED && !gives)
		e->id = cursor_type(l->reader, parts->items[LOADED]).kind == CXType_Pointer
				? ATOMIC_MOVE
				: ATOMIC_STORE;
	return e;
}

/* An expression that libclang does not expose: a cast, or an atomic builtin, whose memory order
   comes second. */
static struct audit_expr *unexposed(struct lower *l, CXCursor c, const struct cursors *parts)
{
	static const char *const atomics[] = {"__atomic_", "atomic_", "__c11_atomic_", NULL};
	char word[64];

	if (parts->count == 1)
		return lower_expr(l, parts->items[0]);
	first_word(l, c, word, sizeof(word));
	if (parts->count < 2 || cursor_type(l->reader, parts->items[0]).kind != CXType_Pointer)
		return lower_all(l, EXPR_OTHER, c, parts);
	if (begins_with_any(word, atomics))
		return atomic(l, c, parts, word);
	if (cursor_type(l->reader, parts->items[1]).kind != CXType_Pointer)
		return atomic_of_macro(l, c, parts, word);
	return lower_all(l, EXPR_OTHER, c, parts);
}

/* Marks arguments for parameters that point to const. */
static void mark_const(const struct lower *l, CXCursor to, struct audit_expr *call)
{
	const struct clang *clang = &l->reader->clang;
	const CXType function = cursor_type(l->reader, to);

	for (unsigned i = 1; i < call->count; i++) {
		const CXType type = clang->getCanonicalType(clang->getArgType(function, i - 1));

		call->operands[i]->to_const =
			type.kind == CXType_Pointer &&
			clang->isConstQualifiedType(clang->getPointeeType(type));
	}
}

/* True for a function that is declared with __attribute__((noreturn)), a part of its type. */
static bool never_returns(const struct audit_reader *r, CXCursor to, unsigned usr)
{
	enum { RETURNS = 1, NEVER };
	struct number_map *known = &r->program->endings;

	if (r->clang.getResultType(cursor_type(r, to)).kind != CXType_Void)
		return false;
	if (!number_map_get(known, usr)) {
		OWNED(type) = clang_take(&r->clang, r->clang.getTypeSpelling(cursor_type(r, to)));

		number_map_set(known, usr, strstr(type, "((noreturn))") ? NEVER : RETURNS);
	}
	return number_map_get(known, usr) == NEVER;
}

/* Lowers a call. likely(x) is x. __sync_fetch_and_add_4() and others have the function as first
   operand, which is left out. */
static struct audit_expr *lower_expr_call(struct lower *l, CXCursor c, const struct cursors *parts)
{
	static const char *const atomics[] = {"__sync_", "__atomic_", NULL};
	CXCursor to = l->reader->clang.getCursorReferenced(c);
	struct audit_expr *e;
	const char *name;

	if (!l->reader->clang.Cursor_isNull(to) &&
	    cursor_kind(l->reader, to) == CXCursor_FunctionDecl) {
		name = program_text(l->reader->program, cursor_name(l->reader, to));
		if (strncmp(name, "__builtin_expect", 16) == 0 && parts->count > 2)
			return lower_expr(l, parts->items[1]);
		if (begins_with_any(name, atomics) && parts->count > 1) {
			const struct cursors rest = {parts->items + 1, parts->count - 1, 0};

			return atomic(l, c, &rest,
				      strncmp(name, "__sync_lock_release", 19) == 0 ? "store"
										    : name);
		}
	}
	e = lower_all(l, EXPR_CALL, c, parts);
	if (!l->reader->clang.Cursor_isNull(to) &&
	    cursor_kind(l->reader, to) == CXCursor_FunctionDecl) {
		mark_const(l, to, e);
		e->value = never_returns(l->reader, to, cursor_usr(l->reader, to));
	}
	return e;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static struct audit_expr *last_of(struct lower *l, CXCursor c, const struct cursors *parts)
{
	return parts->count ? lower_expr(l, parts->items[parts->count - 1])
			    : lower_new(l, EXPR_OTHER, c, 0);
}

static bool sets_number(const struct audit_reader *r, CXCursor c)
{
	CHILDREN(parts, r, c);

	return cursor_kind(r, c) == CXCursor_BinaryOperator && parts.count == 2 &&
	       cursor_kind(r, parts.items[1]) == CXCursor_IntegerLiteral;
}

/* The x of ({ int v; if (x) v = 1; else v = 0; v; }), with which GLib makes a condition 0 or 1; or
   NULL. */
static struct audit_expr *truth(struct lower *l, CXCursor compound)
{
	const struct audit_reader *r = l->reader;
	CHILDREN(parts, r, compound);

	if (parts.count == 3 && cursor_kind(r, parts.items[0]) == CXCursor_DeclStmt &&
	    cursor_kind(r, parts.items[1]) == CXCursor_IfStmt) {
		CHILDREN(ways, r, parts.items[1]);

		if (ways.count == 3 && sets_number(r, ways.items[1]) &&
		    sets_number(r, ways.items[2]))
			return lower_expr(l, ways.items[0]);
	}
	return NULL;
}

static struct audit_expr *inner(struct lower *l, CXCursor compound)
{
	struct audit_expr *is = truth(l, compound);

	return is ? is : lower_inner(l, compound);
}

static struct audit_expr *lower_parts(struct lower *l, CXCursor c, const struct cursors *parts)
{
	switch ((unsigned)cursor_kind(l->reader, c)) {
	case CXCursor_DeclRefExpr:
		return reference(l, c);
	case CXCursor_MemberRefExpr:
		return lower_expr_member(l, c, parts);
	case CXCursor_IntegerLiteral:
	case CXCursor_CharacterLiteral:
		return literal(l, c);
	case CXCursor_ParenExpr:
	case CXCursor_CStyleCastExpr:
		return last_of(l, c, parts);
	case CXCursor_UnexposedExpr:
		return unexposed(l, c, parts);
	case CXCursor_BinaryOperator:
		return binary(l, c, parts);
	case CXCursor_CompoundAssignOperator:
		return parts->count == 2 ? update(l, c, parts) : lower_all(l, EXPR_OTHER, c, parts);
	case CXCursor_UnaryOperator:
		return unary(l, c, parts);
	case CXCursor_CallExpr:
		return lower_expr_call(l, c, parts);
	case CXCursor_ArraySubscriptExpr:
		return lower_all(l, parts->count == 2 ? EXPR_INDEX : EXPR_OTHER, c, parts);
	case CXCursor_ConditionalOperator:
		return lower_all(l, parts->count == 3 ? EXPR_CHOICE : EXPR_OTHER, c, parts);
	case CXCursor_StmtExpr:
		return parts->count == 1 ? inner(l, parts->items[0])
					 : lower_new(l, EXPR_OTHER, c, 0);
	case CXCursor_UnaryExpr: /* sizeof: evaluates nothing */
		return lower_new(l, EXPR_OTHER, c, 0);
	default:
		return lower_all(l, EXPR_OTHER, c, parts);
	}
}

struct audit_expr *lower_expr(struct lower *l, CXCursor c)
{
	CHILDREN(parts, l->reader, c);
	struct audit_expr *e = l->reader->cxx ? l->reader->cxx->expr(l, c, &parts) : NULL;

	return e ? e : lower_parts(l, c, &parts);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

unsigned lower_block_new(struct lower *l)
{
	array_add(&l->function->blocks)->end = END_NEVER;
	return (unsigned)l->function->blocks.count - 1;
}

struct audit_block *lower_open_block(struct lower *l)
{
	return &l->function->blocks.items[l->block];
}

void lower_jump(struct lower *l, unsigned to)
{
	lower_open_block(l)->end = END_JUMP;
	lower_open_block(l)->to = to;
}

void lower_branch(struct lower *l, struct audit_expr *condition, unsigned yes, unsigned no)
{
	struct audit_block *b = lower_open_block(l);

	b->end = END_BRANCH;
	b->value = condition;
	b->to = yes;
	b->otherwise = no;
}

void lower_step(struct lower *l, struct audit_expr *e)
{
	*array_add(&lower_open_block(l)->steps) = e;
}

void lower_condition(struct lower *l, struct audit_expr *e, unsigned yes, unsigned no)
{
	unsigned first, next;

	switch (e->kind) {
	case EXPR_CONSTANT: /* do { } while (0) is no loop */
		lower_jump(l, e->value ? yes : no);
		return;
	case EXPR_NOT:
		lower_condition(l, e->operands[0], no, yes);
		return;
	case EXPR_AND:
	case EXPR_OR:
		next = lower_block_new(l);
		lower_condition(l, e->operands[0], e->kind == EXPR_AND ? next : yes,
				e->kind == EXPR_AND ? no : next);
		l->block = next;
		lower_condition(l, e->operands[1], yes, no);
		return;
	case EXPR_CHOICE: /* only one of the two is evaluated, and it may lock */
		first = lower_block_new(l);
		next = lower_block_new(l);
		lower_condition(l, e->operands[0], first, next);
		l->block = first;
		lower_condition(l, e->operands[1], yes, no);
		l->block = next;
		lower_condition(l, e->operands[2], yes, no);
		return;
	case EXPR_LAST:
		for (unsigned i = 0; i + 1 < e->count; i++)
			lower_step(l, e->operands[i]);
		lower_condition(l, e->operands[e->count - 1], yes, no);
		return;
	default:
		lower_branch(l, e, yes, no);
	}
}

/* ---- expressions as statements --------------------------------------------------------------- */

/* Assigns one of two values, on a path of its own: its call may lock. */
static void lower_chosen(struct lower *l, const struct audit_expr *assignment)
{
	const struct audit_expr *choice = assignment->operands[1];
	const unsigned ways[] = {lower_block_new(l), lower_block_new(l)},
		       behind = lower_block_new(l);

	lower_condition(l, choice->operands[0], ways[0], ways[1]);
	for (unsigned i = 0; i < 2; i++) {
		struct audit_expr *e = program_alloc(l->reader->program, sizeof(*e));

		*e = *assignment;
		e->operands = program_alloc(l->reader->program, 2 * sizeof(*e->operands));
		e->operands[0] = assignment->operands[0];
		e->operands[1] = choice->operands[1 + i];
		l->block = ways[i];
		lower_step(l, e);
		lower_jump(l, behind);
	}
	l->block = behind;
}

void lower_value(struct lower *l, struct audit_expr *e)
{
	unsigned behind;

	if (e->kind == EXPR_ASSIGN && e->count == 2 && e->operands[1]->kind == EXPR_CHOICE &&
	    program_has_call(e->operands[1])) {
		lower_chosen(l, e);
	} else if (e->kind == EXPR_CHOICE) {
		behind = lower_block_new(l);
		lower_condition(l, e, behind, behind);
		l->block = behind;
	} else {
		lower_step(l, e);
	}
}
