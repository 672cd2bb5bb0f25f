/* Structs and their fields, and what comments say of them and of functions. */
#include "tracer/audit/frontend/reader.h"

#include <ctype.h>
#include <string.h>

/* ---- what kind of thing a field is -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum audit_lock_kind kind;
} lock_types[] = {
	{"pthread_mutex_t", AUDIT_MUTEX},
	{"pthread_rwlock_t", AUDIT_RWLOCK},
	{"pthread_spinlock_t", AUDIT_SPIN},
	{"mtx_t", AUDIT_MUTEX},
	{"GMutex", AUDIT_MUTEX},
	{"GRecMutex", AUDIT_MUTEX},
	{"GRWLock", AUDIT_RWLOCK},
	{"uv_mutex_t", AUDIT_MUTEX},
	{"uv_rwlock_t", AUDIT_RWLOCK},
};

static CXType element(const struct audit_reader *r, CXType type)
{
	while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
		type = r->clang.getArrayElementType(type);
	return type;
}

static enum audit_lock_kind lock_named(const struct audit_reader *r, CXType type)
{
	char *text = clang_take(&r->clang, r->clang.getTypeSpelling(type));
	const char *name = text;
	enum audit_lock_kind kind = AUDIT_NO_LOCK;

	while (strncmp(name, "struct ", 7) == 0 || strncmp(name, "volatile ", 9) == 0)
		name = strchr(name, ' ') + 1;
	for (size_t i = 0; i < sizeof(lock_types) / sizeof(*lock_types); i++)
		if (strcmp(name, lock_types[i].name) == 0)
			kind = lock_types[i].kind;
	base_free(text);
	return kind;
}

static enum audit_lock_kind kind_of_all(const struct audit_program *p, const struct audit_record *r)
{
	enum audit_lock_kind kind = AUDIT_NO_LOCK;

	array_each(const unsigned, field, &r->fields) {
		kind = p->fields.items[*field].lock;
		if (!kind)
			return AUDIT_NO_LOCK;
	}
	return kind;
}

/* By the names of its types: pthread_mutex_t is a union without one, a spin lock is an int. */
static enum audit_lock_kind lock_kind(struct audit_reader *r, CXType type)
{
	CXType canonical = element(r, r->clang.getCanonicalType(type));
	enum audit_lock_kind kind = lock_named(r, element(r, type));
	unsigned record;

	if (!kind)
		kind = lock_named(r, canonical);
	if (kind || canonical.kind != CXType_Record)
		return kind;
	record = record_of_type(r, canonical);
	return record ? kind_of_all(r->program, &r->program->records.items[record - 1]) : kind;
}

static bool is_atomic(const struct audit_reader *r, CXType type)
{
	CXType t = element(r, r->clang.getCanonicalType(type));

	return t.kind == CXType_Atomic;
}

/* ---- a struct -------------------------------------------------------------------------------------------------- */

static bool comment_says(const char *comment, const char *what)
{
	return comment && strstr(comment, what);
}

/* guarded_by(lock): the lock's name. */
static unsigned guard_of(struct audit_reader *r, const char *comment)
{
	const char *at = comment ? strstr(comment, "@guarded_by(") : NULL;
	unsigned name;
	char *text;

	if (!at)
		return 0;
	at += strlen("@guarded_by(");
	text = base_strndup(at, strcspn(at, ")"));
	name = interned_add(&r->program->names, text);
	base_free(text);
	return name;
}

static bool is_header(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (strcmp(dot, ".h") == 0 || strcmp(dot, ".hpp") == 0);
}

static bool is_record(enum CXCursorKind kind)
{
	return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl;
}

/* Unnamed ones belong to those around them. */
static CXCursor named_record(const struct audit_reader *r, CXCursor record)
{
	CXCursor parent = r->clang.getCursorSemanticParent(record);

	while (is_record(cursor_kind(r, parent)) && r->clang.Cursor_isAnonymous(record)) {
		record = parent;
		parent = r->clang.getCursorSemanticParent(record);
	}
	return record;
}

/* Its type may be a struct that is read on the way. */
static void add_field(struct audit_reader *r, unsigned record, CXCursor c)
{
	struct audit_program *p = r->program;
	CXType type = r->clang.getCursorType(c), canonical = r->clang.getCanonicalType(type);
	char *comment = comment_of(r, c);
	struct audit_field f = {
		.usr = cursor_usr(r, c), .name = cursor_name(r, c), .record = record};

	f.at = cursor_place(r, c);
	f.lock = lock_kind(r, type);
	f.is_atomic = is_atomic(r, type);
	f.is_record = element(r, canonical).kind == CXType_Record;
	f.guarded_by = guard_of(r, comment);
	base_free(comment);
	p->records.items[record].has_lock |= f.lock != AUDIT_NO_LOCK;
	p->records.items[record].has_atomic |= f.is_atomic;
	*array_add(&p->fields) = f;
	number_map_set(&p->field_of, f.usr, (unsigned)p->fields.count);
	*array_add(&p->records.items[record].fields) = (unsigned)p->fields.count - 1;
}

struct fields_to_read {
	struct audit_reader *reader;
	unsigned record;
};

static enum CXChildVisitResult read_field(CXCursor c, CXCursor parent, CXClientData data)
{
	struct fields_to_read *to = data;
	enum CXCursorKind kind = cursor_kind(to->reader, c);

	(void)parent;
	if (kind == CXCursor_FieldDecl)
		add_field(to->reader, to->record, c);
	else if (is_record(kind) && to->reader->clang.Cursor_isAnonymous(c))
		to->reader->clang.visitChildren(c, read_field, data);
	return CXChildVisit_Continue;
}

