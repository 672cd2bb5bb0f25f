/* Structs and their fields; marks in comments of structs and functions. */
#include "tracer/audit/frontend/cxx.h"

#include <ctype.h>
#include <string.h>

/* ---- kinds of fields ------------------------------------------------------------------------- */

static const char *const lock_types[] = {
	"pthread_mutex_t", "pthread_rwlock_t", "pthread_spinlock_t", "mtx_t",	    "GMutex",
	"GRecMutex",	   "GRWLock",	       "uv_mutex_t",	     "uv_rwlock_t",
};

static CXType element(const struct audit_reader *r, CXType type)
{
	while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
		type = r->clang.getArrayElementType(type);
	return type;
}

static bool is_lock_name(const struct audit_reader *r, CXType type)
{
	OWNED(text) = clang_take(&r->clang, r->clang.getTypeSpelling(type));
	const char *name = text;

	while (strncmp(name, "struct ", 7) == 0 || strncmp(name, "volatile ", 9) == 0)
		name = strchr(name, ' ') + 1;
	for (size_t i = 0; i < sizeof(lock_types) / sizeof(*lock_types); i++)
		if (strcmp(name, lock_types[i]) == 0)
			return true;
	return false;
}

static bool has_only_locks(const struct audit_program *p, const struct audit_record *r)
{
	array_each(const unsigned, field, &r->fields)
		if (!p->fields.items[*field].lock)
			return false;
	return r->fields.count > 0;
}

/* True for a lock, by the names of its types: pthread_mutex_t is an unnamed union, a spin lock an
   int. */
bool record_is_lock(struct audit_reader *r, CXType type)
{
	CXType canonical = element(r, r->clang.getCanonicalType(type));
	unsigned record;

	if (r->cxx && cxx_is_reference(canonical))
		return false;
	if (is_lock_name(r, element(r, type)) || is_lock_name(r, canonical) ||
	    (r->cxx && cxx_class_of(r, canonical) == CXX_LOCK))
		return true;
	record = canonical.kind == CXType_Record ? record_of_type(r, canonical) : 0;
	return record && has_only_locks(r->program, &r->program->records.items[record - 1]);
}

/* ---- a struct -------------------------------------------------------------------------------- */

/* Key of a struct or of one of its fields. In C a struct of a source file is that file's own, and
   one of a header that of headers with this name, which may be copies: C11 6.2.7 makes two of one
   tag one type only if they are alike, but libclang gives both one USR. */
static unsigned records_key_of(const struct audit_reader *r, CXCursor c)
{
	const unsigned usr = cursor_usr(r, c);
	const char *file;
	STR(key);

	if (!usr || r->cxx)
		return usr;
	file = r->clang.Location_isFromMainFile(r->clang.getCursorLocation(c))
		       ? r->file
		       : str_base_name(program_text(r->program, cursor_place(r, c).file));
	str_addf(&key, "%s@%s", program_text(r->program, usr), file);
	return interned_add(&r->program->names, str_text(&key));
}

/* Comment before the declaration, or after it on its line; the caller frees it. libclang knows only
   Doxygen comments. */
static char *comment_of(const struct audit_reader *r, CXCursor c)
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

/* The lock's name in @guarded_by(lock), or 0. */
static unsigned guard_of(struct audit_reader *r, const char *comment)
{
	const char *at = comment ? strstr(comment, "@guarded_by(") : NULL;
	OWNED(text) = NULL;

	if (!at)
		return 0;
	at += strlen("@guarded_by(");
	text = base_strndup(at, strcspn(at, ")"));
	return interned_add(&r->program->names, text);
}

static bool is_header(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (strcmp(dot, ".h") == 0 || strcmp(dot, ".hpp") == 0);
}

static bool is_record(enum CXCursorKind kind)
{
	return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
	       kind == CXCursor_ClassDecl;
}

/* The named struct that contains an unnamed one. */
static CXCursor named_record(const struct audit_reader *r, CXCursor record)
{
	CXCursor parent = r->clang.getCursorSemanticParent(record);

	while (is_record(cursor_kind(r, parent)) && r->clang.Cursor_isAnonymous(record)) {
		record = parent;
		parent = r->clang.getCursorSemanticParent(record);
	}
	return record;
}

static bool is_std_atomic(const struct audit_reader *r, CXType type)
{
	return r->cxx && !cxx_is_reference(type) && cxx_class_of(r, element(r, type)) == CXX_ATOMIC;
}

