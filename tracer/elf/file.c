#include "tracer/elf/elf_internal.h"

#include <fcntl.h>
#include <unistd.h>

static bool file_is_ours(Elf *elf)
{
	GElf_Ehdr h;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &h) &&
	       gelf_getclass(elf) == ELFCLASS64 && h.e_machine == EM_X86_64;
}

int elf_file_open(struct elf_file *f, const char *path, bool *broken, struct error *err)
{
	*f = (struct elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	*broken = false;
	if (f->fd < 0)
		return -1;
	f->path = base_strdup(path);
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	if (file_is_ours(f->elf))
		return 0;
	*broken = true;
	error_set(err, ERROR_OBJECT, "%s: not an ELF file for x86-64", path);
	elf_file_close(f);
	return -1;
}

int elf_file_section(struct elf_file *f, const char *name, struct section_data *out,
		     struct error *err)
{
	void *own;

	if (sections_read_all(f->elf, f->path, name, out, &own, err) < 0)
		return -1;
	if (own)
		*array_add(&f->unpacked) = own;
	return 0;
}

void elf_file_build_id(const struct elf_file *f, char id[65])
{
	module_elf_id(f->elf, id);
}

void elf_file_close(struct elf_file *f)
{
	array_each(void *, bytes, &f->unpacked)
		base_free(*bytes);
	array_fini(&f->unpacked);
	elf_end(f->elf);
	close(f->fd);
	base_free(f->path);
}
