/* Cursors of libclang: children, places, operators. */
#include "tracer/audit/frontend/reader.h"
#include "tracer/base/text/word.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- children and names ---------------------------------------------------------------------- */

struct collection {
	const struct audit_reader *reader;
	struct cursors *out;
};

static enum CXChildVisitResult cursor_collect(CXCursor c, CXCursor parent, CXClientData data)
{
	struct collection *to = data;
	enum CXCursorKind kind = to->reader->clang.getCursorKind(c);

	(void)parent;
	if (kind != CXCursor_TypeRef && kind != CXCursor_MemberRef &&
	    kind != CXCursor_TemplateRef && kind != CXCursor_NamespaceRef)
		*array_add(to->out) = c;
	return CXChildVisit_Continue;
}

struct cursors cursor_children(const struct audit_reader *r, CXCursor c)
{
	struct cursors out = {NULL, 0, 0};
	struct collection to = {r, &out};

	r->clang.visitChildren(c, cursor_collect, &to);
	return out;
}

void cursors_fini(struct cursors *c)
{
	array_fini(c);
}

enum CXCursorKind cursor_kind(const struct audit_reader *r, CXCursor c)
{
	return r->clang.getCursorKind(c);
}

CXType cursor_type(const struct audit_reader *r, CXCursor c)
{
	return r->clang.getCanonicalType(r->clang.getCursorType(c));
}

static unsigned intern(const struct audit_reader *r, CXString s)
{
	const char *text = r->clang.getCString(s);
	unsigned name = interned_add(&r->program->names, text ? text : "");

	r->clang.disposeString(s);
	return name;
}

