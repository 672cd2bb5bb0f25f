/* Classes of C++ and Rust: bases, static members, and pretty-printed library types. */
#include "symbols_library.h"

#include <stdlib.h>

struct shown {
	const char *path, *text;
};

static void check_all(struct self *s, const struct inspect_value *root, const struct shown *table,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_shows(s, root, table[i].path, table[i].text);
}

/* ---- C++ ------------------------------------------------------------------------------------ */

static const char header[] =
	"#include <array>\n#include <atomic>\n#include <functional>\n#include <memory>\n"
	"#include <optional>\n#include <string>\n#include <string_view>\n#include <vector>\n"
	"#include <deque>\n#include <forward_list>\n#include <list>\n#include <map>\n"
	"#include <queue>\n#include <set>\n#include <stack>\n#include <unordered_map>\n"
	"#include <unordered_set>\n#include <chrono>\n#include <variant>\n"
	"struct Hidden;\n"
	"namespace app {\n"
	"enum class Mode : unsigned char { Off, On = 200 };\n"
	"struct Base { virtual ~Base() {} int base = 1; };\n"
	"struct Left : virtual Base { int left = 2; };\n"
	"struct Right : virtual Base { int right = 3; };\n"
	"struct Both : Left, Right { int both = 4; static int shared; static const int fixed = 9; "
	"};\n"
	"struct Point { int x = 5, y = 6; };\n"
	"struct Deleter { int calls = 8; void operator()(Point *p) { delete p; } };\n"
	"struct Large { char bytes[700]; int last; };\n"
	"struct alignas(64) Apart { int number = 9; };\n"
	"struct All {\n"
	"	Both object; Left *left = &object; Both &ref = object; Mode mode = Mode::On;\n"
	"	std::string empty, small = \"short\", large = std::string(40, 'x');\n"
	"	std::u16string wide = u\"w\\u00e4\"; std::string_view view = \"view\";\n"
	"	std::vector<int> ints{1, 2, 3}, none; std::vector<Point> points{Point(), "
	"Point()};\n"
	"	std::vector<bool> bits; std::vector<std::string> texts{\"a\", \"b\"};\n"
	"	std::array<short, 2> pair{{7, -8}};\n"
	"	std::atomic<int> ai{11}; std::atomic<bool> ab{true}; std::atomic<Point *> "
	"ap{nullptr};\n"
	"	std::atomic<Mode> am{Mode::Off}; std::atomic<Point> as{Point()};\n"
	"	std::atomic_flag flag = ATOMIC_FLAG_INIT; std::atomic<double> ad{0.5};\n"
	"	std::unique_ptr<Point> unique{new Point}, nothing;\n"
	"	std::unique_ptr<Point, Deleter> deleted{new Point};\n"
	"	std::unique_ptr<int[]> array{new int[2]{21, 22}};\n"
	"	std::shared_ptr<Point> shared = std::make_shared<Point>(); std::weak_ptr<Point> "
	"weak = shared;\n"
	"	std::weak_ptr<Point> expired = std::make_shared<Point>();\n"
	"	std::optional<int> some = 31, nope; std::optional<Point> spot = Point();\n"
	"	std::reference_wrapper<int> wrapper = object.both;\n"
	"	int Point::*member = &Point::y; decltype(nullptr) null = nullptr; Hidden *hidden;\n"
	"	std::atomic<Point *> at{unique.get()};\n"
	"	std::list<short> list{1, 2, 3}, empty_list; std::forward_list<int> forward{4, 5};\n"
	"	std::set<int> set{5, 3, 9, 1, 7}; std::multiset<char> letters{'b', 'a', 'b'};\n"
	"	std::map<std::string, int> ages{{\"ann\", 1}, {\"bob\", 2}};\n"
	"	std::map<int, char> chars{{7, 'x'}, {-2, 'y'}, {3, 'z'}};\n"
	"	std::map<char, double> halves{{'q', 0.5}}; std::map<long double, int> "
	"wide_keys{{1.5L, 3}};\n"
	"	std::map<int, Apart> apart{{1, Apart()}}; std::multimap<int, int> twice{{1, 1}, "
	"{1, 2}};\n"
	"	std::unordered_map<std::string, Point> spots{{\"here\", Point()}};\n"
	"	std::unordered_map<char, short> hashed{{'h', 6}}; std::unordered_set<std::string> "
	"names{\"n\"};\n"
	"	std::map<std::string, std::vector<int>> nested{{\"k\", {1, 2}}};\n"
	"	std::deque<int> deque; std::deque<Large> large_deque; std::deque<int> "
	"empty_deque;\n"
	"	std::stack<int> stack; std::queue<int> queue; std::priority_queue<int> first;\n"
	"	std::pair<int, std::string> couple{1, \"p\"};\n"
	"	std::variant<int, std::string, Point> number = 42, text = std::string(\"t\"), "
	"spot_of = Point();\n"
	"	std::chrono::milliseconds ms{1500};\n"
	"	std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds> "
	"epoch{};\n"
	"	void fill()\n"
	"	{\n"
	"		bits.resize(70); bits[65] = true;\n"
	"		for (int i = 0; i < 300; i++) deque.push_back(i);\n"
	"		for (int i = 1; i < 5; i++) deque.push_front(-i), deque.pop_back();\n"
	"		large_deque.resize(3); large_deque[2].last = 8;\n"
	"		stack.push(3); queue.push(4); queue.push(5); first.push(6);\n"
	"	}\n"
	"	All() { fill(); }\n"
	"};\n"
	"}\n";