static void set_kind(struct audit_reader *r, CXType type, struct audit_field *f)
{
	const CXType canonical = r->clang.getCanonicalType(type), of = element(r, canonical);

	f->lock = record_is_lock(r, type);
	f->is_atomic = of.kind == CXType_Atomic || is_std_atomic(r, canonical);
	f->type = of.kind == CXType_Record ? record_of_type(r, of) : 0;
}

/* Adjacent bit-fields are one memory location (C11 3.14); one of width 0 ends it. */
static unsigned word_of(const struct audit_reader *r, unsigned record, CXCursor c)
{
	const struct audit_program *p = r->program;
	const struct audit_record *of = &p->records.items[record];
	const struct audit_field *last =
		of->fields.count ? &p->fields.items[of->fields.items[of->fields.count - 1]] : NULL;

	if (!r->clang.Cursor_isBitField(c) || !r->clang.getFieldDeclBitWidth(c))
		return 0;
	return last && last->word ? last->word : (unsigned)p->fields.count + 1;
}

/* Adds a field. Its type may be a struct, which is read first and moves p->records. */
static void add_field(struct audit_reader *r, unsigned record, CXCursor c)
{
	struct audit_program *p = r->program;
	CXType type = r->clang.getCursorType(c);
	OWNED(comment) = comment_of(r, c);
	const unsigned key = records_key_of(r, c);
	struct audit_field f = {.name = cursor_name(r, c), .record = record};

	f.at = cursor_place(r, c);
	set_kind(r, type, &f);
	f.guarded_by = guard_of(r, comment);
	f.word = word_of(r, record, c);
	p->records.items[record].has_lock |= f.lock;
	p->records.items[record].has_atomic |= f.is_atomic;
	*array_add(&p->fields) = f;
	number_map_set(&p->field_of, key, (unsigned)p->fields.count);
	*array_add(&p->records.items[record].fields) = (unsigned)p->fields.count - 1;
}

unsigned record_variable(struct audit_reader *r, CXCursor c)
{
	struct audit_program *p = r->program;
	CXType type = r->clang.getCursorType(c);
	struct audit_field f = {.name = cursor_name(r, c), .at = cursor_place(r, c)};
	const unsigned record = record_of_type(r, type);
	struct audit_record *variables;

	set_kind(r, type, &f);
	variables = program_variables(p);
	variables->has_lock |= f.lock || (record && p->records.items[record - 1].has_lock);
	if (f.lock)
		return 0;
	f.record = p->variables - 1;
	*array_add(&p->fields) = f;
	*array_add(&variables->fields) = (unsigned)p->fields.count - 1;
	return (unsigned)p->fields.count;
}

struct fields_to_read {
	struct audit_reader *reader;
	unsigned record;
};

/* A class has the locks of its base class. */
static void add_base(struct audit_reader *r, unsigned record, CXCursor c)
{
	const unsigned base = record_of_type(r, r->clang.getCursorType(c));
	const struct audit_record *of = base ? &r->program->records.items[base - 1] : NULL;

	if (!of)
		return;
	r->program->records.items[record].has_lock |= of->has_lock;
	r->program->records.items[record].has_atomic |= of->has_atomic;
}

static enum CXVisitorResult read_member(CXCursor c, CXClientData data)
{
	struct fields_to_read *to = data;

	add_field(to->reader, to->record, c);
	return CXVisit_Continue;
}

static enum CXChildVisitResult read_field(CXCursor c, CXCursor parent, CXClientData data)
{
	struct fields_to_read *to = data;
	enum CXCursorKind kind = cursor_kind(to->reader, c);

	(void)parent;
	if (kind == CXCursor_FieldDecl)
		add_field(to->reader, to->record, c);
	else if (kind == CXCursor_CXXBaseSpecifier)
		add_base(to->reader, to->record, c);
	else if (is_record(kind) && to->reader->clang.Cursor_isAnonymous(c))
		to->reader->clang.visitChildren(c, read_field, data);
	return CXChildVisit_Continue;
}

