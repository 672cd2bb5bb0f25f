/*
 * C into the program, unit by unit: what the files of this folder share. A cursor has two
 * positions: the spelled one, where its text stands (also in a macro's definition), and the shown
 * one, where a person looks for it.
 */
#ifndef GATECTL_AUDIT_FRONTEND_READER_H
#define GATECTL_AUDIT_FRONTEND_READER_H

#include "tracer/audit/frontend/program.h"
#include "tracer/base/text/str.h"

#include <clang-c/CXCompilationDatabase.h>
#include <clang-c/Index.h>

/* ---- clang.c --------------------------------------------------------------------------------- */

/*
 * libclang (clang-c/Index.h), loaded when it is used: the rest of gatectl does not need it, and its
 * start would cost every command 40 ms. Any version from 14 on: its C interface only grows.
 */
/* clang-format off */
#define CLANG_FUNCTIONS(X) \
	X(createIndex) X(disposeIndex) X(parseTranslationUnit2) X(disposeTranslationUnit) \
	X(getTranslationUnitCursor) X(getNumDiagnostics) X(getDiagnostic) \
	X(disposeDiagnostic) X(getDiagnosticSeverity) X(getDiagnosticSpelling) \
	X(getDiagnosticLocation) X(visitChildren) X(getCursorKind) X(getCursorType) \
	X(getCursorSpelling) X(getCursorUSR) X(getCursorLocation) X(getCursorExtent) \
	X(getCursorReferenced) X(getCursorSemanticParent) X(getCursorPrettyPrinted) \
	X(getCursorPrintingPolicy) X(PrintingPolicy_dispose) X(getCursorTLSKind) \
	X(getCursorLinkage) X(isCursorDefinition) X(equalCursors) X(isExpression) \
	X(Cursor_getStorageClass) X(Cursor_isAnonymous) X(Cursor_isNull) \
	X(Cursor_Evaluate) X(EvalResult_getKind) X(EvalResult_getAsLongLong) \
	X(EvalResult_dispose) X(getEnumConstantDeclValue) X(getCanonicalType) \
	X(isVolatileQualifiedType) X(getPointeeType) X(getArrayElementType) \
	X(getTypeDeclaration) X(getTypeSpelling) X(getRangeStart) X(getRangeEnd) \
	X(getFileLocation) X(getSpellingLocation) X(Location_isInSystemHeader) \
	X(getFileName) X(getFileContents) X(File_isEqual) X(File_tryGetRealPathName) \
	X(getCString) X(disposeString) X(CompilationDatabase_fromDirectory) \
	X(CompilationDatabase_dispose) X(CompilationDatabase_getAllCompileCommands) \
	X(CompileCommands_dispose) X(CompileCommands_getSize) \
	X(CompileCommands_getCommand) X(CompileCommand_getDirectory) \
	X(CompileCommand_getFilename) X(CompileCommand_getNumArgs) \
	X(CompileCommand_getArg)
/* clang-format on */

struct clang {
	void *library;
	unsigned version; /* 0: of a name without one */
	bool has_headers; /* its own ones: stddef.h and others that a compiler brings */
#define X(name) __typeof__(clang_##name) *name;
	CLANG_FUNCTIONS(X)
#undef X
};

/* The newest that has its own headers, or else the newest. 0, or -1: it is not installed, or too
   old. */
int clang_load(struct clang *c, struct error *err);
void clang_unload(struct clang *c);

/* What libclang gives as a string, owned by the caller; never NULL. */
char *clang_take(const struct clang *c, CXString s);

/* Standard error while libclang writes to it: its many lines are for nobody. */
struct caught {
	int own, said; /* descriptors; -1: nothing is caught */
};

void caught_begin(struct caught *c);
/* Restores standard error. `out`: the first thousand bytes of what was written; may be NULL. */
void caught_end(struct caught *c, struct str *out);

/* ---- included.c: what a unit includes -------------------------------------------------------- */

/* Files that were checked already, for all units. */
struct included_known {
	struct interned files;
	struct number_map seen;
};

struct included {
	const char *folder; /* where the compiler was started; may be NULL */
	char *const *words; /* its arguments */
	size_t count;
	struct included_known *known;
};

/* The first include of a pipe or a device, which libclang would read without end, as a message,
   owned; NULL if there is none. Conditions of the preprocessor and folders of the system are not
   looked at. */
char *included_no_file(const struct included *i, const char *file);
void included_known_fini(struct included_known *k);

/* ---- read.c ---------------------------------------------------------------------------------- */

struct audit_reader {
	struct clang clang;
	CXIndex index;
	struct audit_program *program;
	CXTranslationUnit unit;
	const struct audit_read_options *options;
	const char *file; /* the unit's */
	unsigned source;  /* ... index + 1 of the program's */
};

struct cursors {
	CXCursor *items;
	size_t count, capacity;
};

