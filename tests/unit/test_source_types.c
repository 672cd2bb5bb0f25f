/* Entries and types: attributes as read by readelf, types by name, spelling, malformed input. */
#include "symbols_program.h"

#include "tracer/elf/module.h"
#include "tracer/source/types/types.h"

static const char source[] =
	"#include <stddef.h>\n"
	"struct queue; typedef struct queue *queue_ref; typedef unsigned long word;\n"
	"struct later { int x; };\n"
	"enum colour { RED, GREEN = 5 };\n"
	"union both { int i; float f; };\n"
	"typedef int (*handler)(struct later *, const char *);\n"
	"struct all {\n"
	"	queue_ref ref; struct queue *plain; word w; const char *text; char *const *names;\n"
	"	int table[10]; int grid[2][3]; struct later *rows[4]; int (*row)[3]; handler on;\n"
	"	void (*call)(int, word); void (*none)(void); volatile int v; enum colour c; union "
	"both b;\n"
	"	struct { int x; } s; long double ld; unsigned char bytes[]; \n"
	"};\n"
	"struct all *use(struct all *a, enum colour c, union both *b) { return a + c + b->i; }\n"
	"int main(void) { return use(0, RED, 0) != 0; }\n";
static const char other[] = "struct queue { int count; struct queue *next; };\n"
			    "int size(struct queue *q) { return q->count; }\n";

static const struct {
	const char *member, *text;
} spelled[] = {
	{"ref", "queue_ref"},
	{"plain", "struct queue *"},
	{"w", "word"},
	{"text", "const char *"},
	{"names", "char *const *"},
	{"table", "int [10]"},
	{"grid", "int [2][3]"},
	{"rows", "struct later *[4]"},
	{"row", "int (*)[3]"},
	{"on", "handler"},
	{"call", "void (*)(int, word)"},
	{"none", "void (*)(void)"},
	{"v", "volatile int"},
	{"c", "enum colour"},
	{"b", "union both"},
	{"s", "struct {...}"},
	{"ld", "long double"},
	{"bytes", "unsigned char []"},
};

static const char *const builds[] = {
	"gcc -gdwarf-4",
	"gcc -gdwarf-5",
	"clang -gdwarf-4",
	"clang -gdwarf-5",
	"gcc -gdwarf-2 -gstrict-dwarf",
	"gcc -gdwarf-3",
	"gcc -gdwarf-5 -flto -O1",
};

static void build(struct program *p, const char *compiler)
{
	char command[160];

	snprintf(command, sizeof(command), "%s -o prog a.c b.c", compiler);
	print_message("%s\n", command);
	program_build(p, command);
}

static const struct type *named(struct program *p, const char *name)
{
	return type_named(NULL, p->modules[0], 0, name);
}

static void assert_spells(const struct type *t, const char *expected)
{
	struct str text = {0};

	assert_non_null(t);
	type_spell(t, &text);
	assert_string_equal(str_text(&text), expected);
	str_fini(&text);
}

static const struct type_member *member(const struct type *t, const char *name)
{
	ERROR(err);

	assert_int_equal(type_members(t, &err), 0);
	array_each(const struct type_member, m, &t->members) {
		if (m->name && strcmp(m->name, name) == 0)
			return m;
	}
	fail_msg("no member %s", name);
	return NULL;
}

static void check_names(struct program *p)
{
	assert_null(named(p, "struct nothing"));
	assert_null(named(p, "colour_of"));
	assert_null(named(p, "union all"));
	assert_int_equal(named(p, "struct later")->kind, TYPE_STRUCT);
	assert_int_equal(named(p, "word")->size, 8);
	assert_false(named(p, "word")->is_signed);
	assert_int_equal(named(p, "unsigned  long int")->size, 8);
	assert_int_equal(named(p, "const unsigned char")->size, 1);
	assert_spells(named(p, "struct all **"), "struct all **");
	assert_spells(type_array_of(named(p, "char"), 3), "char [3]");
	assert_ptr_equal(type_pointer_to(named(p, "word")), type_pointer_to(named(p, "word")));
	assert_string_equal(type_enumerator_name(named(p, "enum colour"), 5), "GREEN");
	assert_null(type_enumerator_name(named(p, "enum colour"), 4));
}

static void types_by_name(void **state)
{
	struct program p;

	(void)state;
	program_init(&p);
	program_write(&p, "a.c", source);
	program_write(&p, "b.c", other);
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		const struct type *all, *queue;

		build(&p, builds[i]);
		all = named(&p, "struct all");
		for (size_t j = 0; j < sizeof(spelled) / sizeof(*spelled); j++)
			assert_spells(member(all, spelled[j].member)->type, spelled[j].text);
		queue = member(all, "plain")->type->of;
		assert_true(queue->incomplete || strstr(builds[i], "lto"));
		queue = type_whole(queue, NULL);
		assert_false(queue->incomplete);
		assert_int_equal(member(queue, "next")->offset, 8);
		check_names(&p);
	}
	program_fini(&p);
}

/* ---- one unit only -------------------------------------------------------------------------- */

/* Number of units whose DIEs beyond the top one have been read. */
static size_t units_read(const struct modules *s)
{
	size_t count = 0;

	array_each(struct module *, m, &s->modules)
		for (size_t i = 0; (*m)->dies && i < (*m)->dies->units.count; i++)
			count += (*m)->dies->units.items[i].abbrevs != NULL;
	return count;
}