unsigned cursor_name(const struct audit_reader *r, CXCursor c)
{
	return intern(r, r->clang.getCursorSpelling(c));
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Name of a file by its real path: the name in the command depends on the compiler's working
   directory. */
static unsigned file_name(const struct audit_reader *r, CXFile file)
{
	unsigned name = intern(r, r->clang.File_tryGetRealPathName(file));

	return *program_text(r->program, name) ? name : intern(r, r->clang.getFileName(file));
}

static struct audit_place place_at(const struct audit_reader *r, CXSourceLocation at)
{
	struct audit_place place = {0, 0, 0};
	CXFile file;

	r->clang.getFileLocation(at, &file, &place.line, &place.column, NULL);
	if (file)
		place.file = file_name(r, file);
	return place;
}

/* Adds the folder to the USR of a static function or variable: libclang has the file's name alone,
   which files of two folders may share. */
unsigned cursor_usr(const struct audit_reader *r, CXCursor c)
{
	const unsigned usr = intern(r, r->clang.getCursorUSR(c));
	const char *text = program_text(r->program, usr);
	const enum CXCursorKind kind = cursor_kind(r, c);
	unsigned file;
	STR(full);

	if ((kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl) || !*text ||
	    strncmp(text, "c:@", 3) == 0)
		return usr;
	file = place_at(r, r->clang.getCursorLocation(r->clang.getCanonicalCursor(c))).file;
	str_addf(&full, "%s:%s", file ? program_text(r->program, file) : "", text);
	return interned_add(&r->program->names, str_text(&full));
}

struct audit_place cursor_place(const struct audit_reader *r, CXCursor c)
{
	return place_at(r, r->clang.getCursorLocation(c));
}

struct audit_place cursor_end(const struct audit_reader *r, CXCursor c)
{
	struct audit_place at = place_at(r, r->clang.getRangeEnd(r->clang.getCursorExtent(c)));

	at.column -= at.column > 1;
	return at;
}

static struct cursor_text text_at(const struct audit_reader *r, CXSourceLocation at)
{
	struct cursor_text text = {NULL, NULL, NULL};
	unsigned offset;
	size_t size;
	CXFile file;

	r->clang.getSpellingLocation(at, &file, NULL, NULL, &offset);
	if (!file)
		return text;
	text.begin = r->clang.getFileContents(r->unit, file, &size);
	if (!text.begin || offset > size)
		return (struct cursor_text){NULL, NULL, NULL};
	text.end = text.begin + size;
	text.at = text.begin + offset;
	return text;
}

struct cursor_text cursor_text(const struct audit_reader *r, CXCursor c)
{
	return text_at(r, r->clang.getRangeStart(r->clang.getCursorExtent(c)));
}

struct cursor_text cursor_text_end(const struct audit_reader *r, CXCursor c)
{
	return text_at(r, r->clang.getRangeEnd(r->clang.getCursorExtent(c)));
}

bool cursor_offsets(const struct audit_reader *r, CXCursor c, unsigned *from, unsigned *to,
		    struct cursor_text *file)
{
	CXSourceRange extent = r->clang.getCursorExtent(c);
	CXFile first, last;
	size_t size;

	r->clang.getFileLocation(r->clang.getRangeStart(extent), &first, NULL, NULL, from);
	r->clang.getFileLocation(r->clang.getRangeEnd(extent), &last, NULL, NULL, to);
	if (!first || !last || !r->clang.File_isEqual(first, last) || *from >= *to)
		return false;
	file->begin = file->at = r->clang.getFileContents(r->unit, first, &size);
	file->end = file->begin ? file->begin + size : NULL;
	return file->begin && *to <= size;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* True if the operator precedes the text, apart from blanks. */
static bool stands_before(struct cursor_text t, const char *operator)
{
	const char *p = t.at;
	size_t length = strlen(operator);

	while (p > t.begin && (isspace((unsigned char)p[-1]) || p[-1] == '\\'))
		p--;
	return (size_t)(p - t.begin) >= length && strncmp(p - length, operator, length) == 0;
}

static const char *unqualified(const char *type)
{
	while (strncmp(type, "const ", 6) == 0 || strncmp(type, "volatile ", 9) == 0)
		type = strchr(type, ' ') + 1;
	return type;
}

static bool same_type(const struct audit_reader *r, CXType a, CXType b)
{
	OWNED(x) = clang_take(&r->clang, r->clang.getTypeSpelling(a));
	OWNED(y) = clang_take(&r->clang, r->clang.getTypeSpelling(b));

	return strcmp(unqualified(x), unqualified(y)) == 0;
}

static CXType cursor_pointee(const struct audit_reader *r, CXType pointer)
{
	return r->clang.getCanonicalType(r->clang.getPointeeType(pointer));
}

/* True if the types fit a dereference of the operand. */
static bool follows(const struct audit_reader *r, CXCursor c, CXCursor operand)
{
	CXType of = cursor_type(r, operand);

	return of.kind == CXType_Pointer && same_type(r, cursor_pointee(r, of), cursor_type(r, c));
}

static bool is_lvalue(const struct audit_reader *r, CXCursor c)
{
	const enum CXCursorKind kind = cursor_kind(r, c);

	if (kind == CXCursor_UnaryOperator || kind == CXCursor_ParenExpr) {
		CHILDREN(parts, r, c);

		return parts.count == 1 &&
		       (kind == CXCursor_ParenExpr ? is_lvalue(r, parts.items[0])
						   : follows(r, c, parts.items[0]));
	}
	return kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
	       kind == CXCursor_ArraySubscriptExpr;
}

/* True if the left operand is assigned. libclang shows the cast of a used lvalue as a cursor of its
   own. */
static bool is_assigned(const struct audit_reader *r, CXCursor left)
{
	enum CXTypeKind kind = cursor_type(r, left).kind;

	return is_lvalue(r, left) && kind != CXType_ConstantArray &&
	       kind != CXType_IncompleteArray && kind != CXType_FunctionProto;
}

/* True for a comma operator. The comma between macro arguments does not follow the left operand.
   Operands of one macro have one place. */
static bool is_comma(const struct audit_reader *r, CXCursor c, CXCursor left, CXCursor right)
{
	unsigned from, to, from_left, to_left, from_right, to_right;
	struct cursor_text file;

	return cursor_offsets(r, c, &from, &to, &file) &&
	       cursor_offsets(r, left, &from_left, &to_left, &file) &&
	       cursor_offsets(r, right, &from_right, &to_right, &file) && from == from_left &&
	       to == to_right && to_left <= from_right && stands_before(cursor_text(r, right), ",");
}

static const struct {
	const char *text;
	enum cursor_operator is;
} binaries[] = {{"==", CURSOR_EQUAL},	      {"!=", CURSOR_UNEQUAL}, {"<=", CURSOR_LESS_EQUAL},
		{">=", CURSOR_GREATER_EQUAL}, {"=", CURSOR_ASSIGN},   {"&&", CURSOR_AND},
		{"<<", CURSOR_OTHER},	      {">>", CURSOR_OTHER},   {"||", CURSOR_OR},
		{",", CURSOR_COMMA},	      {"+", CURSOR_OTHER},    {"-", CURSOR_OTHER},
		{"*", CURSOR_OTHER},	      {"/", CURSOR_OTHER},    {"%", CURSOR_OTHER},
		{"<", CURSOR_LESS},	      {">", CURSOR_GREATER},  {"&", CURSOR_BITS},
		{"|", CURSOR_OTHER},	      {"^", CURSOR_OTHER}};
enum { BINARIES = sizeof(binaries) / sizeof(*binaries) };

/* Text of the operator, "" if libclang is too old to tell. */
static const char *operator_name(const struct audit_reader *r, CXCursor c)
{
	const struct clang *l = &r->clang;

	if (!l->getCursorUnaryOperatorKind || !l->getCursorBinaryOperatorKind)
		return "";
	return program_text(r->program,
			    intern(r, cursor_kind(r, c) == CXCursor_UnaryOperator
					      ? l->getUnaryOperatorKindSpelling(
							l->getCursorUnaryOperatorKind(c))
					      : l->getBinaryOperatorKindSpelling(
							l->getCursorBinaryOperatorKind(c))));
}

enum cursor_operator cursor_binary(const struct audit_reader *r, CXCursor c, CXCursor left,
				   CXCursor right)
{
	const char *name = operator_name(r, c);
	struct cursor_text t = cursor_text(r, right);

	for (size_t i = 0; i < BINARIES; i++)
		if (strcmp(name, binaries[i].text) == 0)
			return binaries[i].is;
	if (*name)
		return CURSOR_OTHER;
	/* The whole expression is of a macro: the text before it precedes the macro. */
	if (t.at == cursor_text(r, c).at)
		t.at = NULL;
	for (size_t i = 0; t.at && i < BINARIES; i++)
		if (stands_before(t, binaries[i].text) && binaries[i].is != CURSOR_COMMA)
			return binaries[i].is;
	r->program->guessed++;
	/* Only a comma has a void operand. */
	if (cursor_type(r, left).kind == CXType_Void)
		return CURSOR_COMMA;
	if (is_assigned(r, left))
		return CURSOR_ASSIGN;
	return is_comma(r, c, left, right) ? CURSOR_COMMA : CURSOR_OTHER;
}

/* Operator by types: ++ keeps the type, & makes a pointer, * follows one. An int from a pointer to
   int may also be !, which only reads too. */
static enum cursor_operator by_types(const struct audit_reader *r, CXCursor c, CXCursor operand)
{
	CXType is = cursor_type(r, c), of = cursor_type(r, operand);

	r->program->guessed++;
	if (is_lvalue(r, operand) && is.kind == CXType_Pointer &&
	    same_type(r, cursor_pointee(r, is), of))
		return CURSOR_ADDRESS;
	if (follows(r, c, operand))
		return CURSOR_DEREF;
	if (is.kind == CXType_Int && of.kind == CXType_Pointer)
		return CURSOR_NOT;
	return is_lvalue(r, operand) && same_type(r, is, of) ? CURSOR_STEP : CURSOR_OTHER;
}

/* True for likely(x), that is !!(x), under any project's name. */
static bool is_likely(struct cursor_text t)
{
	size_t length = t.at ? word_length(t.at) : 0;

	return length >= 6 && strncasecmp(t.at + length - 6, "likely", 6) == 0;
}

/* Operator by its text. */
static enum cursor_operator unary_at(const char *at)
{
	if (at[0] == at[1] && (*at == '+' || *at == '-'))
		return CURSOR_STEP;
	return *at == '&'			  ? CURSOR_ADDRESS
	       : *at == '-'			  ? CURSOR_NEGATE
	       : *at == '*'			  ? CURSOR_DEREF
	       : *at == '!'			  ? CURSOR_NOT
	       : strcmp(at, "__extension__") == 0 ? CURSOR_EXTENSION
						  : CURSOR_OTHER;
}

enum cursor_operator cursor_unary(const struct audit_reader *r, CXCursor c, CXCursor operand)
{
	const char *name = operator_name(r, c);
	struct cursor_text t = cursor_text(r, c), end = cursor_text_end(r, c);

	if (*name)
		return unary_at(name);
	if (t.at && t.at + 1 < t.end && strchr("&*!~+-", *t.at))
		return unary_at(t.at);
	if (end.at && end.at - end.begin >= 2 &&
	    (strncmp(end.at - 2, "++", 2) == 0 || strncmp(end.at - 2, "--", 2) == 0))
		return CURSOR_STEP;
	return is_likely(t) ? CURSOR_NOT : by_types(r, c, operand);
}