/* ---- cursor.c -------------------------------------------------------------------------------- */

/* Without references to types and members; freed where the scope ends. */
#define CHILDREN(name, r, c)                                                                       \
	struct cursors name __attribute__((cleanup(cursors_fini))) = cursor_children(r, c)
struct cursors cursor_children(const struct audit_reader *r, CXCursor c);
void cursors_fini(struct cursors *c);
enum CXCursorKind cursor_kind(const struct audit_reader *r, CXCursor c);
struct audit_place cursor_place(const struct audit_reader *r, CXCursor c);
struct audit_place cursor_end(const struct audit_reader *r, CXCursor c);
unsigned cursor_usr(const struct audit_reader *r, CXCursor c);
unsigned cursor_name(const struct audit_reader *r, CXCursor c);
CXType cursor_type(const struct audit_reader *r, CXCursor c); /* the canonical one */

struct cursor_text {
	const char *at, *begin, *end; /* `at` in the file's text; NULL: there is none */
};
/* The text that the expression begins with, and ends before. */
struct cursor_text cursor_text(const struct audit_reader *r, CXCursor c);
struct cursor_text cursor_text_end(const struct audit_reader *r, CXCursor c);

/* The shown positions of its start and end as offsets. False for a part of a macro. */
bool cursor_offsets(const struct audit_reader *r, CXCursor c, unsigned *from, unsigned *to,
		    struct cursor_text *file);

enum cursor_operator {
	CURSOR_OTHER,
	CURSOR_ASSIGN,
	CURSOR_EQUAL,
	CURSOR_UNEQUAL,
	CURSOR_AND,
	CURSOR_OR,
	CURSOR_COMMA,
	CURSOR_ADDRESS,
	CURSOR_DEREF,
	CURSOR_NOT,
	CURSOR_STEP,
};
/* The operator of a BinaryOperator or UnaryOperator. libclang says it from version 17 on.
   Before, it is read in the text; where a macro hides it, told by the types and casts around. */
enum cursor_operator cursor_binary(const struct audit_reader *r, CXCursor c, CXCursor left,
				   CXCursor right);
enum cursor_operator cursor_unary(const struct audit_reader *r, CXCursor c, CXCursor operand);

/* ---- records.c ------------------------------------------------------------------------------- */

/* The struct that it is, or points to, of the program's (index + 1); 0: none. */
unsigned record_of_type(struct audit_reader *r, CXType type);
/* A typedef of a struct. */
void record_alias(struct audit_reader *r, CXCursor declaration);
/* Index + 1 of the field, or 0. */
unsigned record_field(struct audit_reader *r, CXCursor declaration);

/* The comment of the function says that it is called with a lock held. */
bool comment_wants_lock(const struct audit_reader *r, CXCursor c);

/* ---- lower_stmt.c ---------------------------------------------------------------------------- */

/* The function's body as blocks. */
void lower_function(struct audit_reader *r, CXCursor definition);
/* The variable's index + 1 of the program's globals. */
void lower_global(struct audit_reader *r, CXCursor declaration);

/* ---- lower_expr.c, lower_stmt.c: a function as blocks of expressions ------------------------- */

struct lower_label {
	unsigned name, block;
};

struct lower {
	struct audit_reader *reader;
	struct audit_function *function;
	unsigned block; /* the one that is being filled */
	struct lower_target {
		unsigned block;
		size_t cleanups; /* open outside of the loop or switch */
	} breaks, continues;
	struct cursors declared; /* of the locals, in their order */
	ARRAY(struct lower_label) labels;
	ARRAY(unsigned) cleanups; /* locals of the scopes that are open */
	ARRAY(unsigned) cases;	  /* blocks of the switches that are open */
	bool has_default;	  /* of the innermost switch */
};

struct audit_expr *lower_new(struct lower *l, enum audit_expr_kind kind, CXCursor c,
			     unsigned operands);
/* Statements within it go to the block that is open. Never NULL. */
struct audit_expr *lower_expr(struct lower *l, CXCursor c);
/* Adds it to the block that is open. */
void lower_step(struct lower *l, struct audit_expr *e);
/* The block that is open; it moves when there are more. */
struct audit_block *lower_open_block(struct lower *l);
/* Returns the new block's index. */
unsigned lower_block_new(struct lower *l);
/* Ends the block that is open; l->block = ... opens the next one. */
void lower_jump(struct lower *l, unsigned to);
void lower_branch(struct lower *l, struct audit_expr *condition, unsigned yes, unsigned no);
/* A block for each part of && || ! ?: and the comma. */
void lower_condition(struct lower *l, struct audit_expr *e, unsigned yes, unsigned no);
/* Lowers all of a ({ }). Returns its value. */
struct audit_expr *lower_inner(struct lower *l, CXCursor compound);
/* Index + 1 of the locals; 0: it is none. */
unsigned lower_local(const struct lower *l, CXCursor declaration);

#endif
