/*
 * The runtime of a sanitizer. To say in a report where things are it reads files, /proc/self/maps among them, in
 * which there is more in one run than in another; and it has functions in place of libc's, which call those.
 */
#include "tracer/sched/sched_internal.h"
#include "tracer/elf/module_tables.h"
#include "tracer/run/modules/images.h"

#include <string.h>
#include <sys/syscall.h>

bool sanitizers_is(const struct module *m)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "libubsan.so",
					    "liblsan.so", "libmsan.so", "libclang_rt."};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(module_name(m), names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Also where it is linked into the program. */
static bool sanitizers_is_own(struct run_process *p, uint64_t address)
{
	static const char space[] = "_ZN11__sanitizer";
	const struct image *image = images_at(p, address);
	const struct elf_symbol *symbol;

	if (!image || sanitizers_is(image->module))
		return image;
	symbol = module_symbol_at(image->module, address - image->bias, false);
	return symbol && strncmp(symbol->name, space, strlen(space)) == 0;
}

bool sanitizers_call(struct sched_thread *t)
{
	static const long files[] = {SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_close};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (t->call.number == files[i] &&
		    sanitizers_is_own(t->thread->process, t->call.pc)) {
			sched_thread_goes(t);
			return true;
		}
	return false;
}