static const char cxx_source[] = "#include \"all.h\"\n"
				 "Hidden *hide();\n"
				 "int app::Both::shared = 77;\n"
				 "extern \"C\" app::All *make()\n"
				 "{ auto *a = new app::All; a->hidden = hide(); return a; }\n"
				 "extern \"C\" void drop(app::All *a) { delete a; }\n";
static const char other_source[] = "struct Hidden { int inside; };\n"
				   "Hidden *hide() { static Hidden h = {41}; return &h; }\n";

static const struct shown cxx_values[] = {
	{"object.both", "4"},
	{"object.left", "2"},
	{"object.base", "1"},
	{"left.base", "1"},
	{"ref.right", "3"},
	{"object.shared", "77"},
	{"object.fixed", "9"},
	{"mode", "On"},
	{"number", "42"},
	{"text", "\"t\""},
	{"spot_of.y", "6"},
	{"spot_of", "{x = 5, y = 6}"},
	{"ms", "1500ms"},
	{"epoch", "0ns [1970-01-01 00:00:00]"},
	{"empty", "\"\""},
	{"small", "\"short\""},
	{"large", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\""},
	{"small[1]", "104 'h'"},
	{"wide", "\"w\xc3\xa4\""},
	{"view", "\"view\""},
	{"ints", "{1, 2, 3}"},
	{"none", "{}"},
	{"ints[2]", "3"},
	{"points[1].y", "6"},
	{"bits[65]", "true"},
	{"bits[64]", "false"},
	{"texts", "{\"a\", \"b\"}"},
	{"pair", "{7, -8}"},
	{"pair[1]", "-8"},
	{"ai", "11"},
	{"ab", "true"},
	{"ap", "0x0"},
	{"am", "Off"},
	{"as", "{x = 5, y = 6}"},
	{"as.y", "6"},
	{"flag", "false"},
	{"ad", "0.5"},
	{"unique.x", "5"},
	{"unique.*.y", "6"},
	{"nothing", "0x0"},
	{"nothing.x", "<cannot read through a null pointer (0x0)>"},
	{"deleted.x", "5"},
	{"array[1]", "22"},
	{"shared.x", "5"},
	{"weak.x", "5"},
	{"expired", "0x0"},
	{"some", "31"},
	{"nope", "0x0"},
	{"spot.x", "5"},
	{"wrapper", "4"},
	{"null", "0x0"},
	{"at.y", "6"},
	{"hidden.inside", "41"},
	{"list", "{1, 2, 3}"},
	{"list[1]", "2"},
	{"empty_list", "{}"},
	{"forward", "{4, 5}"},
	{"set", "{1, 3, 5, 7, 9}"},
	{"set[3]", "7"},
	{"letters", "{97 'a', 98 'b', 98 'b'}"},
	{"ages", "{[\"ann\"] = 1, [\"bob\"] = 2}"},
	{"chars", "{[-2] = 121 'y', [3] = 122 'z', [7] = 120 'x'}"},
	{"chars[7]", "120 'x'"},
	{"chars[0]", "0x0"},
	{"halves", "{[113 'q'] = 0.5}"},
	{"halves[113]", "0.5"},
	{"wide_keys", "{[1.5] = 3}"},
	{"apart[1].number", "9"},
	{"twice", "{[1] = 1, [1] = 2}"},
	{"spots", "{[\"here\"] = {x = 5, y = 6}}"},
	{"hashed[104]", "6"},
	{"names", "{\"n\"}"},
	{"nested", "{[\"k\"] = {1, 2}}"},
	{"deque[0]", "-4"},
	{"deque[4]", "0"},
	{"deque[299]", "295"},
	{"large_deque[2].last", "8"},
	{"empty_deque", "{}"},
	{"stack", "{3}"},
	{"queue[1]", "5"},
	{"first", "{6}"},
	{"couple", "{first = 1, second = \"p\"}"},
};

