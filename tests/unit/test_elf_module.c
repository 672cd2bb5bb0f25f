/* ELF files: opening, rejection with its reason, symbols. */
#include "symbols_files.h"
#include "tracer/elf/elf_internal.h"
#include "tracer/source/source.h"

int symbols_test_variable[100] = {1, 2, 3}; /* looked up by name */

__attribute__((noinline, used)) static int symbols_test_function(int n)
{
	return n + symbols_test_variable[n];
}

/* ---- opening -------------------------------------------------------------------------------- */

static void test_not_elf(void **state)
{
	struct fixture *f = *state;

	expect_refused(f, in(f, "nothing"), "no such file");
	expect_refused(f, "/proc/self/exe/x", "no such file");
	expect_refused(f, f->directory, "directory");
	expect_refused(f, "/dev/null", "not an ELF file");
	write_file(in(f, "empty"), "", 0);
	expect_refused(f, in(f, "empty"), "not an ELF file");
	write_file(in(f, "text"), "hello world\n", 12);
	expect_refused(f, in(f, "text"), "not an ELF file");
	assert_null(f->err.hint);
	write_file(in(f, "script"), "#! /usr/bin/env python3\nx\n", 26);
	expect_refused(f, in(f, "script"), "not an ELF file");
	assert_non_null(strstr(f->err.text, "script for /usr/bin/env"));
	assert_non_null(strstr(f->err.hint, "/usr/bin/env"));
	write_file(in(f, "bang"), "#!", 2);
	expect_refused(f, in(f, "bang"), "not an ELF file");
}

static void test_truncated(void **state)
{
	struct fixture *f = *state;
	static const size_t cuts[] = {4, 16, 63, 64, 200, 1000, 5000};

	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		write_file(in(f, "cut"), f->image, cuts[i]);
		expect_refused(f, in(f, "cut"), "truncated ELF file");
	}
	write_file(in(f, "cut"), f->image, f->size - 1);
	expect_refused(f, in(f, "cut"), "truncated ELF file");
}

/* Opens a copy of this program with one changed byte in its header. */
static void expect_changed(struct fixture *f, size_t at, unsigned value, const char *words)
{
	uint8_t saved = f->image[at];

	f->image[at] = (uint8_t)value;
	write_file(in(f, "changed"), f->image, f->size);
	f->image[at] = saved;
	expect_refused(f, in(f, "changed"), words);
}

static void test_other_machines(void **state)
{
	struct fixture *f = *state;
	size_t machine = offsetof(Elf64_Ehdr, e_machine), type = offsetof(Elf64_Ehdr, e_type);

	expect_changed(f, machine, EM_AARCH64, "built for aarch64, this is x86-64");
	expect_changed(f, machine, EM_386, "built for 32-bit i386, this is x86-64");
	expect_changed(f, machine, EM_RISCV, "built for riscv64, this is x86-64");
	expect_changed(f, machine, 250, "built for machine 250 of ELF, this is x86-64");
	expect_changed(f, EI_CLASS, ELFCLASS32, "built for x32, this is x86-64");
	expect_changed(f, type, ET_REL, "object file");
	expect_changed(f, type, ET_CORE, "core dump");
	expect_changed(f, type, 77, "neither");
}

static void test_cache(void **state)
{
	struct fixture *f = *state;
	char *link = base_strdup(in(f, "link")), *path = base_strdup(in(f, "prog"));
	struct module *m;

	write_file(path, f->image, f->size);
	assert_int_equal(symlink("prog", link), 0);
	m = opened(f, path);
	assert_ptr_equal(opened(f, path), m);
	assert_ptr_equal(opened(f, link), m);
	assert_string_equal(module_path(m), path);
	assert_string_equal(module_name(m), "prog");
	assert_true(module_matches(m, "prog"));
	assert_true(module_matches(m, "link"));
	assert_int_equal(unlink(path), 0);
	write_file(path, f->image, f->size);
	assert_ptr_not_equal(opened(f, path), m);
	assert_string_equal(module_name(m), "prog");
	base_free(link);
	base_free(path);
}

