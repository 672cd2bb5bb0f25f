// Variables of C++17; see vars.h.
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "vars.h"

static volatile int zero;
volatile int one = 1;

enum class Mode : unsigned char { off, slow = 7, fast = 250 };
enum Plain { first_of_plain, second_of_plain = -2 };

static const char *enumerator(long long v, size_t)
{
	switch (v) {
	case 0: return "off";
	case 7: return "slow";
	case 250: return "fast";
	case -2: return "second_of_plain";
	default: return "-";
	}
}

namespace store {
int counter = 12;
static const char *label = "shelf";
namespace inner {
long depth = -3;
}
namespace {
int unnamed = 31;
}
struct Limits {
	static int most;
	static constexpr int least = 3;
	inline static double factor = 0.75;
};
int Limits::most = 90;
thread_local int per_thread = 55;
}
inline namespace v2 {
int versioned = 202;
}

struct Point {
	int x, y;
};

struct Base {
	int base_value = 100;
	virtual ~Base() = default;
	virtual int id() const
	{
		return base_value;
	}
};
struct Named {
	std::string name = "none";
	int shared_name = 1;
};
struct Root {
	int root_value = 1000;
	virtual ~Root() = default;
};
struct Left : virtual Root {
	int left = 1;
};
struct Right : virtual Root {
	int right = 2;
};
struct Diamond : Left, Right {
	int bottom = 3;
	KEEP void look(int by);
};
void Diamond::look(int by)
{
	bottom += by;
	gate("diamond"); /* gate: diamond */
	I(bottom);
	I(left);
	I(right);
	I(root_value);
	I(this->bottom);
	I(this->root_value);
	I(by);
}

struct Derived : Base, Named {
	int own = 5;
	int shared_name = 2;
	static int instances;
	union {
		int either;
		float other;
	};
	unsigned flag : 1, rest : 7;
	int &ref;
	std::vector<int> list{ 7, 8, 9 };
	explicit Derived(int &r) : either(66), flag(1), rest(100), ref(r)
	{
		instances++;
	}
	int id() const override
	{
		return own;
	}
	KEEP int method(int argument);
	KEEP int constant(int argument) const;
};
int Derived::instances = 40;

int Derived::method(int argument)
{
	int local = argument + own;

	ref += argument;
	gate("method"); /* gate: method */
	I(own);
	I(base_value);
	S(name.c_str()); /* lua: name gdb: name */
	I(shared_name);
	I(this->Named::shared_name); // lua: this["Named::shared_name"]
	I(instances);
	I(either); // gdb: this->either
	I(flag);
	I(rest);
	I(ref);
	I(list[2]);
	I(argument);
	I(local);
	I(this->own);
	I(zero);
	return local;
}

int Derived::constant(int argument) const
{
	int own = argument * 2; // hides the member

	gate("constant"); /* gate: constant */
	I(own);
	I(this->own);
	I(either); // gdb: this->either
	return own;
}

template <class T, int N> struct Ring {
	T items[N]{};
	int head = 0;
	static int rings;
	KEEP void push(T v)
	{
		int at = head++ % N;

		items[at] = v;
		gate("ring"); /* gate: ring */
		I(at);
		I(head);
		I(v);
		I(items[at]); // lua: items[hit.var.at]
		I(rings);
	}
};
template <class T, int N> int Ring<T, N>::rings = N * 10;

static KEEP void references(int &number, const std::string &text, Point &&moved, int *const &pointer)
{
	int &again = number;
	const Point &fixed = moved;
	int array[3] = { 1, 2, number };
	int(&all)[3] = array;

	gate("references"); /* gate: references */
	I(number);
	I(again);
	S(text.c_str()); /* lua: text gdb: text */
	I(moved.x);
	I(fixed.y);
	I(all[2]);
	I(*pointer); /* lua: pointer[0] */
	P(&number); /* lua: pointer */
}

