/* Addresses of thread-local variables (Drepper, "ELF Handling For Thread-Local Storage", 3.4.2 and
   3.4.6): on x86-64 the thread register points to the end of the blocks of the initial modules, and
   the next word is the dtv, with an entry for each module. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/tls.h"

/* glibc's dtv_t: the block's address, and the pointer to free. */
enum { DTV_ENTRY = 16 };

/* Returns the module number of the image. struct link_map is private beyond its first fields, but
   glibc describes this field for debuggers. */
static int module_number(struct run_process *p, const struct image *image, uint64_t *number)
{
	uint32_t field[3]; /* bits, elements, offset in bytes: DB_STRUCT of nptl_db */
	uint64_t offset, size;

	*number = 0;
	array_each(const struct image, i, &p->images) {
		if (module_symbol(i->module, "_thread_db_link_map_l_tls_modid", &offset, &size) < 0)
			continue;
		if (!image->link ||
		    tracee_read(p->tracee, i->bias + offset, field, sizeof(field)) < 0)
			return -1;
		return tracee_read(p->tracee, image->link + field[2], number, sizeof(*number));
	}
	return -1;
}

static struct image *image_of(struct run_process *p, const struct module *m)
{
	array_each(struct image, image, &p->images)
		if (image->module == m)
			return image;
	return NULL;
}

int tls_block(struct run_thread *t, const struct module *m, uint64_t *base)
{
	struct run_process *p = t->process;
	const struct image *image = image_of(p, m);
	uint64_t number, dtv;
	struct arch_regs regs;

	if (!image || !t->tracee || tracee_regs(t->tracee, &regs) < 0 || !regs.fs_base)
		return -1;
	if (m == p->exe) { /* the executable's block ends at the thread register */
		*base = module_tls_before(m, regs.fs_base);
		return *base ? 0 : -1;
	}
	if (module_number(p, image, &number) < 0 || !number ||
	    tracee_read(p->tracee, regs.fs_base + sizeof(dtv), &dtv, sizeof(dtv)) < 0 ||
	    tracee_read(p->tracee, dtv + number * DTV_ENTRY, base, sizeof(*base)) < 0)
		return -1;
	/* blocks of other modules are allocated at first use */
	return *base == UINT64_MAX ? -1 : 0;
}
