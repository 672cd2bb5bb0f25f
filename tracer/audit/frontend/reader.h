/* Reads C and C++ into the program: interfaces between the files of this folder. A cursor has two
   positions: the spelling location, where its text is (also in a macro's definition), and the file
   location, where the macro is used. */
#ifndef GATECTL_AUDIT_FRONTEND_READER_H
#define GATECTL_AUDIT_FRONTEND_READER_H

#include "tracer/audit/frontend/program.h"
#include "tracer/base/text/str.h"

#include <clang-c/CXCompilationDatabase.h>
#include <clang-c/Index.h>

/* ---- clang.c --------------------------------------------------------------------------------- */

/* libclang (clang-c/Index.h) is loaded with dlopen(): the rest of gatectl does not need it, and
   loading takes 40 ms. Any version from 14 on works. */
/* clang-format off */
#define CLANG_FUNCTIONS(X) \
	X(createIndex) X(disposeIndex) X(parseTranslationUnit2) X(disposeTranslationUnit) \
	X(getTranslationUnitCursor) X(getNumDiagnostics) X(getDiagnostic) \
	X(disposeDiagnostic) X(getDiagnosticSeverity) X(getDiagnosticSpelling) \
	X(getDiagnosticLocation) X(visitChildren) X(getCursorKind) X(getCursorType) \
	X(getCursorSpelling) X(getCursorUSR) X(getCursorLocation) X(getCursorExtent) \
	X(getCursorReferenced) X(getCursorSemanticParent) X(getCursorPrettyPrinted) \
	X(getCursorPrintingPolicy) X(PrintingPolicy_dispose) X(getCursorTLSKind) \
	X(getCursorLinkage) X(isCursorDefinition) X(equalCursors) X(isExpression) X(isDeclaration) \
	X(isTranslationUnit) \
	X(Cursor_getStorageClass) X(Cursor_isAnonymous) X(Cursor_isNull) \
	X(Cursor_Evaluate) X(EvalResult_getKind) X(EvalResult_getAsLongLong) \
	X(EvalResult_dispose) X(getEnumConstantDeclValue) X(getCanonicalType) \
	X(isVolatileQualifiedType) X(getPointeeType) X(getArrayElementType) \
	X(getTypeDeclaration) X(getTypeSpelling) X(getRangeStart) X(getRangeEnd) \
	X(getFileLocation) X(getSpellingLocation) X(Location_isInSystemHeader) \
	X(Location_isFromMainFile) \
	X(getFileName) X(getFileContents) X(File_isEqual) X(File_tryGetRealPathName) \
	X(getCString) X(disposeString) X(CompilationDatabase_fromDirectory) \
	X(CompilationDatabase_dispose) X(CompilationDatabase_getAllCompileCommands) \
	X(CompileCommands_dispose) X(CompileCommands_getSize) \
	X(CompileCommands_getCommand) X(CompileCommand_getDirectory) \
	X(CompileCommand_getFilename) X(CompileCommand_getNumArgs) \
	X(CompileCommand_getArg) X(Cursor_getNumArguments) X(Cursor_getArgument) \
	X(getResultType) X(getArgType) X(isConstQualifiedType) X(getNullCursor) \
	X(Cursor_isBitField) X(getFieldDeclBitWidth) X(Type_visitFields) \
	X(Type_getTemplateArgumentAsType) X(Type_getNumTemplateArguments) \
	X(CXXMethod_isStatic) X(CXXMethod_isConst) X(CXXMethod_isVirtual) \
	X(CXXMethod_isDefaulted) X(CXXConstructor_isCopyConstructor) \
	X(CXXConstructor_isMoveConstructor) X(getCXXAccessSpecifier) \
	X(getSpecializedCursorTemplate) X(getCursorDefinition) X(getCanonicalCursor)
/* clang-format on */