static KEEP void strings(const char *source)
{
	std::string brief = source, empty, longer(40 + zero, 'x');

	longer += "end";
	std::string_view view = std::string_view(longer).substr(3, 4), nothing;
	std::wstring wide = L"wi\u00e9";
	std::string *pointer = &brief;

	gate("strings"); /* gate: strings */
	S(brief.c_str()); /* lua: brief gdb: brief */
	S(empty.c_str()); /* lua: empty gdb: empty */
	S(longer.c_str()); /* lua: longer gdb: longer */
	S(std::string(view).c_str()); /* lua: view gdb: view */
	S(std::string(nothing).c_str()); /* lua: nothing gdb: nothing */
	S("wié"); /* lua: wide gdb: wide */
	S(pointer->c_str()); /* lua: pointer[0] gdb: *pointer */
	I(wide.size()); // lua: utf8.len(hit.var.wide) gdb: wide._M_string_length
}

static KEEP void containers(int n)
{
	std::vector<int> numbers, none;
	std::vector<Point> points{ { 1, 2 }, { 3, 4 } };
	std::vector<bool> flags{ true, false, true };
	std::vector<std::string> words{ "one", "two", std::string(30, 'z') };
	std::vector<std::vector<int>> nested{ { 1 }, { 2, 3 } };
	std::array<int, 4> fixed{ 4, 5, 6, n };
	std::pair<int, double> pair{ n, 0.5 };
	std::tuple<int, char, long> triple{ n, 't', -1 };
	std::vector<int> *pointer = &numbers;

	for (int i = 0; i < n; i++)
		numbers.push_back(i * i);
	for (int i = 0; i < 70; i++)
		flags.push_back(i % 3 == 0);
	gate("containers"); /* gate: containers */
	I(numbers[0]);
	I(numbers[n - 1]); // lua: numbers[hit.var.n - 1]
	I(numbers.size()); // lua: #hit.var.numbers
	I(none.size()); // lua: #hit.var.none
	I(points[1].y);
	I(points.size()); // lua: #hit.var.points
	B(flags[0]);
	B(flags[1]);
	B(flags[69]);
	B(flags[70]);
	I(flags.size()); // lua: #hit.var.flags
	S(words[1].c_str()); /* lua: words[1] gdb: words[1] */
	S(words[2].c_str()); /* lua: words[2] gdb: words[2] */
	I(nested[1][1]);
	I(fixed[3]);
	I(fixed.size()); // lua: #hit.var.fixed
	I(pair.first);
	F(pair.second);
	I((*pointer)[1]); // lua: pointer[0][1]
}

struct Node {
	int value = 0;
	std::unique_ptr<Node> next;
	std::weak_ptr<Node> back;
	std::atomic<int> refs{ 2 };
};

static int seven(int x)
{
	return x + 7;
}

static KEEP void pointers(int n)
{
	std::unique_ptr<int> number = std::make_unique<int>(n), gone;
	std::unique_ptr<Node> node = std::make_unique<Node>();
	std::unique_ptr<int[]> array(new int[3]{ 1, 2, n });
	std::shared_ptr<Point> shared = std::make_shared<Point>(), nobody, second = shared;
	std::atomic<int> atomic{ n };
	std::atomic<bool> flag{ true };
	std::atomic<Point *> where{ shared.get() }, nowhere{ nullptr };
	std::atomic<unsigned long> big{ ~0ul };
	std::optional<int> maybe = n + 1;
	int (*function)(int) = seven;
	int Point::*member = &Point::y;
	std::nullptr_t null = nullptr;

	shared->x = n;
	shared->y = -n;
	node->next = std::make_unique<Node>();
	node->next->value = n * 3;
	gate("pointers"); /* gate: pointers */
	I(*number); /* lua: number[0] */
	N(gone.get()); /* lua: gone */
	I(node->value);
	I(node->next->value);
	N(node->next->next.get()); /* lua: node.next.next */
	I(node->refs); // gdb: node->refs._M_i
	P(node.get()); /* lua: node */
	I(array[2]);
	I(shared->x);
	I(second->y);
	P(shared.get()); /* lua: shared */
	N(nobody.get()); /* lua: nobody */
	I(atomic); /* gdb: atomic._M_i */
	B(flag); /* gdb: flag._M_base._M_i */
	I(where.load()->x); /* lua: where.x gdb: where._M_b._M_p->x */
	N(nowhere.load()); /* lua: nowhere gdb: nowhere._M_b._M_p */
	U(big); /* gdb: big._M_i */
	I(*maybe); /* lua: maybe gdb: maybe._M_payload._M_payload._M_value */
	P(function);
	N(null);
}