/* ---- contents -------------------------------------------------------------------------------- */

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(uint64_t *)data = info->dlpi_addr;
	return 1;
}

static uint64_t own_base(void)
{
	uint64_t base = 0;

	dl_iterate_phdr(first_object, &base);
	return base;
}

static void test_bytes(void **state)
{
	struct fixture *f = *state;
	struct module *m = self(f);
	uint64_t offset = (uint64_t)(uintptr_t)symbols_test_function - own_base(), low, high;
	uint8_t code[16];
	int data[4] = {9, 9, 9, 9};

	module_span(m, &low, &high);
	assert_true(low < high && offset > low && offset < high);
	assert_true(module_is_code(m, offset));
	assert_true(module_is_code(m, module_entry(m)));
	assert_false(module_is_code(m, high));
	assert_int_equal(module_bytes(m, offset, code, sizeof(code)), sizeof(code));
	assert_memory_equal(code, (const void *)(uintptr_t)symbols_test_function, sizeof(code));
	offset = (uint64_t)(uintptr_t)symbols_test_variable - own_base();
	assert_false(module_is_code(m, offset));
	assert_int_equal(module_bytes(m, offset, data, sizeof(data)), sizeof(data));
	assert_int_equal(data[2], 3);
	assert_int_equal(data[3], 0);
	assert_int_equal(module_bytes(m, high - 1, data, sizeof(data)), 1);
	assert_int_equal(module_bytes(m, high + 4096, data, sizeof(data)), 0);
	assert_int_equal(module_is_pie(m), own_base() != 0);
	assert_true(module_is_dynamic(m));
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so."))
		return 0;
	*(const char **)data = info->dlpi_name;
	return 1;
}

static struct module *libc(struct fixture *f)
{
	const char *path = NULL;

	dl_iterate_phdr(find_libc, (void *)&path);
	assert_non_null(path);
	return opened(f, path);
}

static void test_matches(void **state)
{
	struct fixture *f = *state;
	struct module *m = libc(f);

	assert_string_equal(module_name(m), "libc.so.6");
	assert_true(module_matches(m, "libc.so"));
	assert_true(module_matches(m, "libc.so.6"));
	assert_true(module_matches(m, module_path(m)));
	assert_true(module_matches(m, "x86_64-linux-gnu/libc.so"));
	assert_false(module_matches(m, "libc"));
	assert_false(module_matches(m, "lib"));
	assert_false(module_matches(m, "c.so.6"));
	assert_false(module_matches(m, "libc.so.6.1"));
	assert_false(module_matches(m, "libc.so.5"));
	assert_false(module_matches(m, "other/libc.so.6"));
	assert_false(module_matches(m, ""));
	write_file(in(f, "libfoo.so.1.22.3"), f->image, f->size);
	m = opened(f, in(f, "libfoo.so.1.22.3"));
	assert_true(module_matches(m, "libfoo.so"));
	assert_true(module_matches(m, "libfoo.so.1"));
	assert_true(module_matches(m, "libfoo.so.1.22"));
	assert_true(module_matches(m, in(f, "libfoo.so")));
	assert_false(module_matches(m, "libfoo.so.1.2"));
	write_file(in(f, "libfoo.sock"), f->image, f->size);
	assert_false(module_matches(opened(f, in(f, "libfoo.sock")), "libfoo.so"));
}

/* ---- symbols -------------------------------------------------------------------------------- */