static const char *const cxx_compilers[] = {
	"g++ -gdwarf-4 -O0",
	"g++ -gdwarf-5 -O2",
	"clang++ -gdwarf-4 -O1",
	"clang++ -gdwarf-5 -O0",
	"g++ -gdwarf-5 -fdebug-types-section",
	"g++ -gdwarf-4 -fdebug-types-section",
	"g++ -gdwarf-5 -flto -O1",
	"g++ -g -D_GLIBCXX_USE_CXX11_ABI=0",
	"clang++ -g -O2",
	"clang++ -g -O0 -stdlib=libc++", /* if it is installed */
};

static void load_cxx(struct self *s, const char *compiler)
{
	char command[256];

	snprintf(command, sizeof(command), "%s -std=c++17 -shared -fPIC -o lib.so x.cc other.cc",
		 compiler);
	print_message("%s\n", command);
	self_load(s, command);
}

static int64_t length_of(struct self *s, const struct inspect_value *root, const char *path)
{
	struct inspect_value v;
	int64_t length;

	assert_int_equal(self_find(s, root, path, &v), 0);
	assert_int_equal(inspect_length(&v, &length, &s->p.err), 0);
	return length;
}

/* Elements and keys that do not exist. */
static void check_missing(struct self *s, const struct inspect_value *root)
{
	struct inspect_value list, ages, out;
	struct inspect_plain plain;

	assert_int_equal(self_find(s, root, "list", &list), 0);
	assert_int_equal(inspect_element(&list, 3, &out, &s->p.err), -1);
	assert_int_equal(inspect_key(&list, "ann", 3, &out, &s->p.err), 0);
	assert_int_equal(self_find(s, root, "ages", &ages), 0);
	assert_int_equal(inspect_element(&ages, 1, &out, &s->p.err), -1);
	assert_int_equal(inspect_key(&ages, "bob", 3, &out, &s->p.err), 1);
	assert_int_equal(inspect_plain(&out, &plain, &s->p.err), 0);
	assert_int_equal(plain.integer, 2);
	assert_int_equal(inspect_key(&ages, "bo", 2, &out, &s->p.err), 1);
	assert_int_equal(inspect_plain(&out, &plain, &s->p.err), 0);
	assert_int_equal(plain.kind, INSPECT_NULL);
}

static bool is_installed(const char *compiler)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "echo '#include <list>' | %s -fsyntax-only -x c++ - 2>/dev/null", compiler);
	return system(command) == 0;
}

static void drop_value(struct self *s, const struct inspect_value *v)
{
	void (*drop)(void *);

	*(void **)&drop = dlsym(s->library, "drop");
	drop((void *)(uintptr_t)v->address);
}

static void values_of_cxx(void **state)
{
	struct self s = {0};

	(void)state;
	program_init(&s.p);
	program_write(&s.p, "all.h", header);
	program_write(&s.p, "x.cc", cxx_source);
	program_write(&s.p, "other.cc", other_source);
	for (size_t i = 0; i < sizeof(cxx_compilers) / sizeof(*cxx_compilers); i++) {
		struct inspect_value all;
		void *(*make)(void);

		if (!is_installed(cxx_compilers[i]))
			continue;
		load_cxx(&s, cxx_compilers[i]);
		*(void **)&make = dlsym(s.library, "make");
		all = self_value(&s, "app::All", make());
		check_all(&s, &all, cxx_values, sizeof(cxx_values) / sizeof(*cxx_values));
		assert_int_equal(length_of(&s, &all, "bits"), 70);
		assert_int_equal(length_of(&s, &all, "large"), 40);
		assert_int_equal(length_of(&s, &all, "pair"), 2);
		assert_int_equal(length_of(&s, &all, "deque"), 300);
		assert_int_equal(length_of(&s, &all, "forward"), 2);
		assert_int_equal(length_of(&s, &all, "queue"), 2);
		check_missing(&s, &all);
		assert_string_equal(inspect_member(&all, 0), "object");
		drop_value(&s, &all);
	}
	self_unload(&s);
	program_fini(&s.p);
}

