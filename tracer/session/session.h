/*
 * One run: wires target, symbols, gates and lua together.
 *
 *	event (target) -> arrival (gates) -> decisions -> resume (target), and the timeline
 *
 * Ownership: the caller owns options and result; result strings are freed by session_result_fini.
 */
#ifndef GATECTL_SESSION_SESSION_H
#define GATECTL_SESSION_SESSION_H

#include "gates/verdict.h"
#include "tracer/base/error.h"
#include "tracer/base/str.h"
#include "tracer/symbols/symbols.h"

struct session_options {
	ARRAY(const char *) scripts;
	ARRAY(const char *) orders;
	ARRAY(const char *) reports;
	double gate_limit, time_limit; /* seconds, 0 for ever; negative: not given */
	unsigned long repeat;
	bool no_follow, verbose, quiet;
	char *const *argv; /* the program and its arguments */
};

struct session_result {
	enum verdict verdict;
	int status;	 /* gatectl's exit status */
	int interrupted; /* the signal that ended gatectl's run, or 0 */
	struct str
		text; /* what to tell on standard error: lines, the first as the contract has it */
	struct str json; /* the report; empty unless asked for */
};
void session_result_fini(struct session_result *r);

/*
 * Runs the program once. 0 with the result filled; -1 with an error that came before there was a
 * program to give a verdict on (its code says which status). `symbols` is kept over several runs.
 */
int session_run(const struct session_options *o, struct symbols *symbols, unsigned long run_number,
		struct session_result *out, struct error *err);

/* gatectl's exit status for an error: 118, 125, 126 or 127. */
int session_error_status(enum error_code code);

/*
 * For check and lines: starts the program as far as its libraries are loaded, calls `each` for
 * every place of the scripts (or every location given), and kills it: none of its own code has run.
 */
struct session_query {
	const char *location;		   /* as written */
	const char *source;		   /* FILE:LINE of the script, or NULL */
	bool pending;			   /* OBJECT! that is not loaded at the start */
	const struct symbols_sites *sites; /* NULL where `error` is */
	const struct error *error;
};
int session_query(const struct session_options *o, struct symbols *symbols,
		  const char *const *locations, size_t count,
		  void (*each)(void *ctx, const struct session_query *q), void *ctx,
		  struct error *err);

#endif