static void test_symbols(void **state)
{
	struct fixture *f = *state;
	struct module *m = self(f);
	uint64_t offset, size, variable;
	const struct elf_symbol *s;

	assert_int_equal(module_symbol(m, "symbols_test_function", &offset, &size), 0);
	assert_int_equal(offset + own_base(), (uint64_t)(uintptr_t)symbols_test_function);
	assert_true(size > 0);
	s = module_symbol_at(m, offset + size - 1, true);
	assert_non_null(s);
	assert_string_equal(s->name, "symbols_test_function");
	assert_true(s->function && !s->global);
	assert_int_equal(module_symbol(m, "symbols_test_variable", &variable, &size), 0);
	assert_true(size >= sizeof(symbols_test_variable)); /* a sanitizer enlarges it */
	s = module_symbol_at(m, variable + 42, false);
	assert_non_null(s);
	assert_string_equal(s->name, "symbols_test_variable");
	assert_true(!s->function && s->global);
	assert_null(module_symbol_at(m, variable + 42, true));
	assert_null(module_symbol_at(m, 0, false));
	assert_null(module_symbol_at(m, UINT64_MAX, false));
	assert_int_equal(module_symbol(m, "no such symbol", &offset, &size), -1);
	assert_int_equal(module_symbol(m, "", &offset, &size), -1);
	assert_int_equal(module_symbol(m, "stdout@GLIBC_2.2.5", &offset, &size), -1);
}

/* A label of the assembler or the linker at a variable's start is not its name. */
__asm__(".pushsection .data\n"
	".globl symbols_test_label\n"
	".type symbols_test_label, @object\n"
	"symbols_test_label:\n"
	".type __symbols_test_labelled, @object\n"
	".size __symbols_test_labelled, 4\n"
	"__symbols_test_labelled: .long 1\n"
	".popsection");

static void test_label(void **state)
{
	struct fixture *f = *state;
	struct module *m = self(f);
	uint64_t offset;

	assert_int_equal(module_symbol(m, "symbols_test_label", &offset, NULL), 0);
	assert_string_equal(module_symbol_at(m, offset, false)->name, "__symbols_test_labelled");
	assert_int_equal(module_symbol(m, "__TMC_END__", &offset, NULL), -1);
}

/* Every symbol is found at its offset and by its name, and symbols are in order. */
static void test_all_symbols(void **state)
{
	struct fixture *f = *state;
	struct module *m = libc(f);
	uint64_t before = 0, offset;

	module_load_symbols(m);
	assert_true(m->symbols.count > 1000);
	array_each(struct elf_symbol, s, &m->symbols) {
		const struct elf_symbol *at = module_symbol_at(m, s->offset, false);

		assert_true(s->offset >= before);
		before = s->offset;
		assert_null(strchr(s->name, '@'));
		assert_non_null(at);
		assert_int_equal(at->offset, s->offset);
		assert_int_equal(module_symbol(m, s->name, &offset, NULL), 0);
	}
}

/* Lookup by the hash alone finds the symbols that a search of all symbols finds. */
static void test_exported(void **state)
{
	struct fixture *f = *state;
	struct module *m = libc(f);
	size_t exported = 0;
	uint64_t offset;
	GElf_Sym sym;

	module_load_symbols(m);
	array_each(struct elf_symbol, s, &m->symbols) {
		if (!elf_exported(m->elf, s->name, &sym) || sym.st_shndx == SHN_ABS)
			continue;
		exported++;
		assert_int_equal(module_symbol(m, s->name, &offset, NULL), 0);
		assert_int_equal(sym.st_value, offset);
	}
	assert_true(exported > 1000);
	assert_false(elf_exported(m->elf, "no such symbol", &sym));
	assert_false(elf_exported(m->elf, "", &sym));
}

/* glibc has two versions of pthread_cond_wait: the old one is hidden. dlvsym tells them apart. */
static void test_versions(void **state)
{
	struct fixture *f = *state;
	struct module *m = libc(f);
	uint64_t offset, base;
	const struct elf_symbol *s;

	assert_int_equal(module_symbol(m, "malloc", &offset, NULL), 0);
	base = (uint64_t)(uintptr_t)malloc - offset;
	if (base & 4095) /* a sanitizer's own malloc */
		base = 0;
	assert_int_equal(module_symbol(m, "pthread_cond_wait", &offset, NULL), 0);
	s = module_symbol_at(m, offset, true);
	assert_false(s->hidden);
	module_load_symbols(m);
	array_each(struct elf_symbol, other, &m->symbols)
		if (strcmp(other->name, "pthread_cond_wait") == 0 && other->offset != offset)
			assert_true(other->hidden || !other->global);
}