/* Name of a struct; without a tag it is that of its typedef. */
static unsigned records_name_of(struct audit_reader *r, CXCursor c)
{
	static const char unnamed[] = "(anonymous namespace)::";
	const unsigned name = cursor_name(r, c);
	OWNED(text) = NULL;
	const char *shown;

	if (r->cxx && *program_text(r->program, name)) {
		text = clang_take(&r->clang, r->clang.getTypeSpelling(cursor_type(r, c)));
		shown = strncmp(text, unnamed, strlen(unnamed)) == 0 ? text + strlen(unnamed)
								     : text;
		return interned_add(&r->program->names, shown);
	}
	if (*program_text(r->program, name) && !strchr(program_text(r->program, name), '('))
		return name;
	text = clang_take(&r->clang, r->clang.getTypeSpelling(r->clang.getCursorType(c)));
	return interned_add(&r->program->names, strchr(text, '(') ? "(unnamed)" : text);
}

/* Adds a struct, unless it is known. Returns its index + 1, or 0. */
static unsigned read_record(struct audit_reader *r, CXCursor c)
{
	struct audit_program *p = r->program;
	unsigned key = records_key_of(r, c), known = number_map_get(&p->record_of, key);
	struct audit_record *record;
	struct fields_to_read to;
	OWNED(comment) = NULL;

	if (known || !key)
		return known;
	record = array_add(&p->records);
	comment = comment_of(r, c);
	record->name = records_name_of(r, c);
	record->at = cursor_place(r, c);
	record->kind = cursor_kind(r, c) == CXCursor_UnionDecl ? RECORD_UNION : RECORD_STRUCT;
	record->is_public = is_header(program_text(p, record->at.file));
	record->is_system = r->clang.Location_isInSystemHeader(r->clang.getCursorLocation(c));
	record->thread_safe = comment && strstr(comment, "@thread_safe");
	record->not_shared = comment && strstr(comment, "@not_shared");
	known = (unsigned)p->records.count;
	number_map_set(&p->record_of, key, known);
	to = (struct fields_to_read){r, known - 1};
	/* libclang shows no children of a class that a template makes. */
	if (r->cxx && !r->clang.Cursor_isNull(r->clang.getSpecializedCursorTemplate(c)))
		r->clang.Type_visitFields(r->clang.getCursorType(c), read_member, &to);
	else
		r->clang.visitChildren(c, read_field, &to);
	return known;
}

/* Struct of a definition, as index + 1; 0 for a declaration only. */
static unsigned record_of_declaration(struct audit_reader *r, CXCursor declaration)
{
	if (!is_record(cursor_kind(r, declaration)) || !r->clang.isCursorDefinition(declaration))
		return 0;
	return read_record(r, named_record(r, declaration));
}

unsigned record_of_type(struct audit_reader *r, CXType type)
{
	type = element(r, r->clang.getCanonicalType(type));
	if (r->cxx && cxx_is_pointer(cxx_class_of(r, type)))
		type = cxx_held_type(r, type);
	else if (type.kind == CXType_Pointer || cxx_is_reference(type))
		type = element(r, r->clang.getCanonicalType(r->clang.getPointeeType(type)));
	return type.kind == CXType_Record && !(r->cxx && cxx_class_of(r, type) != CXX_OWN)
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
	unsigned key = records_key_of(r, declaration),
		 known = number_map_get(&r->program->field_of, key);

	if (known || cursor_kind(r, declaration) != CXCursor_FieldDecl)
		return known;
	read_record(r, named_record(r, r->clang.getCursorSemanticParent(declaration)));
	return number_map_get(&r->program->field_of, key);
}

/* ---- comments that ask for a lock ------------------------------------------------------------ */

static bool says_any(const char *sentence, const char *const *words)
{
	for (; *words; words++)
		if (strstr(sentence, *words))
			return true;
	return false;
}

/* True if the sentence, in lower case, says that callers hold a lock. An RCU read lock excludes no
   writers. */
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

/* True at a full stop, an empty line, or before a Doxygen command. */
static bool ends_sentence(const char *at)
{
	const char *next = at + 1 + strspn(at + 1, " \t*");

	if (*at == '.' || *at == ';')
		return isspace((unsigned char)at[1]);
	return *at == '\n' && (*next == '@' || *next == '\\' || *next == '\n');
}

bool comment_wants_lock(const struct audit_reader *r, CXCursor c)
{
	OWNED(comment) = comment_of(r, c);
	bool wants = false;
	STR(sentence);

	for (const char *p = comment; p && *p && !wants; p++) {
		const char small = isspace((unsigned char)*p) || *p == '*' ? ' ' : *p;

		str_addf(&sentence, "%c", tolower((unsigned char)small));
		if (!ends_sentence(p) && p[1])
			continue;
		wants = asks_for_lock(str_text(&sentence));
		str_clear(&sentence);
	}
	return wants;
}
