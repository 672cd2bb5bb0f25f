/* Lowers statements, scopes and functions to basic blocks. */
#include "tracer/audit/frontend/cxx.h"

#include <ctype.h>
#include <string.h>

/* ---- locals and globals ---------------------------------------------------------------------- */

unsigned lower_local(const struct lower *l, CXCursor declaration)
{
	for (size_t i = 0; i < l->declared.count; i++)
		if (l->reader->clang.equalCursors(l->declared.items[i], declaration))
			return (unsigned)i + 1;
	return 0;
}

void lower_global(struct audit_reader *r, CXCursor declaration)
{
	struct audit_program *p = r->program;
	unsigned usr = cursor_usr(r, declaration);
	CXType type = r->clang.getCursorType(declaration);
	struct audit_global *g;

	if (!usr || number_map_get(&p->global_of, usr))
		return;
	g = array_add(&p->globals);
	g->name = r->cxx ? cxx_shown_name(r, declaration) : cursor_name(r, declaration);
	g->record = record_of_type(r, type);
	if (!r->clang.Location_isInSystemHeader(r->clang.getCursorLocation(declaration)) &&
	    r->clang.getCursorTLSKind(declaration) == CXTLS_None)
		g->variable = record_variable(r, declaration);
	number_map_set(&p->global_of, usr, (unsigned)p->globals.count);
}

/* USR of the function in __attribute__((cleanup(FUNCTION))), which libclang only prints; 0 if there
   is none. */
static unsigned cleanup_of(struct lower *l, CXCursor c)
{
	const struct clang *clang = &l->reader->clang;
	const struct audit_program *p = l->reader->program;
	CXPrintingPolicy policy = clang->getCursorPrintingPolicy(c);
	OWNED(text) = clang_take(clang, clang->getCursorPrettyPrinted(c, policy));
	char *at = strstr(text, "cleanup(");
	STR(usr);

	clang->PrintingPolicy_dispose(policy);
	if (!at)
		return 0;
	at += strlen("cleanup(");
	at[strcspn(at, ")")] = 0;
	for (size_t i = p->functions.count; i > 0; i--)
		if (strcmp(program_text(p, p->functions.items[i - 1].name), at) == 0)
			return p->functions.items[i - 1].usr;
	/* Not read yet, or a system function: USR of an external function. */
	str_addf(&usr, "c:@F@%s", at);
	return interned_add(&l->reader->program->names, str_text(&usr));
}

unsigned lower_add_local(struct lower *l, CXCursor c)
{
	struct audit_local *local = array_add(&l->function->locals);
	CXType type = l->reader->clang.getCursorType(c);

	*array_add(&l->declared) = c;
	local->name = cursor_name(l->reader, c);
	local->record = record_of_type(l->reader, type);
	return (unsigned)l->function->locals.count - 1;
}

struct audit_expr *lower_local_expr(struct lower *l, unsigned local, CXCursor c)
{
	struct audit_expr *e = lower_new(l, EXPR_LOCAL, c, 0);

	e->id = local;
	return e;
}

/* Adds `local = value` to the block. Returns the local. */
static struct audit_expr *add_assignment(struct lower *l, CXCursor c, unsigned local,
					 struct audit_expr *value)
{
	struct audit_expr *e = lower_new(l, EXPR_ASSIGN, c, 2);

	e->operands[0] = lower_local_expr(l, local, c);
	e->operands[1] = value;
	lower_value(l, e);
	return e->operands[0];
}

void lower_add_cleanup(struct lower *l, unsigned local, unsigned function)
{
	const CXCursor declaration = l->declared.items[local];
	struct lower_cleanup cleanup = {local, 0, l->scope_end};
	struct cursor_text file;
	unsigned end;

	(void)cursor_offsets(l->reader, declaration, &cleanup.from, &end, &file);
	l->function->locals.items[local].cleanup = function;
	*array_add(&l->cleanups) = cleanup;
}