/* One without a tag has the name of its typedef, which is that of its type. */
static unsigned records_name_of(struct audit_reader *r, CXCursor c)
{
	unsigned name = cursor_name(r, c);
	char *text;

	if (*program_text(r->program, name) && !strchr(program_text(r->program, name), '('))
		return name;
	text = clang_take(&r->clang, r->clang.getTypeSpelling(r->clang.getCursorType(c)));
	name = interned_add(&r->program->names, strchr(text, '(') ? "(unnamed)" : text);
	base_free(text);
	return name;
}

/* Index + 1. */
static unsigned read_record(struct audit_reader *r, CXCursor c)
{
	struct audit_program *p = r->program;
	unsigned usr = cursor_usr(r, c), known = number_map_get(&p->record_of, usr);
	struct audit_record *record;
	struct fields_to_read to;
	char *comment;

	if (known || !usr)
		return known;
	record = array_add(&p->records);
	comment = comment_of(r, c);
	record->usr = usr;
	record->name = records_name_of(r, c);
	record->at = cursor_place(r, c);
	record->is_union = cursor_kind(r, c) == CXCursor_UnionDecl;
	record->is_public = is_header(program_text(p, record->at.file));
	record->thread_safe = comment_says(comment, "@thread_safe");
	record->not_shared = comment_says(comment, "@not_shared");
	base_free(comment);
	known = (unsigned)p->records.count;
	number_map_set(&p->record_of, usr, known);
	to = (struct fields_to_read){r, known - 1};
	r->clang.visitChildren(c, read_field, &to);
	return known;
}

/* The definition where there is one. */
static unsigned record_of_declaration(struct audit_reader *r, CXCursor declaration)
{
	if (!is_record(cursor_kind(r, declaration)) || !r->clang.isCursorDefinition(declaration))
		return 0;
	return read_record(r, named_record(r, declaration));
}

unsigned record_of_type(struct audit_reader *r, CXType type)
{
	type = element(r, r->clang.getCanonicalType(type));
	if (type.kind == CXType_Pointer)
		type = element(r, r->clang.getCanonicalType(r->clang.getPointeeType(type)));
	return type.kind == CXType_Record
		       ? record_of_declaration(r, r->clang.getTypeDeclaration(type))
		       : 0;
}

void record_alias(struct audit_reader *r, CXCursor declaration)
{
	unsigned record = record_of_type(r, r->clang.getCursorType(declaration));

	if (record)
		r->program->records.items[record - 1].alias = cursor_name(r, declaration);
}

unsigned record_field(struct audit_reader *r, CXCursor declaration)
{
	unsigned usr = cursor_usr(r, declaration),
		 known = number_map_get(&r->program->field_of, usr);

	if (known || cursor_kind(r, declaration) != CXCursor_FieldDecl)
		return known;
	read_record(r, named_record(r, r->clang.getCursorSemanticParent(declaration)));
	return number_map_get(&r->program->field_of, usr);
}

/* ---- comments ------------------------------------------------------------------------------------------------- */

char *comment_of(const struct audit_reader *r, CXCursor c)
{
	struct cursor_text t = cursor_text(r, c), end = cursor_text_end(r, c);
	const char *from = t.at, *to = end.at;
	STR(text);

	if (!t.at || !end.at || end.begin != t.begin)
		return NULL;
	while (from > t.begin && strchr(" \t\n", from[-1]))
		from--;
	if (from - t.begin > 2 && strncmp(from - 2, "*/", 2) == 0)
		while (from > t.begin && strncmp(from, "/*", 2) != 0)
			from--;
	else
		while (from > t.begin && from[-1] != '\n')
			from--;
	if (from < t.at && strncmp(from, "/*", 2) != 0 && strncmp(from, "//", 2) != 0)
		from = t.at;
	while (to < end.end && *to != '\n')
		to++;
	str_add_bytes(&text, from, (size_t)(t.at - from));
	str_add_bytes(&text, end.at, (size_t)(to - end.at));
	if (text.length)
		return str_take(&text);
	return NULL;
}

/* ---- whose lock ------------------------------------------------------------------------------------------- */

static bool says_any(const char *sentence, const char *const *words)
{
	for (; *words; words++)
		if (strstr(sentence, *words))
			return true;
	return false;
}

/* Of a sentence in small letters: is it the caller who has to have a lock? That of RCU keeps no writers apart. */
static bool asks_for_lock(const char *sentence)
{
	static const char *const locks[] = {"lock", "mutex", NULL},
				 *const has[] = {"held", " hold", "called with", "acquired before",
						 NULL},
				 *const who[] = {"must", "should", "call",   "assum",	"requir",
						 "need", "expect", "has to", "have to", NULL},
				 *const others[] = {" not ",  "n't",	" no ",	 "without",
						    "never",  "unlock", "block", "rcu",
						    "return", "while",	NULL};

	return says_any(sentence, locks) && says_any(sentence, has) && says_any(sentence, who) &&
	       !says_any(sentence, others);
}

/* Behind a full stop, at an empty line, and before a word of Doxygen another sentence begins. */
static bool ends_sentence(const char *at)
{
	const char *next = at + 1 + strspn(at + 1, " \t*");

	if (*at == '.' || *at == ';')
		return isspace((unsigned char)at[1]);
	return *at == '\n' && (*next == '@' || *next == '\\' || *next == '\n');
}

bool comment_wants_lock(const char *comment)
{
	STR(sentence);
	bool wants = false;

	for (const char *p = comment; p && *p && !wants; p++) {
		const char c = isspace((unsigned char)*p) || *p == '*' ? ' ' : *p;

		str_addf(&sentence, "%c", tolower((unsigned char)c));
		if (!ends_sentence(p) && p[1])
			continue;
		wants = asks_for_lock(str_text(&sentence));
		str_clear(&sentence);
	}
	return wants;
}
