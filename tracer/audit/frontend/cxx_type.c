/* C++: names of classes and functions; classes of the standard library by what they do. */
#include "tracer/audit/frontend/cxx.h"
#include "tracer/base/text/word.h"

#include <string.h>

/* ---- declarations ---------------------------------------------------------------------------- */

/* The number of CXCursor_TranslationUnit is another one since libclang 15. */
static bool is_unit(const struct audit_reader *r, CXCursor c)
{
	return r->clang.isTranslationUnit(r->clang.getCursorKind(c));
}

/* The outermost namespace or class of the declaration. */
static CXCursor outermost(const struct audit_reader *r, CXCursor c)
{
	CXCursor parent = r->clang.getCursorSemanticParent(c);

	while (!is_unit(r, parent) && !r->clang.Cursor_isNull(parent)) {
		c = parent;
		parent = r->clang.getCursorSemanticParent(c);
	}
	return c;
}

bool cxx_is_std(const struct audit_reader *r, CXCursor declaration)
{
	CXCursor top = outermost(r, declaration);
	const char *name;

	if (cursor_kind(r, top) != CXCursor_Namespace)
		return false;
	name = program_text(r->program, cursor_name(r, top));
	return strcmp(name, "std") == 0 || strncmp(name, "__", 2) == 0;
}

bool cxx_is_pattern(const struct audit_reader *r, CXCursor declaration)
{
	CXCursor c = r->clang.getCursorSemanticParent(declaration);

	for (; !r->clang.Cursor_isNull(c) && !is_unit(r, c);
	     c = r->clang.getCursorSemanticParent(c))
		if (cursor_kind(r, c) == CXCursor_ClassTemplate ||
		    cursor_kind(r, c) == CXCursor_ClassTemplatePartialSpecialization)
			return true;
	return false;
}

