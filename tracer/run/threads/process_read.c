/* The process as inspect reads it: memory, registers, modules and thread-local storage. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"
#include "tracer/run/threads/program.h"
#include "tracer/run/modules/tls.h"

#include <string.h>

static int on_read(void *ctx, uint64_t address, void *buf, size_t n)
{
	struct run_process *p = ctx;

	int failed = pages_read(p, address, buf, n);
	const struct condition_event ev = {.step = CONDITION_READS,
					   .process = p,
					   .address = address,
					   .bytes = failed ? NULL : buf,
					   .n = n};

	if (p->run->asker)
		observe(condition, p->run, &ev);
	return failed;
}

static int on_write(void *ctx, uint64_t address, const void *buf, size_t n)
{
	return pages_write(ctx, address, buf, n);
}

static struct module *on_module(void *ctx, size_t i, uint64_t *bias)
{
	const struct run_process *p = ctx;

	if (i >= p->images.count)
		return NULL;
	*bias = p->images.items[i].bias;
	return p->images.items[i].module;
}

static struct module *on_module_at(void *ctx, uint64_t address, uint64_t *bias)
{
	struct run_process *p = ctx;
	const struct image *image = images_find(p->run, p, address);

	if (!image)
		return NULL;
	*bias = image->bias;
	return image->module;
}

static int on_tls(void *ctx, void *thread, struct module *m, uint64_t *base)
{
	(void)ctx;
	return thread ? tls_block(thread, m, base) : -1;
}

static int on_vector(void *ctx, void *thread, unsigned dwarf, void *buf, size_t n)
{
	struct run_thread *t = thread;
	struct arch_regs regs;

	(void)ctx;
	if (!t || !t->tracee)
		return -1;
	if (dwarf != DWARF_FS_BASE)
		return tracee_vector(t->tracee, dwarf, buf, n);
	if (n > sizeof(regs.fs_base) || tracee_regs(t->tracee, &regs) < 0)
		return -1;
	memcpy(buf, &regs.fs_base, n);
	return 0;
}

static int on_set_register(void *ctx, void *thread, unsigned dwarf, const void *buf, size_t n)
{
	struct run_thread *t = thread;

	(void)ctx;
	if (!t || !t->tracee || tracee_set_register(t->tracee, dwarf, buf, n) < 0)
		return -1;
	program_forget(t);
	return 0;
}

void program_init(struct run_process *p)
{
	p->program = (struct dwarf_program){
		.ctx = p,
		.read = on_read,
		.write = on_write,
		.module = on_module,
		.module_at = on_module_at,
		.tls = on_tls,
		.vector = on_vector,
		.set_register = on_set_register,
	};
}
