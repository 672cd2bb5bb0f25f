/*
 * Expressions and calls in C++: a library is compiled and loaded into this program, and its member
 * functions evaluate expressions.
 */
#include "symbols_self.h"

#include "symbols_program.h"

#include <dlfcn.h>

static const char app_cpp[] =
	"#include <atomic>\n"
	"#include <memory>\n"
	"#include <string>\n"
	"#include <vector>\n"
	"namespace app {\n"
	"enum class Mode { off, on = 7 };\n"
	"enum Plain { plain_one = 1, plain_two };\n"
	"struct Base { virtual ~Base() {} long low = 40; int shared = 1; };\n"
	"struct Other { int other = 50; };\n"
	"struct Large { long a[3]; };\n"
	"struct Box : Base, Other {\n"
	"	enum Kind { small, big = 3 };\n"
	"	struct Item { int id; double weight; };\n"
	"	int count = 5; Kind kind = big; Mode mode = Mode::on;\n"
	"	std::vector<int> numbers{1, 2, 3};\n"
	"	std::string name = \"a box\", other_name = \"a box\";\n"
	"	std::atomic<unsigned> hits{9};\n"
	"	std::unique_ptr<Item> item{new Item{4, 0.5}};\n"
	"	std::unique_ptr<Item> none;\n"
	"	std::shared_ptr<Item> shared_item{new Item{6, 1.5}};\n"
	"	Item items[2] = {{1, 1.0}, {2, 2.0}};\n"
	"	static int made;\n"
	"	int size() const { return count; }\n"
	"	int add(int a) { return count + a; }\n"
	"	int add(int a, int b) { return count + a + b; }\n"
	"	double add(double a, double b, double c) { return a + b + c; }\n"
	"	Large label() { return Large{{1, 2, 3}}; }\n"
	"	Item make(int id) { return Item{id, 0.25}; }\n"
	"	void work(void (*stop)(), const Item &ref, Base *base);\n"
	"};\n"
	"int Box::made = 17;\n"
	"int weigh(const Box::Item &i) { return i.id * 10; }\n"
	"int take(Other *o) { return o->other; }\n"
	"int mode(Mode m) { return m == Mode::on; }\n"
	"template <class T> T twice(T x) { return x + x; }\n"
	"int use() { return twice(1) + (int)twice(1.5); }\n"
	"void Box::work(void (*stop)(), const Item &ref, Base *base) {\n"
	"	int local = ref.id + (int)base->low;\n"
	"	Plain plain = plain_two;\n"
	"	stop();\n"
	"	count += local + plain;\n"
	"}\n"
	"}\n"
	"extern \"C\" void app_run(void (*stop)()) {\n"
	"	app::Box box, second;\n"
	"	app::Box::Item item{8, 0.125};\n"
	"	box.work(stop, item, &second);\n"
	"	app::use(); app::weigh(item); app::take(&box); app::mode(app::Mode::on);\n"
	"	box.size(); box.add(1); box.add(1, 2); box.add(1, 2, 3); box.label(); "
	"box.make(1);\n"
	"}\n";

static struct self *self;
static struct inspect_call here;
static struct error err;

static struct inspect_plain ask(const char *expression)
{
	struct inspect_plain plain;
	struct inspect_value v;

	if (inspect_eval(&here, expression, &v, &err) < 0)
		fail_msg("%s", err.text);
	if (inspect_plain(&v, &plain, &err) < 0)
		fail_msg("%s: %s", expression, err.text);
	return plain;
}

static void same(const char *expression, int64_t expected)
{
	struct inspect_plain plain = ask(expression);

	if (plain.kind != INSPECT_BOOL && plain.kind != INSPECT_INTEGER &&
	    plain.kind != INSPECT_ENUM)
		fail_msg("%s: kind %d", expression, plain.kind);
	if (plain.integer != expected)
		fail_msg("%s: %lld", expression, (long long)plain.integer);
}

static void refused(const char *expression, const char *says)
{
	struct inspect_value v;

	if (inspect_eval(&here, expression, &v, &err) == 0)
		fail_msg("%s: has a value", expression);
	assert_says(err.text, says);
}

static void expressions(void)
{
	same("this->count", 5);
	same("count + low", 45);
	same("other", 50);
	same("made", 17);
	same("app::Box::made", 17);
	same("local", 48);
	same("ref.id", 8);
	same("(&ref)->id == ref.id", 1);
	same("base->shared", 1);
	same("kind == big", 1);
	same("kind == app::Box::big", 1);
	same("kind == Box::big", 1);
	same("mode == Mode::on", 1);
	same("mode == app::Mode::off", 0);
	same("plain == plain_two", 1);
	same("numbers[1] + numbers[2]", 5);
	same("numbers.size()", 3);
	same("numbers.empty()", 0);
	same("name.size() + name.length()", 10);
	same("name == \"a box\"", 1);
	same("name == other_name", 1);
	same("name != \"another\"", 1);
	same("hits + 1", 10);
	same("hits > 8", 1);
	same("item->id", 4);
	same("(*item).id", 4);
	same("item != nullptr", 1);
	same("!none", 1);
	same("none == 0", 1);
	same("shared_item->id", 6);
	same("items[1].id", 2);
	same("&items[1] - items", 1);
}