bool cxx_is_reference(CXType type)
{
	return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

CXType cxx_bare(const struct audit_reader *r, CXType type)
{
	type = r->clang.getCanonicalType(type);
	return cxx_is_reference(type) ? r->clang.getCanonicalType(r->clang.getPointeeType(type))
				      : type;
}

char *cxx_class_name(const struct audit_reader *r, CXType type)
{
	CXType bare = cxx_bare(r, type);

	return clang_take(&r->clang, r->clang.getCursorSpelling(r->clang.getTypeDeclaration(bare)));
}

bool cxx_is_construction(const struct audit_reader *r, CXCursor c)
{
	return cursor_kind(r, c) == CXCursor_CallExpr &&
	       cursor_kind(r, r->clang.getCursorReferenced(c)) == CXCursor_Constructor;
}

/* ---- classes of the standard library --------------------------------------------------------- */

static const struct {
	enum cxx_class is;
	const char *names;
} classes[] = {
	{CXX_LOCK, "mutex recursive_mutex timed_mutex recursive_timed_mutex shared_mutex "
		   "shared_timed_mutex"},
	{CXX_HOLDER, "lock_guard unique_lock shared_lock scoped_lock"},
	{CXX_POINTER, "unique_ptr shared_ptr weak_ptr reference_wrapper"},
	{CXX_ATOMIC, "atomic atomic_flag atomic_ref __atomic_base __atomic_float"},
	{CXX_WAIT, "condition_variable condition_variable_any"},
	{CXX_THREAD, "thread jthread"},
	{CXX_FUTURE, "future shared_future"},
	{CXX_FUNCTION, "function move_only_function"},
	{CXX_SAFE, "promise packaged_task once_flag counting_semaphore latch barrier stop_token "
		   "stop_source memory_order id defer_lock_t try_to_lock_t adopt_lock_t"},
};

static bool is_lambda(const struct audit_reader *r, CXCursor declaration)
{
	const char *name = program_text(r->program, cursor_name(r, declaration));

	return cursor_kind(r, declaration) == CXCursor_ClassDecl &&
	       (!*name || strncmp(name, "(lambda", 7) == 0);
}

enum cxx_class cxx_class_of(const struct audit_reader *r, CXType type)
{
	CXType bare = cxx_bare(r, type);
	CXCursor declaration;
	const char *name;

	if (bare.kind != CXType_Record)
		return CXX_OWN;
	declaration = r->clang.getTypeDeclaration(bare);
	if (is_lambda(r, declaration))
		return CXX_CLOSURE;
	if (!cxx_is_std(r, declaration))
		return CXX_OWN;
	name = program_text(r->program, cursor_name(r, declaration));
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (word_find(classes[i].names, name, strlen(name)))
			return classes[i].is;
	return strstr(name, "iterator") ? CXX_POINTER : CXX_PLAIN;
}

bool cxx_is_pointer(enum cxx_class is)
{
	return is >= CXX_HOLDER;
}

CXType cxx_held_type(const struct audit_reader *r, CXType type)
{
	const enum cxx_class is = cxx_class_of(r, type);
	CXType bare = cxx_bare(r, type), of;

	if ((is != CXX_HOLDER && is != CXX_POINTER) ||
	    r->clang.Type_getNumTemplateArguments(bare) < 1)
		return bare;
	of = r->clang.getCanonicalType(r->clang.Type_getTemplateArgumentAsType(bare, 0));
	return of.kind == CXType_Pointer ? cxx_bare(r, r->clang.getPointeeType(of)) : of;
}

/* ---- names of functions ---------------------------------------------------------------------- */

char *cxx_plain_name(const struct audit_reader *r, CXCursor function)
{
	return clang_take(&r->clang, r->clang.getCursorSpelling(function));
}

static bool is_class(enum CXCursorKind kind)
{
	return kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
	       kind == CXCursor_UnionDecl || kind == CXCursor_ClassTemplate ||
	       kind == CXCursor_ClassTemplatePartialSpecialization;
}

unsigned cxx_function_id(const struct audit_reader *r, CXCursor function, const CXType *of)
{
	CXCursor parent = r->clang.getCursorSemanticParent(function);
	OWNED(name) = NULL;
	OWNED(class) = NULL;
	STR(id);

	if (!cxx_is_std(r, function))
		return cursor_usr(r, function);
	name = cxx_plain_name(r, function);
	if (of)
		class = cxx_class_name(r, *of);
	else if (is_class(cursor_kind(r, parent)))
		class = clang_take(&r->clang, r->clang.getCursorSpelling(parent));
	str_addf(&id, "std::%s%s%s", class ? class : "", class ? "::" : "", name);
	return interned_add(&r->program->names, str_text(&id));
}

struct named_method {
	const struct audit_reader *reader;
	const char *name;
	unsigned usr;
};

static enum CXChildVisitResult find_method(CXCursor c, CXCursor parent, CXClientData data)
{
	struct named_method *to = data;

	(void)parent;
	if (cursor_kind(to->reader, c) != CXCursor_CXXMethod ||
	    strcmp(program_text(to->reader->program, cursor_name(to->reader, c)), to->name) != 0)
		return CXChildVisit_Continue;
	to->usr = cursor_usr(to->reader, c);
	return CXChildVisit_Break;
}

unsigned cxx_lock_function(const struct audit_reader *r, CXType lock, const char *name)
{
	struct named_method to = {r, name, 0};
	OWNED(class) = cxx_class_name(r, lock);
	STR(id);

	if (cxx_class_of(r, lock) == CXX_OWN) {
		r->clang.visitChildren(r->clang.getTypeDeclaration(cxx_bare(r, lock)), find_method,
				       &to);
		return to.usr;
	}
	str_addf(&id, "std::%s::%s", class, name);
	return interned_add(&r->program->names, str_text(&id));
}

unsigned cxx_shown_name(const struct audit_reader *r, CXCursor c)
{
	CXCursor parent = r->clang.getCursorSemanticParent(c);
	OWNED(name) = cxx_plain_name(r, c);
	char *of;
	STR(shown);

	/* The spelling of a constructor has the arguments of the template. */
	if (cursor_kind(r, c) == CXCursor_Constructor || cursor_kind(r, c) == CXCursor_Destructor)
		name[strcspn(name, "<")] = 0;
	if (is_class(cursor_kind(r, parent))) {
		of = clang_take(&r->clang, r->clang.getCursorSpelling(parent));
		str_addf(&shown, "%s::", of);
		base_free(of);
	}
	str_add(&shown, name);
	return interned_add(&r->program->names, str_text(&shown));
}
