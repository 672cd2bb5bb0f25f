/* Values of C, C++ and Rust, in the layouts of compilers: reading, writing, following pointers. */
#include "symbols_library.h"

static const struct {
	const char *c, *cxx;
} compilers[] = {
	{"gcc -gdwarf-4", "g++ -gdwarf-4"},
	{"gcc -gdwarf-5", "g++ -gdwarf-5"},
	{"clang -gdwarf-4", "clang++ -gdwarf-4"},
	{"clang -gdwarf-5", "clang++ -gdwarf-5"},
	{"gcc -gdwarf-5 -fdebug-types-section", "g++ -gdwarf-5 -fdebug-types-section"},
	{"gcc -gdwarf-4 -fdebug-types-section", "g++ -gdwarf-4 -fdebug-types-section"},
	{"clang -gdwarf-4 -fdebug-types-section", "clang++ -gdwarf-4 -fdebug-types-section"},
};

enum { COMPILERS = sizeof(compilers) / sizeof(*compilers) };

struct shown {
	const char *path, *text;
};

static void load(struct self *s, const char *compiler, const char *rest)
{
	char command[256];

	snprintf(command, sizeof(command), "%s -O1 -shared -fPIC -o lib.so %s", compiler, rest);
	print_message("%s\n", command);
	self_load(s, command);
}

static void check_all(struct self *s, const struct inspect_value *root, const struct shown *table,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_shows(s, root, table[i].path, table[i].text);
}

/* ---- C -------------------------------------------------------------------------------------- */

static const char c_source[] =
	"#include <stdint.h>\n#include <stddef.h>\n#include <stdbool.h>\n#include <uchar.h>\n"
	"enum colour { RED, GREEN = 5, BLUE };\n"
	"enum sign { MINUS = -1, PLUS = 1 };\n"
	"struct node { int value; struct node *next; };\n"
	"struct hidden;\n"
	"typedef struct { short x, y; } point;\n"
	"struct all {\n"
	"	signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u;\n"
	"	long l; unsigned long ul; long long ll; __int128 big, small; bool yes, no;\n"
	"	float f; double d; long double ld; _Complex double z;\n"
	"	enum colour colour, odd; enum sign sign;\n"
	"	unsigned b1 : 1, b3 : 3; int n5 : 5; unsigned long long wide : 40; bool flag : 1;\n"
	"	int a[3]; int m[2][3]; char text[8]; char full[3]; const char *s1; char *null;\n"
	"	wchar_t w[4]; char16_t u16[4]; const char32_t *u32;\n"
	"	struct node *head; struct node **where; point p; void *v; int (*fn)(int);\n"
	"	union { int in_union; char bytes[4]; }; struct { int deep; struct { int deeper; }; "
	"};\n"
	"	_Atomic int at; const volatile int cv; struct hidden *h; size_t size; struct node "
	"*bad;\n"
	"	_Atomic(struct node *) ap; struct all *self; int last[];\n"
	"};\n"
	"static int twice(int x) { return 2 * x; }\n"
	"struct node n2 = {2, NULL}, n1 = {1, &n2};\n"
	"struct node *first = &n1;\n"
	"struct all all = {\n"
	"	-3, 200, -300, 60000, -70000, 4000000000u, -5, 18446744073709551615ul, 7,\n"
	"	(__int128)1 << 100, -4, true, false, 1.5f, -0.1, 2.25L, 1.0 + 2.0 * 1.0i,\n"
	"	GREEN, 77, MINUS, 1, 5, -7, 0x123456789a, true, {1, 2, 3}, {{1, 2, 3}, {4, 5, "
	"6}},\n"
	"	\"abc\", {'x', 'y', 'z'}, \"hello \\\"w\\\"\", NULL, L\"w\\u00e4\", "
	"u\"\\U0001f600\",\n"
	"	U\"u\\u20ac\", &n1, &first, {1, -2}, &n1, twice, {0x41424344}, {8, {9}}, 11, 12,\n"
	"	(struct hidden *)&n1, 13, (struct node *)16, &n2, &all, {21, 22}};\n";

