/* Sections, plain and compressed, and the debug files named by an ELF file. */
#include "symbols_files.h"

static struct section_data section(struct fixture *f, struct module *m, const char *name)
{
	struct section_data d;

	if (module_section(m, name, &d, &f->err) < 0)
		fail_msg("%s", f->err.text);
	return d;
}

static void expect_same_section(struct fixture *f, struct module *m)
{
	struct section_data ours = section(f, self(f), ".debug_line");
	struct section_data theirs = section(f, m, ".debug_line");

	assert_true(ours.size > 0);
	assert_int_equal(ours.size, theirs.size);
	assert_memory_equal(ours.bytes, theirs.bytes, ours.size);
	assert_ptr_equal(section(f, m, ".debug_line").bytes, theirs.bytes);
}

static void need(struct fixture *f, const char *command)
{
	assert_true(module_has_debug(self(f)));
	write_file(in(f, "prog"), f->image, f->size);
	assert_true(shell(f, command));
}

static void test_compressed(void **state)
{
	struct fixture *f = *state;
	struct section_data none;

	need(f, "objcopy --compress-debug-sections=zlib prog gabi &&"
		"objcopy --compress-debug-sections=zlib-gnu prog gnu");
	expect_same_section(f, opened(f, in(f, "gabi")));
	expect_same_section(f, opened(f, in(f, "gnu")));
	none = section(f, self(f), ".debug_nothing");
	assert_null(none.bytes);
	assert_int_equal(none.size, 0);
}

/* File offset of the header of a compressed section. */
static size_t chdr_at(const uint8_t *image, const char *wanted)
{
	const Elf64_Ehdr *h = (const void *)image;
	const Elf64_Shdr *s = (const void *)(image + h->e_shoff);
	const char *names = (const char *)image + s[h->e_shstrndx].sh_offset;

	for (size_t i = 0; i < h->e_shnum; i++)
		if (strcmp(names + s[i].sh_name, wanted) == 0)
			return s[i].sh_offset;
	return 0;
}

static void expect_bad_section(struct fixture *f, const char *file, const char *words)
{
	struct module *m = opened(f, in(f, file));
	struct section_data d;

	assert_int_equal(module_section(m, ".debug_line", &d, &f->err), -1);
	assert_int_equal(f->err.code, ERROR_OBJECT);
	if (!strstr(f->err.text, words))
		fail_msg("%s", f->err.text);
	assert_null(lines_table(m, &f->err));
}

static void test_cannot_inflate(void **state)
{
	struct fixture *f = *state;
	Elf64_Chdr saved, bad;
	uint8_t *image;
	size_t size, at;

	need(f, "objcopy --compress-debug-sections=zlib prog gabi");
	image = read_file(in(f, "gabi"), &size);
	at = chdr_at(image, ".debug_line");
	memcpy(&saved, image + at, sizeof(saved));

	bad = saved;
	bad.ch_type = 2;
	memcpy(image + at, &bad, sizeof(bad));
	write_file(in(f, "zstd"), image, size);
	expect_bad_section(f, "zstd", "cannot be decompressed");

	bad = saved;
	bad.ch_size = UINT64_MAX / 4;
	memcpy(image + at, &bad, sizeof(bad));
	write_file(in(f, "huge"), image, size);
	expect_bad_section(f, "huge", "corrupt");

	memcpy(image + at, &saved, sizeof(saved));
	memset(image + at + sizeof(saved) + 8, 0xa5, 64);
	write_file(in(f, "noise"), image, size);
	expect_bad_section(f, "noise", "cannot be decompressed");
	base_free(image);
}

static void expect_separate(struct fixture *f, const char *file, const char *debug_file)
{
	struct module *m = opened(f, in(f, file));

	if (!debug_file) {
		assert_false(module_has_debug(m));
		assert_null(m->debug_path);
		assert_int_equal(lines_table(m, &f->err)->units.count, 0);
		return;
	}
	assert_true(module_has_debug(m));
	assert_true(m->debug_separate);
	assert_string_equal(m->debug_path, in(f, debug_file));
	expect_same_section(f, m);
	assert_int_equal(module_symbol(m, "main", NULL, NULL), 0);
}

static void test_debuglink(void **state)
{
	struct fixture *f = *state;

	assert_false(self(f)->debug_separate);
	need(f, "mkdir -p a/.debug b c && objcopy --only-keep-debug prog a.dbg &&"
		"objcopy -S --add-gnu-debuglink=a.dbg prog a/beside && cp a/beside b/none &&"
		"cp a/beside c/wrong && cp a.dbg a/ && mv a.dbg a/.debug/ &&"
		"{ cat a/a.dbg; echo; } > c/a.dbg");
	expect_separate(f, "a/beside", "a/a.dbg");
	expect_separate(f, "b/none", NULL);
	assert_true(shell(f, "rm a/a.dbg && cp a/beside a/below"));
	expect_separate(f, "a/below", "a/.debug/a.dbg");
}

/* Without build-ids the checksum decides; with build-ids, the build-id. */
static void test_debuglink_proof(void **state)
{
	struct fixture *f = *state;

	need(f, "objcopy -R .note.gnu.build-id prog bare &&"
		"objcopy --only-keep-debug bare bare.dbg &&"
		"objcopy -S --add-gnu-debuglink=bare.dbg bare one && cp one two");
	expect_separate(f, "one", "bare.dbg");
	assert_true(shell(f, "echo >> bare.dbg"));
	expect_separate(f, "two", NULL);
	if (!self(f)->build_id[0])
		return;
	assert_true(shell(f, "objcopy --only-keep-debug prog id.dbg &&"
			     "objcopy -S --add-gnu-debuglink=id.dbg prog three && cp three four"));
	expect_separate(f, "three", "id.dbg");
	/* A debug file of another program under the same name: four bytes of its build-id
	   differ. */
	assert_true(shell(f,
			  "objcopy --update-section .note.gnu.build-id=/dev/stdin id.dbg < "
			  "/dev/null || true; cp prog other; objcopy --dump-section "
			  ".note.gnu.build-id=note prog && printf xxxx | dd of=note bs=1 seek=20 "
			  "conv=notrunc && objcopy --update-section .note.gnu.build-id=note "
			  "prog other && objcopy --only-keep-debug other id.dbg"));
	expect_separate(f, "four", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT_TEST(test_compressed),
		UNIT_TEST(test_cannot_inflate),
		UNIT_TEST(test_debuglink),
		UNIT_TEST(test_debuglink_proof),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