struct clang {
	void *library;
	unsigned version; /* 0 for a library name without version */
	bool has_headers; /* finds the compiler's own headers, such as stddef.h */
#define X(name) __typeof__(clang_##name) *name;
	CLANG_FUNCTIONS(X)
#undef X
	/* Kinds of operators and their spelling: NULL before libclang 17. */
	int (*getCursorUnaryOperatorKind)(CXCursor c), (*getCursorBinaryOperatorKind)(CXCursor c);
	CXString (*getUnaryOperatorKindSpelling)(int kind);
	CXString (*getBinaryOperatorKindSpelling)(int kind);
};

/* Loads the newest version that has its own headers, else the newest. Returns 0, or -1 with *err
   set if none is installed or all are too old. */
int clang_load(struct clang *c, struct error *err);
/* Unloads the library. */
void clang_unload(struct clang *c);

/* Returns a copy of the string and disposes of `s`; never NULL; the caller frees it. */
char *clang_take(const struct clang *c, CXString s);

/* Captures standard error, since libclang writes many lines to it. */
struct caught {
	int own, said; /* descriptors; -1 if nothing is captured */
};

/* Redirects standard error to memory. */
void caught_begin(struct caught *c);
/* Restores standard error; appends the first KiB of what was written to `out` unless NULL. */
void caught_end(struct caught *c, struct str *out);

/* ---- included.c: includes of a unit ---------------------------------------------------------- */

/* Files already checked, for all units. */
struct included_known {
	struct interned files;
	struct number_map seen;
};

struct included {
	const char *folder; /* working directory of the compiler; may be NULL */
	char *const *words; /* arguments of the compiler */
	size_t count;
	struct included_known *known;
};

/* Returns a message about the first include of a pipe or device, which libclang would read forever,
   or NULL; the caller frees it. Ignores preprocessor conditions and system folders. */
char *included_no_file(const struct included *i, const char *file);
/* Frees the set of checked files. */
void included_known_fini(struct included_known *k);

/* ---- read.c ---------------------------------------------------------------------------------- */

struct audit_reader {
	struct clang clang;
	CXIndex index;
	struct audit_program *program;
	CXTranslationUnit unit;
	const struct audit_read_options *options;
	const char *file; /* path of the current unit */
	unsigned source;  /* index + 1 of the current unit */
	/* Lowers what only C++ has; NULL in a unit of C. */
	const struct lower_language *cxx;
	struct cxx_unit *cxx_unit; /* as `cxx` */
};

struct cursors {
	CXCursor *items;
	size_t count, capacity;
};

/* ---- cursor.c -------------------------------------------------------------------------------- */

/* Declares the children of a cursor, without references to types, members, templates and
   namespaces; freed at the end of the scope. */
#define CHILDREN(name, r, c)                                                                       \
	struct cursors name __attribute__((cleanup(cursors_fini))) = cursor_children(r, c)
/* Returns the children, as above; cursors_fini() frees them. */
struct cursors cursor_children(const struct audit_reader *r, CXCursor c);
/* Frees the array. */
void cursors_fini(struct cursors *c);
/* Returns the kind of the cursor. */
enum CXCursorKind cursor_kind(const struct audit_reader *r, CXCursor c);
/* Returns the file location of the cursor. */
struct audit_place cursor_place(const struct audit_reader *r, CXCursor c);
/* Returns the file location of its last character. */
struct audit_place cursor_end(const struct audit_reader *r, CXCursor c);
/* Returns the USR as a name. */
unsigned cursor_usr(const struct audit_reader *r, CXCursor c);
/* Returns the spelling as a name. */
unsigned cursor_name(const struct audit_reader *r, CXCursor c);
CXType cursor_type(const struct audit_reader *r, CXCursor c); /* Returns the canonical type. */

struct cursor_text {
	/* `at` is a position in the file's text; NULL if there is none. */
	const char *at, *begin, *end;
};
/* Returns the text position where the expression begins. */
struct cursor_text cursor_text(const struct audit_reader *r, CXCursor c);
/* Returns the text position after the expression. */
struct cursor_text cursor_text_end(const struct audit_reader *r, CXCursor c);