static const struct shown c_values[] = {
	{"sc", "-3"},
	{"uc", "200"},
	{"s", "-300"},
	{"us", "60000"},
	{"i", "-70000"},
	{"u", "4000000000"},
	{"l", "-5"},
	{"ul", "18446744073709551615"},
	{"ll", "7"},
	{"big", "<0x10000000000000000000000000 does not fit into 64 bits>"},
	{"small", "-4"},
	{"yes", "true"},
	{"no", "false"},
	{"f", "1.5"},
	{"d", "-0.1"},
	{"ld", "2.25"},
	{"z.real", "1"},
	{"z.imag", "2"},
	{"colour", "GREEN"},
	{"odd", "77"},
	{"sign", "MINUS"},
	{"b1", "1"},
	{"b3", "5"},
	{"n5", "-7"},
	{"wide", "78187493530"},
	{"flag", "true"},
	{"a", "{1, 2, 3}"},
	{"a[2]", "3"},
	{"a[3]", "<there is no element 3 in a 'int [3]' of 3>"},
	{"a[-1]", "<there is no element -1 in a 'int [3]' of 3>"},
	{"m", "{{1, 2, 3}, {4, 5, 6}}"},
	{"m[1][0]", "4"},
	{"text", "\"abc\""},
	{"full", "\"xyz\""},
	{"null", "0x0"},
	{"w", "\"w\xc3\xa4\""},
	{"u16", "\"\xf0\x9f\x98\x80\""},
	{"head.value", "1"},
	{"head.next.value", "2"},
	{"head.next.next", "0x0"},
	{"head.next.next.value", "<cannot read through a null pointer (0x0)>"},
	{"where[0].value", "1"},
	{"where.value", "<a 'struct node **' has no member 'value': it points to a pointer to an "
			"object that has it>"},
	{"*head", "<a 'struct all' has no member '*head'; did you mean head?>"},
	{"head.*.value", "1"},
	{"p", "{x = 1, y = -2}"},
	{"v.*", "<a 'void *' points to an unknown type>"},
	{"in_union", "1094861636"},
	{"bytes", "\"DCBA\""},
	{"deep", "8"},
	{"deeper", "9"},
	{"at", "11"},
	{"cv", "12"},
	{"h.x", "<a 'struct hidden' is only declared here, nothing is known of 'x'>"},
	{"size", "13"},
	{"bad", "0x10"},
	{"bad.value", "<cannot read 4 bytes at 0x10>"},
	{"bad.next", "<cannot read 8 bytes at 0x18>"},
	{"ap.value", "2"},
	{"self.self.head.next.value", "2"},
	{"i.x", "<a 'int' has no member 'x'>"},
	{"i[0]", "<a 'int' has no elements>"},
	{"i.*", "<a 'int' is not a pointer>"},
	{"last[1]", "22"},
};

static void check_strings(struct self *s, const struct inspect_value *all)
{
	static const struct shown strings[] = {
		{"s1", "hello \"w\""}, {"text", "abc"}, {"full", "xyz"}, {"u32", "u\xe2\x82\xac"}};

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		struct inspect_value v;
		struct str text = {0};

		assert_int_equal(self_find(s, all, strings[i].path, &v), 0);
		assert_int_equal(inspect_string(&v, &text, &s->p.err), 0);
		assert_string_equal(str_text(&text), strings[i].text);
		str_fini(&text);
	}
}

static void values_of_c(void **state)
{
	struct self s = {0};

	(void)state;
	program_init(&s.p);
	program_write(&s.p, "c.c", c_source);
	for (size_t i = 0; i < COMPILERS; i++) {
		struct inspect_value all;

		load(&s, compilers[i].c, "c.c");
		all = self_value(&s, "struct all", dlsym(s.library, "all"));
		check_all(&s, &all, c_values, sizeof(c_values) / sizeof(*c_values));
		check_strings(&s, &all);
	}
	self_unload(&s);
	program_fini(&s.p);
}

/* ---- storing -------------------------------------------------------------------------------- */

static int store(struct self *s, const struct inspect_value *all, const char *path,
		 struct inspect_plain from)
{
	struct inspect_value v;

	assert_int_equal(self_find(s, all, path, &v), 0);
	return inspect_store(&v, &from, &s->p.err);
}

static struct inspect_plain number(int64_t n)
{
	return (struct inspect_plain){.kind = INSPECT_INTEGER, .integer = n};
}