static KEEP void lambdas(int n)
{
	int by_value = n + 1, by_reference = n + 2, outside = n + 3;
	auto look = [by_value, &by_reference, renamed = outside * 2](int argument) KEEP {
		int local = argument + by_value;

		by_reference += zero;
		gate("lambda"); /* gate: lambda */
		I(by_value);
		I(by_reference);
		I(renamed);
		I(argument);
		I(local);
	};

	look(n * 10);
	gate("lambdas"); /* gate: lambdas */
	I(by_value);
	I(by_reference);
	I(n);
}

static KEEP void bindings(std::pair<int, Point> pair)
{
	auto [number, point] = pair;
	auto &[same_number, same_point] = pair;

	pair.first += one;
	gate("bindings"); /* gate: bindings */
	I(number);
	I(point.x);
	I(same_number);
	I(same_point.y);
	I(pair.second.x);
}

static KEEP void globals(Mode mode, Plain plain)
{
	using store::inner::depth;
	constexpr int compile_time = 1234;
	static int kept = 9;
	Mode modes[2] = { Mode::fast, Mode::off };
	Mode unknown = (Mode)(99 + zero);
	bool truth = one, lie = zero;
	char16_t c16 = u'\u20ac';
	struct Local {
		int a, b;
	} inside{ one + 1, one + 2 };

	kept += one;
	store::counter += one;
	store::per_thread += one;
	gate("globals"); /* gate: globals */
	E(mode);
	E(plain);
	E(modes[0]);
	E(unknown);
	B(truth);
	B(lie);
	I(c16);
	I(compile_time);
	I(kept);
	I(inside.b);
	I(store::counter);
	S(store::label);
	I(store::inner::depth);
	I(depth);
	I(store::unnamed);
	I(store::Limits::most);
	I(store::Limits::least);
	F(store::Limits::factor);
	I(store::per_thread);
	I(versioned); // gdb: v2::versioned
	I(Derived::instances);
	I(one);
}

// Small structs come in registers, one of both kinds in an integer and a vector register.
static KEEP void in_registers(Point small, std::pair<double, long> mixed, std::pair<float, float> floats,
			      std::string large)
{
	gate("in_registers"); /* gate: in_registers */
	I(small.x);
	I(small.y);
	F(mixed.first);
	I(mixed.second);
	F(floats.first);
	F(floats.second);
	S(large.c_str()); /* lua: large gdb: large */
}

ALWAYS int scaled(int k)
{
	int local = k * one;
	{
		int local = k + 1000;

		gate("scaled"); /* gate: scaled */
		I(k);
		I(local);
	}
	return local;
}

static KEEP int throwing(int n)
{
	try {
		if (n > one)
			throw n + 1;
	} catch (int &caught) {
		int local = caught * 2;

		gate("caught"); /* gate: caught */
		I(caught);
		I(local);
		I(n);
	}
	return scaled(n) + scaled(n * 2);
}

int main()
{
	int number = 5 + zero, other = 50;
	Derived derived(other);
	Diamond diamond;
	Ring<int, 3> ring;
	Ring<long, 2> longs;
	Base *base = &derived;

	references(number, "referenced", Point{ 6, 7 }, &number);
	strings("short");
	containers(4 + zero);
	pointers(21 + zero);
	lambdas(2 + zero);
	bindings({ 8, { 9, 10 } });
	globals(one ? Mode::slow : Mode::off, second_of_plain);
	in_registers({ 1, -1 }, { 1.5, 15 }, { 0.5f, -0.5f }, "by value");
	derived.method(3);
	derived.constant(4);
	diamond.look(30);
	ring.push(77);
	ring.push(78);
	longs.push(-5);
	throwing(3);
	gate("main"); /* gate: main */
	I(number);
	I(derived.own);
	I(derived.base_value);
	S(derived.name.c_str()); /* lua: derived.name gdb: derived.name */
	I(derived.list[1]);
	I(diamond.root_value);
	I(diamond.left);
	I(ring.items[1]);
	I(longs.items[0]);
	I(base->base_value);
	I(other);
	return 0;
}