static void lower_variable(struct lower *l, CXCursor c)
{
	const struct clang *clang = &l->reader->clang;
	const enum CX_StorageClass storage = clang->Cursor_getStorageClass(c);
	CHILDREN(parts, l->reader, c);
	unsigned local, cleanup = 0;

	if (storage == CX_SC_Static || storage == CX_SC_Extern) {
		lower_global(l->reader, c);
		return;
	}
	if (l->reader->cxx && l->reader->cxx->variable(l, c))
		return;
	local = lower_add_local(l, c);
	for (size_t i = 0; i < parts.count; i++) {
		const enum CXCursorKind kind = cursor_kind(l->reader, parts.items[i]);

		if (kind == CXCursor_UnexposedAttr)
			cleanup = cleanup_of(l, c);
		if (i + 1 == parts.count && clang->isExpression(kind))
			add_assignment(l, c, local, lower_expr(l, parts.items[i]));
	}
	if (cleanup)
		lower_add_cleanup(l, local, cleanup);
}

/* ---- scopes and cleanups --------------------------------------------------------------------- */

static void call_cleanup(struct lower *l, unsigned local, CXCursor c)
{
	struct audit_expr *e = lower_new(l, EXPR_CALL, c, 2),
			  *f = lower_new(l, EXPR_FUNCTION, c, 0),
			  *address = lower_new(l, EXPR_ADDRESS, c, 1);

	f->id = l->function->locals.items[local].cleanup;
	address->operands[0] = lower_local_expr(l, local, c);
	e->operands[0] = f;
	e->operands[1] = address;
	lower_step(l, e);
}

/* Calls the cleanups of all scopes inside the first `outside` ones. */
static void leave_scopes(struct lower *l, size_t outside, CXCursor c)
{
	for (size_t i = l->cleanups.count; i > outside; i--)
		if (l->cleanups.items[i - 1].local + 1 != l->returned)
			call_cleanup(l, l->cleanups.items[i - 1].local, c);
}

size_t lower_scope(const struct lower *l)
{
	return l->cleanups.count;
}