/* Sets the offsets of start and end by file location. Returns false for a part of a macro. */
bool cursor_offsets(const struct audit_reader *r, CXCursor c, unsigned *from, unsigned *to,
		    struct cursor_text *file);

enum cursor_operator {
	CURSOR_OTHER,
	CURSOR_ASSIGN,
	CURSOR_EQUAL,
	CURSOR_UNEQUAL,
	CURSOR_LESS,
	CURSOR_LESS_EQUAL,
	CURSOR_GREATER,
	CURSOR_GREATER_EQUAL,
	CURSOR_AND,
	CURSOR_OR,
	CURSOR_COMMA,
	CURSOR_BITS,
	CURSOR_ADDRESS,
	CURSOR_DEREF,
	CURSOR_NOT,
	CURSOR_NEGATE,
	CURSOR_STEP,
	CURSOR_EXTENSION, /* __extension__: no operator */
};
/* Returns the operator of a BinaryOperator. libclang 17 and later name it; before, it is read from
   the text, or derived from types where a macro hides it. */
enum cursor_operator cursor_binary(const struct audit_reader *r, CXCursor c, CXCursor left,
				   CXCursor right);
/* Returns the operator of a UnaryOperator. */
enum cursor_operator cursor_unary(const struct audit_reader *r, CXCursor c, CXCursor operand);

/* ---- records.c ------------------------------------------------------------------------------- */

/* Returns the struct that the type is or points to, as index + 1, or 0. */
unsigned record_of_type(struct audit_reader *r, CXType type);
/* Returns true for a lock, or an array of them. */
bool record_is_lock(struct audit_reader *r, CXType type);
/* Adds a variable of static storage to those of the program. Returns its field + 1, or 0 for a
   lock. */
unsigned record_variable(struct audit_reader *r, CXCursor c);
/* Records the typedef of a struct as its alias. */
void record_alias(struct audit_reader *r, CXCursor declaration);
/* Returns the index + 1 of the field, or 0. */
unsigned record_field(struct audit_reader *r, CXCursor declaration);

/* Returns true if the function's comment asks for a lock. */
bool comment_wants_lock(const struct audit_reader *r, CXCursor c);

/* ---- tables.c -------------------------------------------------------------------------------- */

/* Reads the functions in the variable's initializer. */
void table_read(struct audit_reader *r, CXCursor variable);

/* ---- lower_stmt.c ---------------------------------------------------------------------------- */

/* Adds the function to the program, with its body as basic blocks. */
void lower_function(struct audit_reader *r, CXCursor definition);
/* Adds the variable to the program's globals, unless it is known. */
void lower_global(struct audit_reader *r, CXCursor declaration);

/* ---- lower_expr.c, lower_stmt.c: a function as basic blocks ---------------------------------- */

struct lower_label {
	unsigned name, block;
};

struct lower_cleanup {
	unsigned local, from, to;
};

/* A case of a switch: its block, and its value unless it is the default or a range. */
struct lower_case {
	unsigned block;
	struct audit_expr *value;
	bool is_default;
};

struct lower {
	struct audit_reader *reader;
	struct audit_function *function;
	unsigned block; /* the open block, which is being filled */
	struct lower_target {
		unsigned block;
		size_t cleanups; /* cleanups open outside the loop or switch */
	} breaks, continues;
	struct cursors declared; /* declarations of the locals, in order */
	ARRAY(struct lower_label) labels;
	/* Locals with a cleanup in open scopes; `from` and `to` are the offsets of the declaration
	   and of the scope's end. */
	ARRAY(struct lower_cleanup) cleanups;
	unsigned scope_end;		/* offset in the file where the innermost compound ends */
	ARRAY(struct lower_case) cases; /* of the open switches */
	/* C++: locals that hold the address of what they refer to; index + 1 of `this`, or 0; the
	   function returns a reference. */
	ARRAY(unsigned) references;
	unsigned self;
	bool returns_reference;
	unsigned returned; /* index + 1 of the local that the return statement gives away, or 0 */
};

