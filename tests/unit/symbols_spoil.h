/* For tests of symbols: a program with corrupt debug information. */
#ifndef TESTS_SYMBOLS_SPOIL_H
#define TESTS_SYMBOLS_SPOIL_H

#include "symbols_program.h"

#include <elf.h>

struct image {
	unsigned char *bytes;
	size_t size;
};

static inline struct image image_read(const char *path)
{
	struct image image;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	image.size = (size_t)ftell(f);
	rewind(f);
	image.bytes = base_alloc(image.size, 1);
	assert_int_equal(fread(image.bytes, 1, image.size, f), image.size);
	fclose(f);
	return image;
}

static inline void image_write(const char *path, struct image image)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(image.bytes, 1, image.size, f), image.size);
	assert_int_equal(fclose(f), 0);
}

static inline unsigned next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (unsigned)(*state >> 20);
}

/* Corrupts up to eight bytes of the section, if the file has it. */
static inline void image_spoil(struct image image, const char *section, uint64_t *random)
{
	const Elf64_Ehdr *header = (const void *)image.bytes;
	const Elf64_Shdr *sections = (const void *)(image.bytes + header->e_shoff);
	const char *texts = (const char *)image.bytes + sections[header->e_shstrndx].sh_offset;

	for (int i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		unsigned count = next_random(random) % 8 + 1;

		if (strcmp(texts + s->sh_name, section) != 0 || !s->sh_size)
			continue;
		while (count--)
			image.bytes[s->sh_offset + next_random(random) % s->sh_size] =
				(unsigned char)next_random(random);
	}
}

/*
 * Opens `rounds` copies of the program's file, each with one to three sections corrupted, and calls
 * `ask` for each.
 */
static inline void spoil_each(struct program *p, const char *file, const char *const *sections,
			      size_t count, int rounds, void (*ask)(struct program *p, void *ctx),
			      void *ctx)
{
	uint64_t random = 88172645463325252u;
	char path[160];
	struct image whole, image;

	snprintf(path, sizeof(path), "%s/%s", p->dir, file);
	whole = image = image_read(path);
	image.bytes = base_alloc(whole.size, 1);
	snprintf(path, sizeof(path), "%s/broken", p->dir);
	for (int i = 0; i < rounds; i++) {
		memcpy(image.bytes, whole.bytes, whole.size);
		for (unsigned n = next_random(&random) % 3 + 1; n > 0; n--)
			image_spoil(image, sections[next_random(&random) % count], &random);
		image_write(path, image);
		program_close(p);
		program_add(p, "broken");
		ask(p, ctx);
	}
	base_free(whole.bytes);
	base_free(image.bytes);
}

#endif
