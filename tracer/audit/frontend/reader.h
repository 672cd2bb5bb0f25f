/*
 * Reads one unit of C into the program: what read.c, records.c, lower_*.c and cursor.c share. Of a cursor's
 * positions, the spelled one is where the text stands (in a macro's definition, too), the shown one where a
 * person looks for it.
 */
#ifndef GATECTL_AUDIT_FRONTEND_READER_H
#define GATECTL_AUDIT_FRONTEND_READER_H

#include "tracer/audit/frontend/clang.h"
#include "tracer/audit/frontend/program.h"

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

/* ---- cursor.c -------------------------------------------------------------------------------------------- */

/* Of an expression: without references to types. The caller frees them (array_fini). */
void cursor_children(const struct audit_reader *r, CXCursor c, struct cursors *out);
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

/* Where a person sees it begin and end in the main file; false: a macro's. */
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
/* Which operator a BinaryOperator or UnaryOperator is: before its version 17 libclang does not say. It is read in
   the text; where a macro hides it, told by the types and casts around. */
enum cursor_operator cursor_binary(const struct audit_reader *r, CXCursor c, CXCursor left,
				   CXCursor right);
enum cursor_operator cursor_unary(const struct audit_reader *r, CXCursor c, CXCursor operand);

/* ---- comment.c ------------------------------------------------------------------------------------------- */

/* The one before the declaration, or behind it on its line, owned: libclang knows those of Doxygen only. */
char *comment_of(const struct audit_reader *r, CXCursor c);
/* Does it say that a function is called with a lock in hand? */
bool comment_wants_lock(const char *comment);

/* ---- records.c ------------------------------------------------------------------------------------------- */

/* The struct that it is, or points to, of the program's (index + 1); 0: none. */
unsigned record_of_type(struct audit_reader *r, CXType type);
/* Index + 1 of the field's. */
/* A typedef of a struct. */
void record_alias(struct audit_reader *r, CXCursor declaration);
unsigned record_field(struct audit_reader *r, CXCursor declaration);

/* ---- lower_stmt.c ---------------------------------------------------------------------------------------- */

/* The function's body as blocks. */
void lower_function(struct audit_reader *r, CXCursor definition);
/* The variable's index + 1 of the program's globals. */
unsigned lower_global(struct audit_reader *r, CXCursor declaration);

#endif