/* Rules of a language beyond C. A function returns NULL or false where the rules of C hold. */
struct lower_language {
	struct audit_expr *(*expr)(struct lower *l, CXCursor c, const struct cursors *parts);
	bool (*statement)(struct lower *l, CXCursor c, const struct cursors *parts);
	bool (*variable)(struct lower *l, CXCursor c);
	/* The value that a return statement gives. */
	struct audit_expr *(*result)(struct lower *l, CXCursor value);
	/* Before the parameters; before and after the body's statements. */
	void (*begin)(struct lower *l, CXCursor definition);
	void (*enter)(struct lower *l, CXCursor definition);
	void (*leave)(struct lower *l, CXCursor definition);
};

/* Returns a new expression with room for the operands, in the program's memory. */
struct audit_expr *lower_new(struct lower *l, enum audit_expr_kind kind, CXCursor c,
			     unsigned operands);
/* Lowers an expression; adds statements within it to the open block. Never returns NULL. */
struct audit_expr *lower_expr(struct lower *l, CXCursor c);
/* Adds the expression to the open block. */
void lower_step(struct lower *l, struct audit_expr *e);
/* Returns the open block, valid until a block is added. */
struct audit_block *lower_open_block(struct lower *l);
/* Adds a block. Returns its index. */
unsigned lower_block_new(struct lower *l);
/* Ends the open block with a jump; the caller sets l->block to open another one. */
void lower_jump(struct lower *l, unsigned to);
/* Ends the open block with a branch. */
void lower_branch(struct lower *l, struct audit_expr *condition, unsigned yes, unsigned no);
/* Ends the block by a jump; what follows it is never reached. */
void lower_go(struct lower *l, unsigned to);
/* Returns the block as a target of break, continue or goto, with the scopes that are open here. */
struct lower_target lower_target_at(const struct lower *l, unsigned block);
/* Lowers a switch statement. lower_switch.c */
void lower_switch(struct lower *l, CXCursor c, const struct cursors *parts);
/* Lowers a case or default. lower_switch.c */
void lower_case(struct lower *l, const struct cursors *parts, bool is_default);
/* Lowers a condition to one block for each part of && || ! ?: and the comma. */
void lower_condition(struct lower *l, struct audit_expr *e, unsigned yes, unsigned no);
/* Adds an expression as a statement. Of `a ? b : c` one is evaluated alone, as in assert(), also
   where the value is assigned and a call is among the two. */
void lower_value(struct lower *l, struct audit_expr *e);
/* Lowers a ({ }). Returns its value. */
struct audit_expr *lower_inner(struct lower *l, CXCursor compound);
/* Returns the index + 1 of the local, or 0. */
unsigned lower_local(const struct lower *l, CXCursor declaration);
/* Adds a local. Returns its index. */
unsigned lower_add_local(struct lower *l, CXCursor c);
/* Returns an expression that is the local. */
struct audit_expr *lower_local_expr(struct lower *l, unsigned local, CXCursor c);
/* Calls the function (USR) with the local's address where the open scope ends. */
void lower_add_cleanup(struct lower *l, unsigned local, unsigned function);
/* Returns the number of open cleanups. */
size_t lower_scope(const struct lower *l);
/* Calls the cleanups that were added since, and forgets them. */
void lower_end_scope(struct lower *l, size_t outside, CXCursor c);
/* Lowers a statement. */
void lower_statement(struct lower *l, CXCursor c);
/* Lowers a statement by the rules of C, with these parts. */
void lower_kind(struct lower *l, CXCursor c, const struct cursors *parts);
/* Lowers a loop that may end before each round, with `is_begun` not before the first; `round` adds
   the steps of one. */
void lower_rounds(struct lower *l, bool is_begun, void (*round)(struct lower *l, void *data),
		  void *data);
/* Lowers the body, a statement, of the function. */
void lower_body(struct lower *l, CXCursor definition, CXCursor body);
/* Returns true if this function was read. Two programs may define the same name. */
bool lower_is_read(const struct audit_program *p, const struct audit_function *f);
/* Adds the function to the program and frees the rest. */
void lower_done(struct lower *l);

#endif