static void expect_demangled(const char *name, const char *wanted)
{
	char *plain = source_demangle(name);

	assert_string_equal(plain, wanted);
	free(plain);
}

static void test_demangle(void **state)
{
	char deep[4000];

	(void)state;
	expect_demangled("main", "main");
	expect_demangled("", "");
	expect_demangled("_ZN5Queue4pushEi", "Queue::push(int)");
	expect_demangled("_ZNKSt6vectorIiSaIiEE4sizeEv",
			 "std::vector<int, std::allocator<int> >::size() const");
	expect_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
			 "core::fmt::Write::write_fmt");
	expect_demangled("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	expect_demangled("_Z", "_Z");
	expect_demangled("_R", "_R");
	expect_demangled("_ZN", "_ZN");
	expect_demangled("_ZN99999999999999999999fooE", "_ZN99999999999999999999fooE");
	expect_demangled("_Zebra", "_Zebra");
	expect_demangled("i", "i");
	memset(deep, 'P', sizeof(deep));
	memcpy(deep, "_Z1f", 4);
	deep[sizeof(deep) - 1] = '\0';
	free(source_demangle(deep));
}

/* ---- fuzz ----------------------------------------------------------------------------------- */

static uint32_t random_state = 19680806;

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

/* Chooses an offset: in the ELF header, in the tables of headers or elsewhere. */
static size_t somewhere(const struct fixture *f)
{
	const Elf64_Ehdr *h = (const void *)f->image;
	uint32_t r = next_random();

	switch (r >> 28 & 3) {
	case 0:
		return r % (sizeof(*h) + h->e_phnum * sizeof(Elf64_Phdr));
	case 1:
		return h->e_shoff + r % (h->e_shnum * sizeof(Elf64_Shdr));
	default:
		return r % f->size;
	}
}

static bool ask_everything(struct fixture *f, const char *path)
{
	struct modules *s = modules_new();
	struct module *m = modules_open(s, path, &f->err);
	struct line_table *t;
	uint64_t low, high;
	uint8_t bytes[64];

	if (m) {
		module_span(m, &low, &high);
		module_bytes(m, low, bytes, sizeof(bytes));
		module_bytes(m, high - 8, bytes, sizeof(bytes));
		module_symbol(m, "main", NULL, NULL);
		module_symbol_at(m, module_entry(m), true);
		t = lines_table(m, &f->err);
		for (size_t i = 0; t && i < t->units.count; i++)
			lines_decode(m, &t->units.items[i], &f->err);
	}
	modules_free(s);
	return m != NULL;
}

static void test_fuzz(void **state)
{
	struct fixture *f = *state;
	clock_t limit = clock() + 3 * CLOCKS_PER_SEC;
	uint8_t *image = base_alloc(f->size, 1);
	int flips = 0, good = 0, refused = 0;
	const char *path = in(f, "fuzzed");

	while (flips < 10000 && clock() < limit) {
		memcpy(image, f->image, f->size);
		for (uint32_t n = 1 + next_random() % 30; n > 0; n--, flips++)
			image[somewhere(f)] = (uint8_t)(next_random() >> 24);
		write_file(path, image, f->size);
		if (ask_everything(f, path))
			good++;
		else
			refused++;
	}
	base_free(image);
	assert_true(good > 0 && refused > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT_TEST(test_not_elf),  UNIT_TEST(test_truncated), UNIT_TEST(test_other_machines),
		UNIT_TEST(test_cache),	  UNIT_TEST(test_bytes),     UNIT_TEST(test_matches),
		UNIT_TEST(test_symbols),  UNIT_TEST(test_label),     UNIT_TEST(test_all_symbols),
		UNIT_TEST(test_exported), UNIT_TEST(test_versions),  UNIT_TEST(test_demangle),

		UNIT_TEST(test_fuzz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