static void types(void)
{
	same("sizeof(Item)", 16);
	same("sizeof(app::Box::Item)", 16);
	same("((Item *)items)[1].id", 2);
	same("((app::Box *)base)->count", 5);
	same("static_cast<Box *>(base)->count", 5);
	/* A cast to a base class other than the first changes the address. */
	same("((Other *)this)->other", 50);
	same("(char *)(Other *)this - (char *)this > 0", 1);
	same("(Box *)(Other *)this == this", 1);
	same("reinterpret_cast<unsigned long>(this) == (unsigned long)this", 1);
	same("static_cast<int>(2.75)", 2);
	same("int(mode)", 7);
	refused("size()", "an expression cannot call functions: use hit:call");
	refused("this->add(1)", "an expression cannot call functions: 'add' needs hit:call");
	refused("this->size()", "cannot call size(), which is code of the program: use hit:call");
	refused("this->conut", "did you mean count?");
	refused("none->id", "hit:eval");
}

/* ---- calls ---------------------------------------------------------------------------------- */

static struct inspect_plain args[4];

static struct inspect_entry enter(const char *function, size_t count)
{
	struct inspect_entry e;

	if (inspect_entry(&here, function, args, count, &e, &err) < 0)
		fail_msg("%s", err.text);
	return e;
}

static void not_entered(const char *function, size_t count, const char *says)
{
	struct inspect_entry e;

	if (inspect_entry(&here, function, args, count, &e, &err) == 0)
		fail_msg("%s: entered", function);
	assert_says(err.text, says);
}

static int64_t run(const struct inspect_entry *e)
{
	return ((int (*)(uint64_t, uint64_t, uint64_t))e->address)(e->integer[0], e->integer[1],
								   e->integer[2]);
}

static void calls(void)
{
	struct inspect_entry e;

	args[0] = ask("this");
	e = enter("Box::size", 1);
	assert_int_equal(run(&e), 5);
	args[0] = ask("*this");
	args[1] = ask("1 + 1");
	args[2] = ask("3");
	e = enter("app::Box::add", 2);
	assert_int_equal(run(&e), 7);
	e = enter("Box::add", 3);
	assert_int_equal(run(&e), 10);
	args[3] = ask("4.0");
	e = enter("Box::add", 4);
	assert_int_equal(e.integers, 1);
	assert_int_equal(e.vectors, 3);
	assert_true(e.vector[1] == 3);
	not_entered("Box::add", 1, "no function of this name takes this number of arguments");
	not_entered("Box::label", 1, "it returns app::Large in memory");
	args[0] = ask("ref");
	e = enter("weigh", 1);
	assert_int_equal(run(&e), 80);
	args[0] = ask("item");
	e = enter("weigh", 1);
	assert_int_equal(run(&e), 40);
	args[0] = ask("this");
	e = enter("take", 1);
	assert_int_equal(run(&e), 50);
	not_entered("weigh", 1, "the object is of another type than");
	args[0] = (struct inspect_plain){.kind = INSPECT_TEXT, .text = {.text = "on", .length = 2}};
	e = enter("app::mode", 1);
	assert_int_equal(run(&e), 1);
	args[0] = ask("21");
	not_entered("twice", 1, "several functions of this name");
	e = enter("twice<int>", 1);
	assert_int_equal(run(&e), 42);
}

static void ask_all(void)
{
	struct dwarf_frame frame, caller;

	self_frame(self, &frame);
	if (dwarf_frame_up(&frame, &caller, &err) != 1)
		fail_msg("%s", err.text);
	here = (struct inspect_call){.frame = caller, .function = "app::Box::work"};
	expressions();
	types();
	calls();
}

static void load_and_ask(struct program *p, const char *compiler, int number)
{
	char command[160], path[160];
	void (*start)(void (*)(void));
	void *library;

	snprintf(command, sizeof(command), "%s -g -shared -fPIC -o app%d.so app.cpp", compiler,
		 number);
	print_message("%s\n", command);
	program_run(p, command);
	snprintf(path, sizeof(path), "%s/app%d.so", p->dir, number);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		fail_msg("%s", dlerror());
	*(void **)&start = dlsym(library, "app_run");
	self = self_new();
	start(ask_all);
	self_free(self);
	dlclose(library);
}

static void compilers(void **state)
{
	static const char *const all[] = {"g++ -O0", "g++ -O0 -gdwarf-4",
					  "clang++ -fstandalone-debug",
					  "clang++ -fstandalone-debug -gdwarf-4"};
	struct program p;

	(void)state;
	program_init(&p);
	program_write(&p, "app.cpp", app_cpp);
	for (int i = 0; i < 4; i++)
		load_and_ask(&p, all[i], i);
	program_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(compilers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