void lower_end_scope(struct lower *l, size_t outside, CXCursor c)
{
	leave_scopes(l, outside, c);
	l->cleanups.count = outside;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Ends the block with a jump; only a label reaches what follows. */
void lower_go(struct lower *l, unsigned to)
{
	lower_jump(l, to);
	l->block = lower_block_new(l);
}

static unsigned label_block(struct lower *l, unsigned name)
{
	struct lower_label *label;

	array_each(const struct lower_label, known, &l->labels)
		if (known->name == name)
			return known->block;
	label = array_add(&l->labels);
	label->name = name;
	label->block = lower_block_new(l);
	return label->block;
}

static unsigned end_offset(const struct lower *l, CXCursor c)
{
	struct cursor_text file;
	unsigned from, to;

	return cursor_offsets(l->reader, c, &from, &to, &file) ? to : 0;
}

static void lower_compound(struct lower *l, const struct cursors *parts, CXCursor c)
{
	const size_t outside = l->cleanups.count;
	const unsigned scope_end = l->scope_end;

	l->scope_end = end_offset(l, c);
	for (size_t i = 0; i < parts->count; i++)
		lower_statement(l, parts->items[i]);
	lower_end_scope(l, outside, c);
	l->scope_end = scope_end;
}

/* Leaves the scopes of the locals that do not exist at the label. */
static void lower_goto(struct lower *l, CXCursor c, CXCursor to)
{
	const CXCursor label = l->reader->clang.getCursorReferenced(to);
	struct cursor_text file;
	unsigned at, end;

	if (l->cleanups.count && cursor_offsets(l->reader, label, &at, &end, &file))
		for (size_t i = l->cleanups.count; i > 0; i--) {
			const struct lower_cleanup is = l->cleanups.items[i - 1];

			if (is.to && (at < is.from || at > is.to))
				call_cleanup(l, is.local, c);
		}
	lower_go(l, label_block(l, cursor_name(l->reader, to)));
}

struct audit_expr *lower_inner(struct lower *l, CXCursor compound)
{
	const size_t outside = l->cleanups.count;
	struct audit_expr *last = NULL;
	CHILDREN(parts, l->reader, compound);

	for (size_t i = 0; i < parts.count; i++)
		if (i + 1 == parts.count &&
		    l->reader->clang.isExpression(cursor_kind(l->reader, parts.items[i])))
			last = lower_expr(l, parts.items[i]);
		else
			lower_statement(l, parts.items[i]);
	lower_end_scope(l, outside, compound);
	return last ? last : lower_new(l, EXPR_OTHER, compound, 0);
}

static void lower_if(struct lower *l, const struct cursors *parts)
{
	unsigned yes = lower_block_new(l), no = lower_block_new(l), behind;

	lower_condition(l, lower_expr(l, parts->items[0]), yes, no);
	l->block = yes;
	lower_statement(l, parts->items[1]);
	if (parts->count < 3) {
		lower_jump(l, no);
		l->block = no;
		return;
	}
	behind = lower_block_new(l);
	lower_jump(l, behind);
	l->block = no;
	lower_statement(l, parts->items[2]);
	lower_jump(l, behind);
	l->block = behind;
}

struct lower_target lower_target_at(const struct lower *l, unsigned block)
{
	return (struct lower_target){block, l->cleanups.count};
}

/* Parts of a loop; missing parts are NULL. */
struct loop {
	CXCursor *begin, *condition, *step, *body;
};

static void lower_loop(struct lower *l, const struct loop *f, bool body_first)
{
	const unsigned head = lower_block_new(l), body = lower_block_new(l),
		       next = f->step ? lower_block_new(l) : head, behind = lower_block_new(l);
	const struct lower_target breaks = l->breaks, continues = l->continues;

	if (f->begin)
		lower_statement(l, *f->begin);
	lower_jump(l, body_first ? body : head);
	l->block = head;
	if (f->condition)
		lower_condition(l, lower_expr(l, *f->condition), body, behind);
	else
		lower_jump(l, body);
	l->block = body;
	l->breaks = lower_target_at(l, behind);
	l->continues = lower_target_at(l, next);
	lower_statement(l, *f->body);
	l->breaks = breaks;
	l->continues = continues;
	lower_jump(l, next);
	if (f->step) {
		l->block = next;
		lower_step(l, lower_expr(l, *f->step));
		lower_jump(l, head);
	}
	l->block = behind;
}

void lower_rounds(struct lower *l, bool is_begun, void (*round)(struct lower *l, void *data),
		  void *data)
{
	const unsigned head = lower_block_new(l), body = lower_block_new(l),
		       behind = lower_block_new(l);
	const struct lower_target breaks = l->breaks, continues = l->continues;

	lower_jump(l, is_begun ? body : head);
	l->block = head;
	lower_branch(l, NULL, body, behind);
	l->block = body;
	l->breaks = lower_target_at(l, behind);
	l->continues = lower_target_at(l, head);
	round(l, data);
	l->breaks = breaks;
	l->continues = continues;
	lower_jump(l, head);
	l->block = behind;
}

/* Finds the two semicolons of `for (;;)`, as offsets in the file. */
static bool semicolons(const struct cursor_text *file, unsigned from, unsigned to, unsigned out[2])
{
	unsigned depth = 0, found = 0;

	/* A macro: the text here is its arguments. */
	if (to - from < 3 || strncmp(file->begin + from, "for", 3) != 0)
		return false;
	for (unsigned i = from; i < to && found < 2; i++) {
		char c = file->begin[i];

		depth += c == '(' || c == '{';
		depth -= depth && (c == ')' || c == '}');
		if (c == ';' && depth == 1)
			out[found++] = i;
	}
	return found == 2;
}

static void lower_for(struct lower *l, CXCursor c, const struct cursors *parts)
{
	struct loop f = {NULL, NULL, NULL, &parts->items[parts->count - 1]};
	CXCursor **const all[] = {&f.begin, &f.condition, &f.step};
	struct cursor_text file, ignored;
	unsigned from, to, at[2], begin, end;
	bool is_plain =
		cursor_offsets(l->reader, c, &from, &to, &file) && semicolons(&file, from, to, at);

	for (size_t i = 0; i + 1 < parts->count; i++) {
		size_t which = i;

		if (is_plain && cursor_offsets(l->reader, parts->items[i], &begin, &end, &ignored))
			which = begin < at[0] ? 0 : begin < at[1] ? 1 : 2;
		if (which < 3)
			*all[which] = &parts->items[i];
	}
	lower_loop(l, &f, false);
}

static void lower_labelled(struct lower *l, CXCursor c, const struct cursors *parts)
{
	unsigned here = label_block(l, cursor_name(l->reader, c));

	lower_jump(l, here);
	l->block = here;
	if (parts->count)
		lower_statement(l, parts->items[0]);
}

static void lower_return(struct lower *l, CXCursor c, const struct cursors *parts)
{
	const size_t outside = l->cleanups.count;
	struct audit_expr *value = NULL;

	if (parts->count && l->reader->cxx)
		value = l->reader->cxx->result(l, parts->items[0]);
	if (parts->count && !value)
		value = lower_expr(l, parts->items[0]);
	/* The value is computed before the cleanups run. */
	if (value && l->cleanups.count)
		value = add_assignment(l, c, lower_add_local(l, c), value);
	leave_scopes(l, 0, c);
	l->returned = 0;
	l->cleanups.count = outside;
	lower_open_block(l)->end = END_RETURN;
	lower_open_block(l)->value = value;
	lower_open_block(l)->at = cursor_place(l->reader, c);
	l->block = lower_block_new(l);
}

static void lower_exit(struct lower *l, CXCursor c, struct lower_target to)
{
	leave_scopes(l, to.cleanups, c);
	lower_go(l, to.block);
}

static void lower_loops(struct lower *l, CXCursor c, const struct cursors *parts)
{
	struct loop f = {NULL, NULL, NULL, NULL};
	bool is_do = cursor_kind(l->reader, c) == CXCursor_DoStmt;

	if (cursor_kind(l->reader, c) == CXCursor_ForStmt && parts->count) {
		lower_for(l, c, parts);
	} else if (parts->count == 2) {
		f.condition = &parts->items[is_do];
		f.body = &parts->items[!is_do];
		lower_loop(l, &f, is_do);
	}
}

void lower_kind(struct lower *l, CXCursor c, const struct cursors *parts)
{
	switch ((unsigned)cursor_kind(l->reader, c)) {
	case CXCursor_CompoundStmt:
		lower_compound(l, parts, c);
		return;
	case CXCursor_DeclStmt:
		for (size_t i = 0; i < parts->count; i++)
			if (cursor_kind(l->reader, parts->items[i]) == CXCursor_VarDecl)
				lower_variable(l, parts->items[i]);
		return;
	case CXCursor_IfStmt:
		if (parts->count >= 2)
			lower_if(l, parts);
		return;
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
	case CXCursor_ForStmt:
		lower_loops(l, c, parts);
		return;
	case CXCursor_SwitchStmt:
		if (parts->count == 2)
			lower_switch(l, c, parts);
		return;
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		lower_case(l, parts, cursor_kind(l->reader, c) == CXCursor_DefaultStmt);
		return;
	case CXCursor_LabelStmt:
		lower_labelled(l, c, parts);
		return;
	case CXCursor_GotoStmt:
		if (parts->count)
			lower_goto(l, c, parts->items[0]);
		return;
	case CXCursor_ReturnStmt:
		lower_return(l, c, parts);
		return;
	case CXCursor_BreakStmt:
		lower_exit(l, c, l->breaks);
		return;
	case CXCursor_ContinueStmt:
		lower_exit(l, c, l->continues);
		return;
	default:
		for (size_t i = 0; i < parts->count; i++)
			lower_statement(l, parts->items[i]);
	}
}

void lower_statement(struct lower *l, CXCursor c)
{
	const size_t outside = l->cleanups.count;

	if (l->reader->clang.isExpression(cursor_kind(l->reader, c))) {
		lower_value(l, lower_expr(l, c));
		/* Temporary objects of C++. */
		lower_end_scope(l, outside, c);
	} else {
		CHILDREN(parts, l->reader, c);

		if (!l->reader->cxx || !l->reader->cxx->statement(l, c, &parts))
			lower_kind(l, c, &parts);
	}
}

/* ---- a function ------------------------------------------------------------------------------ */

void lower_body(struct lower *l, CXCursor definition, CXCursor body)
{
	const struct lower_language *cxx = l->reader->cxx;

	l->block = lower_block_new(l);
	if (cxx)
		cxx->enter(l, definition);
	lower_statement(l, body);
	lower_end_scope(l, 0, definition);
	if (cxx)
		cxx->leave(l, definition);
	lower_open_block(l)->end = END_RETURN;
	lower_open_block(l)->at = cursor_end(l->reader, definition);
}

bool lower_is_read(const struct audit_program *p, const struct audit_function *f)
{
	unsigned known = number_map_get(&p->function_of, f->usr);

	for (; known; known = p->functions.items[known - 1].next)
		if (f->is_static || !f->unit || p->functions.items[known - 1].unit == f->unit)
			return true;
	return false;
}

void lower_done(struct lower *l)
{
	struct audit_program *p = l->reader->program;
	struct audit_function *f = l->function;

	array_fini(&l->declared);
	array_fini(&l->labels);
	array_fini(&l->cleanups);
	array_fini(&l->cases);
	array_fini(&l->references);
	*array_add(&p->functions) = *f;
	number_map_set(&p->function_of, f->usr, (unsigned)p->functions.count);
}

/* libclang has no kind of cursor for these attributes. */
static enum audit_run run_of(const struct audit_reader *r, const struct cursors *parts)
{
	static const char *const names[] = {[RUN_FIRST] = "constructor", [RUN_LAST] = "destructor"};

	for (size_t i = 0; i < parts->count; i++) {
		const char *at = cursor_kind(r, parts->items[i]) == CXCursor_UnexposedAttr
					 ? cursor_text(r, parts->items[i]).at
					 : NULL;

		for (enum audit_run run = RUN_FIRST; at && run <= RUN_LAST; run++) {
			const char *word = at + strspn(at, "_");

			if (strncmp(word, names[run], strlen(names[run])) == 0)
				return run;
		}
	}
	return RUN_BY_CALL;
}

void lower_function(struct audit_reader *r, CXCursor definition)
{
	struct audit_program *p = r->program;
	struct audit_function f = {0};
	struct lower l = {.reader = r, .function = &f};
	CHILDREN(parts, r, definition);

	f.usr = cursor_usr(r, definition);
	f.at = cursor_place(r, definition);
	f.is_static = r->clang.getCursorLinkage(definition) != CXLinkage_External;
	if (strcmp(program_text(p, f.at.file), r->file) == 0)
		f.unit = r->source;
	if (f.unit && !f.is_static)
		*array_add(&p->definitions) = (struct audit_definition){f.usr, f.unit};
	if (!f.usr || lower_is_read(p, &f))
		return;
	f.next = number_map_get(&p->function_of, f.usr);
	f.name = cursor_name(r, definition);
	f.wants_lock = comment_wants_lock(r, definition);
	f.run = run_of(r, &parts);
	if (r->cxx)
		r->cxx->begin(&l, definition);
	for (size_t i = 0; i < parts.count; i++)
		if (cursor_kind(r, parts.items[i]) == CXCursor_ParmDecl)
			lower_add_local(&l, parts.items[i]);
	f.parameters = (unsigned)f.locals.count;
	if (parts.count && cursor_kind(r, parts.items[parts.count - 1]) == CXCursor_CompoundStmt)
		lower_body(&l, definition, parts.items[parts.count - 1]);
	lower_done(&l);
}
