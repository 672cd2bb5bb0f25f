/*
 * libclang (clang-c/Index.h), loaded when it is used: nothing else of gatectl needs it, and its start would cost
 * every command 40 ms. Any version from 14 on: its C interface only grows.
 */
#ifndef GATECTL_AUDIT_FRONTEND_CLANG_H
#define GATECTL_AUDIT_FRONTEND_CLANG_H

#include "tracer/base/error.h"

#include <clang-c/CXCompilationDatabase.h>
#include <clang-c/Index.h>
#include <stdbool.h>

#define CLANG_FUNCTIONS(X)                                                                         \
	X(createIndex)                                                                             \
	X(disposeIndex)                                                                            \
	X(parseTranslationUnit2)                                                                   \
	X(disposeTranslationUnit)                                                                  \
	X(getTranslationUnitCursor)                                                                \
	X(getNumDiagnostics)                                                                       \
	X(getDiagnostic)                                                                           \
	X(disposeDiagnostic)                                                                       \
	X(getDiagnosticSeverity)                                                                   \
	X(getDiagnosticSpelling)                                                                   \
	X(getDiagnosticLocation)                                                                   \
	X(visitChildren)                                                                           \
	X(getCursorKind)                                                                           \
	X(getCursorType)                                                                           \
	X(getCursorSpelling)                                                                       \
	X(getCursorUSR)                                                                            \
	X(getCursorLocation)                                                                       \
	X(getCursorExtent)                                                                         \
	X(getCursorReferenced)                                                                     \
	X(getCursorSemanticParent)                                                                 \
	X(getCursorPrettyPrinted)                                                                  \
	X(getCursorPrintingPolicy)                                                                 \
	X(PrintingPolicy_dispose)                                                                  \
	X(getCursorTLSKind)                                                                        \
	X(getCursorLinkage)                                                                        \
	X(isCursorDefinition)                                                                      \
	X(equalCursors)                                                                            \
	X(isExpression)                                                                            \
	X(Cursor_getStorageClass)                                                                  \
	X(Cursor_isAnonymous)                                                                      \
	X(Cursor_isNull)                                                                           \
	X(Cursor_Evaluate)                                                                         \
	X(EvalResult_getKind)                                                                      \
	X(EvalResult_getAsLongLong)                                                                \
	X(EvalResult_dispose)                                                                      \
	X(getEnumConstantDeclValue)                                                                \
	X(getCanonicalType)                                                                        \
	X(isVolatileQualifiedType)                                                                 \
	X(getPointeeType)                                                                          \
	X(getArrayElementType)                                                                     \
	X(getTypeDeclaration)                                                                      \
	X(getTypeSpelling)                                                                         \
	X(getRangeStart)                                                                           \
	X(getRangeEnd)                                                                             \
	X(getFileLocation)                                                                         \
	X(getSpellingLocation)                                                                     \
	X(Location_isInSystemHeader)                                                               \
	X(getFileName)                                                                             \
	X(getFileContents)                                                                         \
	X(File_isEqual)                                                                            \
	X(File_tryGetRealPathName)                                                                 \
	X(getCString)                                                                              \
	X(disposeString)                                                                           \
	X(CompilationDatabase_fromDirectory)                                                       \
	X(CompilationDatabase_dispose)                                                             \
	X(CompilationDatabase_getAllCompileCommands)                                               \
	X(CompileCommands_dispose)                                                                 \
	X(CompileCommands_getSize)                                                                 \
	X(CompileCommands_getCommand)                                                              \
	X(CompileCommand_getDirectory)                                                             \
	X(CompileCommand_getFilename)                                                              \
	X(CompileCommand_getNumArgs)                                                               \
	X(CompileCommand_getArg)

struct clang {
	void *library;
	unsigned version; /* 0: of a name without one */
	bool has_headers; /* its own ones: stddef.h and others that a compiler brings */
#define X(name) __typeof__(clang_##name) *name;
	CLANG_FUNCTIONS(X)
#undef X
};

/* The newest that has its own headers, or else the newest. 0, or -1: it is not installed, or too old. */
int clang_load(struct clang *c, struct error *err);
void clang_unload(struct clang *c);

/* What libclang gives as a string, owned by the caller; never NULL. */
char *clang_take(const struct clang *c, CXString s);

#endif
