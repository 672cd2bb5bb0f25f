/* The exit status and the word for an error without a verdict. */
#include "tracer/run/run.h"

const char *run_error_word(enum error_code code)
{
	return code == ERROR_CANNOT_TRACE ? "cannot-trace"
	       : code == ERROR_FAILED	  ? verdict_word(VERDICT_NOT_AS_EXPECTED)
					  : "error";
}

int run_error_status(const struct run_options *o, enum error_code code)
{
	switch (code) {
	case ERROR_CANNOT_TRACE:
		return o->skip_unavailable ? RUN_SKIPPED : 118;
	case ERROR_CANNOT_EXEC:
		return 126;
	case ERROR_NOT_FOUND:
		return 127;
	case ERROR_FAILED:
		return VERDICT_NOT_AS_EXPECTED;
	default:
		return VERDICT_ERROR;
	}
}