static void stores(void **state)
{
	struct self s = {0};
	struct inspect_value all;
	struct inspect_plain name = {.kind = INSPECT_TEXT}, plain;
	struct inspect_plain real = {.kind = INSPECT_FLOAT, .number = 2.5};
	struct inspect_plain nil = {.kind = INSPECT_NULL};

	(void)state;
	program_init(&s.p);
	program_write(&s.p, "c.c", c_source);
	load(&s, compilers[1].c, "c.c");
	all = self_value(&s, "struct all", dlsym(s.library, "all"));
	assert_int_equal(store(&s, &all, "sc", number(-128)), 0);
	assert_shows(&s, &all, "sc", "-128");
	assert_int_equal(store(&s, &all, "sc", number(128)), -1);
	assert_string_equal(s.p.err.text, "128 cannot be stored in a 'signed char'");
	assert_int_equal(store(&s, &all, "uc", number(-1)), -1);
	assert_int_equal(store(&s, &all, "small", number(-9)), 0);
	assert_shows(&s, &all, "small", "-9");
	assert_int_equal(store(&s, &all, "n5", number(15)), 0);
	assert_int_equal(store(&s, &all, "n5", number(16)), -1);
	assert_shows(&s, &all, "n5", "15");
	assert_shows(&s, &all, "b3", "5");
	assert_shows(&s, &all, "wide", "78187493530");
	assert_int_equal(store(&s, &all, "wide", number(3)), 0);
	assert_shows(&s, &all, "wide", "3");
	assert_shows(&s, &all, "flag", "true");
	assert_int_equal(store(&s, &all, "yes", number(2)), -1);
	assert_int_equal(store(&s, &all, "f", real), 0);
	assert_int_equal(store(&s, &all, "ld", real), 0);
	assert_shows(&s, &all, "f", "2.5");
	assert_shows(&s, &all, "ld", "2.5");
	assert_int_equal(store(&s, &all, "i", real), -1);
	str_add(&name.text, "BLUE");
	assert_int_equal(store(&s, &all, "colour", name), 0);
	assert_shows(&s, &all, "colour", "BLUE");
	assert_int_equal(store(&s, &all, "sign", name), -1);
	assert_string_equal(s.p.err.text, "'BLUE' is no value of the enumeration 'sign'");
	assert_int_equal(store(&s, &all, "i", name), -1);
	str_fini(&name.text);
	assert_int_equal(store(&s, &all, "at", number(5)), 0);
	assert_shows(&s, &all, "at", "5");
	assert_int_equal(store(&s, &all, "i", nil), -1);
	plain.kind = INSPECT_OBJECT;
	assert_int_equal(self_find(&s, &all, "ap", &plain.object), 0);
	assert_int_equal(store(&s, &all, "head", plain), 0);
	assert_shows(&s, &all, "head.value", "2");
	assert_int_equal(store(&s, &all, "head", nil), 0);
	assert_shows(&s, &all, "head", "0x0");
	self_unload(&s);
	program_fini(&s.p);
}

/* ---- values without memory ------------------------------------------------------------------ */

static void bytes_and_registers(void **state)
{
	struct self s = {0};
	struct inspect_value v, member;
	struct {
		int32_t value, hole;
		uint64_t next;
	} node = {7, 0, 0x10};
	struct inspect_plain five = number(5);

	(void)state;
	program_init(&s.p);
	program_write(&s.p, "c.c", c_source);
	load(&s, compilers[1].c, "c.c");
	v = value_of_bytes(&s.view, self_value(&s, "struct node", NULL).type, &node, sizeof(node));
	assert_shows(&s, &v, "", "{value = 7, next = 0x10}");
	memset(v.kept, 0, 4); /* `value` is unknown */
	assert_shows(&s, &v, "value", "<all or a part of it is optimised out at this line>");
	assert_shows(&s, &v, "",
		     "{value = <all or a part of it is optimised out at this line>, next = 0x10}");
	assert_int_equal(self_find(&s, &v, "next", &member), 0);
	assert_int_equal(inspect_store(&member, &five, &s.p.err), -1);
	/* the pointer is dropped, but not the memory that it points to */
	v = value_of_bytes(&s.view, type_pointer_to(v.type), &node, sizeof(node));
	v.place = INSPECT_POINTEE;
	assert_shows(&s, &v, "value", "7");
	assert_shows(&s, &v, ".*.value", "7");
	assert_shows(&s, &v, "[0].value", "7");
	assert_shows(&s, &v, "[1].value", "<the pointer is optimised out at this line>");
	/* an int in a register: storing keeps the upper half */
	v = value_of_bytes(&s.view, type_builtin("int"), "\1\0\0\0\2\0\0\0", 8);
	v.reg = 3;
	assert_shows(&s, &v, "", "1");
	assert_int_equal(inspect_store(&v, &five, &s.p.err), 0);
	assert_int_equal(s.reg_number, 3);
	assert_int_equal(s.reg_size, 8);
	assert_memory_equal(s.reg, "\5\0\0\0\2\0\0\0", 8);
	self_unload(&s);
	program_fini(&s.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_c),
		cmocka_unit_test(stores),
		cmocka_unit_test(bytes_and_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
