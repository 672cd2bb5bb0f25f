/* Which code is the tester's own. */
#include "tracer/features/interactive/interactive_internal.h"

#include <string.h>

/* Code in the system's libraries is not what a tester looks at. */
bool interactive_is_own_module(const struct run_thread *t, const struct module *m)
{
	const char *path = m ? module_path(m) : "/lib";

	return m == t->process->exe ||
	       (strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/lib", 8) != 0);
}

bool interactive_is_own_file(const struct run_thread *t, const struct module *m, const char *file)
{
	return file && strncmp(file, "/usr/", 5) != 0 && interactive_is_own_module(t, m);
}

bool interactive_is_own(const struct run_thread *t, const struct inspect_call *call)
{
	return call->line && interactive_is_own_file(t, call->frame.module, call->file);
}
