/* C++: what is read of a unit besides its text: functions that templates make. */
#include "tracer/audit/frontend/cxx.h"
#include "tracer/base/text/str.h"

#include <string.h>

bool cxx_is_source(const char *file)
{
	static const char *const ends[] = {".cc", ".cpp", ".cxx", ".c++", ".C"};
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

void cxx_want(struct audit_reader *r, CXCursor function)
{
	const CXCursor definition = r->clang.getCursorDefinition(function);
	struct cxx_unit *u = r->cxx_unit;
	unsigned usr;

	if (r->clang.Cursor_isNull(definition) ||
	    r->clang.Location_isInSystemHeader(r->clang.getCursorLocation(definition)))
		return;
	usr = cursor_usr(r, definition);
	if (!usr || number_map_get(&u->known, usr))
		return;
	number_map_set(&u->known, usr, 1);
	*array_add(&u->wanted) = definition;
}

void cxx_read_wanted(struct audit_reader *r)
{
	for (size_t i = 0; i < r->cxx_unit->wanted.count; i++)
		lower_function(r, r->cxx_unit->wanted.items[i]);
}

/* ---- destructors of classes that templates make ---------------------------------------------- */

/* libclang shows such a destructor only where it is called: calls of all that may matter are
   appended to the source, which is read once more. */
static const char caller[] = "gatectl_destroy";

struct seeking {
	struct audit_reader *reader;
	struct number_map known; /* types by name; USRs of functions */
	struct str calls;
};

static enum CXChildVisitResult is_destructor(CXCursor c, CXCursor parent, CXClientData data)
{
	const struct audit_reader *r = data;

	(void)parent;
	return cursor_kind(r, c) == CXCursor_Destructor ? CXChildVisit_Break
							: CXChildVisit_Continue;
}

static void remove_all(char *text, const char *part)
{
	for (char *at = text; (at = strstr(at, part));)
		memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

static enum CXVisitorResult is_of_lock(CXCursor field, CXClientData data)
{
	struct audit_reader *r = data;
	CXType type = cxx_bare(r, r->clang.getCursorType(field));
	enum cxx_class is;
	unsigned record;

	if (type.kind == CXType_Pointer)
		type = cxx_bare(r, r->clang.getPointeeType(type));
	is = cxx_class_of(r, type);
	record = record_of_type(r, type);
	return is == CXX_LOCK || is == CXX_HOLDER || is == CXX_THREAD ||
			       (record && r->program->records.items[record - 1].has_lock)
		       ? CXVisit_Break
		       : CXVisit_Continue;
}

static void seek_type(struct seeking *to, CXType type)
{
	struct audit_reader *r = to->reader;
	const CXType bare = cxx_bare(r, type);
	CXCursor template;
	OWNED(name) = NULL;
	unsigned key;

	if (bare.kind != CXType_Record || cxx_class_of(r, bare) != CXX_OWN)
		return;
	template = r->clang.getSpecializedCursorTemplate(r->clang.getTypeDeclaration(bare));
	name = clang_take(&r->clang, r->clang.getTypeSpelling(bare));
	key = interned_add(&r->program->names, name);
	if (r->clang.Cursor_isNull(template) || number_map_get(&to->known, key) ||
	    !r->clang.visitChildren(template, is_destructor, r))
		return;
	number_map_set(&to->known, key, 1);
	if (!r->clang.Type_visitFields(bare, is_of_lock, r))
		return;
	remove_all(name, "(anonymous namespace)::");
	remove_all(name, "const ");
	str_addf(&to->calls, "\nstatic inline void %s(%s *p) { using T = %s; p->~T(); }", caller,
		 name, name);
}

static enum CXChildVisitResult seek(CXCursor c, CXCursor parent, CXClientData data);

/* Looks into a function that a template makes. */
static void seek_function(struct seeking *to, CXCursor function)
{
	struct audit_reader *r = to->reader;
	const CXCursor definition = r->clang.getCursorDefinition(function);
	unsigned usr;

	if (r->clang.Cursor_isNull(definition) ||
	    r->clang.Location_isInSystemHeader(r->clang.getCursorLocation(definition)) ||
	    (r->clang.Cursor_isNull(r->clang.getSpecializedCursorTemplate(definition)) &&
	     r->clang.Cursor_isNull(r->clang.getSpecializedCursorTemplate(
		     r->clang.getCursorSemanticParent(definition)))))
		return;
	usr = cursor_usr(r, definition);
	if (!usr || number_map_get(&to->known, usr))
		return;
	number_map_set(&to->known, usr, 1);
	r->clang.visitChildren(definition, seek, to);
}

static enum CXChildVisitResult seek(CXCursor c, CXCursor parent, CXClientData data)
{
	struct seeking *to = data;
	struct audit_reader *r = to->reader;
	const enum CXCursorKind kind = cursor_kind(r, c);

	(void)parent;
	if (kind == CXCursor_ClassTemplate || kind == CXCursor_FunctionTemplate ||
	    (r->clang.isDeclaration(kind) &&
	     r->clang.Location_isInSystemHeader(r->clang.getCursorLocation(c))))
		return CXChildVisit_Continue;
	if (kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl || kind == CXCursor_CallExpr)
		seek_type(to, r->clang.getCursorType(c));
	if (kind == CXCursor_CallExpr)
		seek_function(to, r->clang.getCursorReferenced(c));
	return CXChildVisit_Recurse;
}

char *cxx_appendix(struct audit_reader *r)
{
	struct seeking to = {.reader = r};

	r->clang.visitChildren(r->clang.getTranslationUnitCursor(r->unit), seek, &to);
	number_map_fini(&to.known);
	return to.calls.length ? str_take(&to.calls) : NULL;
}

static enum CXChildVisitResult find_called(CXCursor c, CXCursor parent, CXClientData data)
{
	struct audit_reader *r = data;
	const CXCursor to = r->clang.getCursorReferenced(c);
	unsigned class;

	(void)parent;
	if (cursor_kind(r, c) != CXCursor_CallExpr || cursor_kind(r, to) != CXCursor_Destructor)
		return CXChildVisit_Recurse;
	class = cursor_usr(r, r->clang.getCursorSemanticParent(to));
	number_map_set(&r->cxx_unit->destructors, class, cursor_usr(r, to) + 1);
	cxx_want(r, to);
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult find_caller(CXCursor c, CXCursor parent, CXClientData data)
{
	struct audit_reader *r = data;

	(void)parent;
	if (cxx_is_appended(r, c))
		r->clang.visitChildren(c, find_called, r);
	return CXChildVisit_Continue;
}

bool cxx_is_appended(const struct audit_reader *r, CXCursor c)
{
	return cursor_kind(r, c) == CXCursor_FunctionDecl &&
	       strcmp(program_text(r->program, cursor_name(r, c)), caller) == 0;
}

void cxx_read_appendix(struct audit_reader *r)
{
	r->clang.visitChildren(r->clang.getTranslationUnitCursor(r->unit), find_caller, r);
}

/* ---- the unit -------------------------------------------------------------------------------- */

void cxx_unit_fini(struct cxx_unit *u)
{
	array_each(struct cxx_lambda, lambda, &u->lambdas)
		array_fini(&lambda->captures);
	array_fini(&u->lambdas);
	array_fini(&u->wanted);
	number_map_fini(&u->known);
	number_map_fini(&u->destructors);
}