/* ---- Rust ----------------------------------------------------------------------------------- */

static const char rust_source[] =
	"use std::sync::{Arc, atomic::*};\nuse std::rc::Rc;\nuse std::cell::Cell;\n"
	"pub enum Shape { Dot, Circle(i32), Square { side: u64 } }\n"
	"#[repr(u8)] pub enum Plain { One = 1, Two = 2 }\n"
	"pub struct All {\n"
	"    name: String, list: Vec<u16>, text: &'static str, bytes: &'static [u8], boxed: "
	"Box<u32>,\n"
	"    fat: Box<[i32]>, array: [i8; 3], tuple: (u8, u16), letter: char, plain: Plain,\n"
	"    dot: Shape, circle: Shape, square: Shape, some: Option<Box<u32>>, none: "
	"Option<Box<u32>>,\n"
	"    count: AtomicUsize, flag: bool, float: f32, shared: Arc<(u32, u32)>, rc: Rc<u64>,\n"
	"    cell: Cell<i64>,\n"
	"}\n"
	"#[no_mangle] pub extern \"C\" fn make() -> *const All {\n"
	"    Box::into_raw(Box::new(All { name: \"caf\\u{e9}\".to_string(), list: vec![1, 2, 3], "
	"text: \"hey\",\n"
	"        bytes: b\"ab\", boxed: Box::new(4), fat: vec![-1, -2].into_boxed_slice(),\n"
	"        array: [1, -2, 3], tuple: (5, 6), letter: 'x', plain: Plain::Two, dot: "
	"Shape::Dot,\n"
	"        circle: Shape::Circle(-7), square: Shape::Square { side: 8 }, some: "
	"Some(Box::new(9)),\n"
	"        none: None, count: AtomicUsize::new(10), flag: true, float: 0.5,\n"
	"        shared: Arc::new((11, 12)), rc: Rc::new(13), cell: Cell::new(-14) }))\n"
	"}\n"
	"#[no_mangle] pub extern \"C\" fn drop(a: *mut All) { unsafe { let _ = Box::from_raw(a); } "
	"}\n";

static const struct shown rust_values[] = {
	{"name", "\"caf\xc3\xa9\""},
	{"list", "{1, 2, 3}"},
	{"list[2]", "3"},
	{"text", "\"hey\""},
	{"bytes", "{97, 98}"},
	{"boxed.*", "4"},
	{"fat", "{-1, -2}"},
	{"array", "{1, -2, 3}"},
	{"tuple.__1", "6"},
	{"letter", "120 'x'"},
	{"plain", "Two"},
	{"circle.__0", "-7"},
	{"circle.Circle.__0", "-7"},
	{"square.side", "8"},
	{"circle.side", "<a 'Shape' has no member 'side'>"},
	{"dot", "{Dot = {}}"},
	{"some.__0.*", "9"},
	{"none", "{None = {}}"},
	{"count", "10"},
	{"flag", "true"},
	{"float", "0.5"},
	{"shared.__1", "12"},
	{"rc", "13"},
	{"cell", "-14"},
};

static void values_of_rust(void **state)
{
	struct self s = {0};
	struct inspect_value all;
	void *(*make)(void);

	(void)state;
	program_init(&s.p);
	program_write(&s.p, "r.rs", rust_source);
	self_load(&s, "rustc -g --crate-type=cdylib -o lib.so r.rs");
	*(void **)&make = dlsym(s.library, "make");
	all = self_value(&s, "r::All", make());
	check_all(&s, &all, rust_values, sizeof(rust_values) / sizeof(*rust_values));
	drop_value(&s, &all);
	self_unload(&s);
	program_fini(&s.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_cxx),
		cmocka_unit_test(values_of_rust),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