static void only_units_asked_for(void **state)
{
	struct program p;
	char name[16], text[64];

	(void)state;
	program_init(&p);
	program_write(&p, "a.c", source);
	program_write(&p, "b.c", other);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "u%d.c", i);
		snprintf(text, sizeof(text), "struct s%d { int x; } v%d;\n", i, i);
		program_write(&p, name, text);
	}
	program_build(&p, "gcc -g -o prog a.c b.c u*.c");
	assert_int_equal(units_read(p.symbols), 0);
	assert_int_equal(member(named(&p, "struct s7"), "x")->offset, 0);
	assert_int_equal(units_read(p.symbols), 1);
	assert_non_null(named(&p, "struct s7"));
	assert_non_null(named(&p, "struct s9"));
	assert_int_equal(units_read(p.symbols), 2);
	program_fini(&p);
}

/* ---- every attribute ------------------------------------------------------------------------ */

/* Walks all entries in order by `next`; entry_skip must reach the same ones. */
static size_t walk(struct die_table *t, const struct die_unit *u)
{
	uint64_t at = u->first;
	size_t count = 0;
	ERROR(err);

	while (at < u->end) {
		struct entry e;
		uint64_t next;

		if (entry_read(t, at, &e, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(entry_skip(&e, &next, &err), 0);
		assert_true(next >= e.next && next <= u->end);
		if (e.children && next < u->end)
			assert_int_equal(entry_read(t, next, &(struct entry){0}, &err), 0);
		count += e.tag != 0;
		at = e.next;
	}
	return count;
}

static size_t count_lines(struct program *p, const char *command)
{
	struct str line = {0};
	size_t count = 0;
	FILE *f;

	str_addf(&line, "cd %s && %s", p->dir, command);
	f = popen(str_text(&line), "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%zu", &count), 1);
	pclose(f);
	str_fini(&line);
	return count;
}

static void entries_as_readelf_has_them(void **state)
{
	struct program p;
	ERROR(err);

	(void)state;
	program_init(&p);
	program_write(&p, "a.c", source);
	program_write(&p, "b.c", other);
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct die_table *t;
		size_t count = 0;

		build(&p, builds[i]);
		t = dies_table(p.modules[0], &err);
		assert_non_null(t);
		array_each(const struct die_unit, u, &t->units)
			count += walk(t, u);
		assert_int_equal(count,
				 count_lines(&p, "readelf --debug-dump=info prog 2>/dev/null |"
						 " grep -c 'Abbrev Number: .*(DW_TAG'"));
	}
	program_fini(&p);
}

/* ---- malformed input ------------------------------------------------------------------------ */

static void look_at_all_types(struct module *m)
{
	ERROR(err);
	struct die_table *t = dies_table(m, &err);

	if (!t)
		return;
	array_each(const struct die_unit, u, &t->units) {
		uint64_t at = u->first;
		struct entry e;

		while (at < u->end && entry_read(t, at, &e, &err) == 0) {
			const struct type *type = type_get(m, at, &err);
			struct str text = {0};

			if (type && type_members(type, &err) == 0) {
				type_spell(type, &text);
				type_full_name(type);
				type_argument(type, 0);
				type_whole(type, NULL);
			}
			str_fini(&text);
			at = e.next;
		}
	}
	type_named(NULL, m, 0, "struct queue");
}

static uint8_t *read_all(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = base_alloc(1 << 20, 1);

	assert_non_null(f);
	*size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static void survives_flipped_bytes(void **state)
{
	struct program p;
	size_t size;
	uint8_t *bytes;
	struct section_data info;
	ERROR(err);

	(void)state;
	program_init(&p);
	program_write(&p, "a.c", source);
	program_write(&p, "b.c", other);
	program_build(&p, "gcc -gdwarf-5 -o prog a.c b.c");
	assert_int_equal(module_section(p.modules[0], ".debug_info", &info, &err), 0);
	bytes = read_all(p.path, &size);
	size_t from = (size_t)((uint8_t *)memmem(bytes, size, info.bytes, info.size) - bytes);
	size_t count = info.size;

	srand(3);
	for (int round = 0; round < 300; round++) {
		char name[32];
		char path[160];
		FILE *f;

		for (int i = 0; i < 1 + round % 6; i++)
			bytes[from + (size_t)rand() % (count + 700)] = (uint8_t)rand();
		snprintf(name, sizeof(name), "broken");
		snprintf(path, sizeof(path), "%s/%s", p.dir, name);
		f = fopen(path, "wb");
		assert_int_equal(fwrite(bytes, 1, size, f), size);
		fclose(f);
		program_close(&p);
		program_add(&p, name);
		look_at_all_types(p.modules[0]);
		if (round % 10 == 9) {
			base_free(bytes);
			snprintf(path, sizeof(path), "%s/prog", p.dir);
			bytes = read_all(path, &size);
		}
	}
	base_free(bytes);
	program_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_by_name),
		cmocka_unit_test(only_units_asked_for),
		cmocka_unit_test(entries_as_readelf_has_them),
		cmocka_unit_test(survives_flipped_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
