"""Containers of the C++ library in conditions, in scripts and in the REPL: sizes, elements, keys."""

import re
import subprocess

from harness import Skip, compile_text, params

STORE = r"""
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
class Store {
public:
	void write(int id);
	int finish();
private:
	std::mutex mutex_;
	std::deque<int> writers_;
	std::list<std::string> log_;
	std::map<std::string, int> totals_;
	std::unordered_map<int, std::string> names_;
};
__attribute__((noinline)) void Store::write(int id)
{
	std::lock_guard<std::mutex> lock(mutex_);
	writers_.push_back(id);
	log_.push_back("w" + std::to_string(id));
	totals_["all"] += id;
	names_[id] = "writer";
}
__attribute__((noinline)) int Store::finish()
{
	std::lock_guard<std::mutex> lock(mutex_); /* finish */
	return (int)writers_.size();
}
int main()
{
	Store store;
	std::thread a(&Store::write, &store, 3), b(&Store::write, &store, 4);
	int n = store.finish();
	a.join();
	b.join();
	std::printf("%d\n", n);
	return n != 2;
}
"""
BUILDS = ["g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2", "libc++ -O0", "libc++ -O2"]
LIBCXX = "#if !__has_include(<__config>)\n#error\n#endif\nint main() { return 0; }\n"
CONDITIONS = [
    ":when(function(hit) return #hit.var.this.writers_ == 2 end)",
    ":when(function(hit) return #hit.var.this.log_ == 2 and hit.var.this.names_[4] and hit.var.this.names_[3] == 'writer' end)",
    ":when(function(hit) return hit.var.this.totals_.all == 7 end)",
    ':when "this->writers_.size() == 2 && (this->writers_[1] == 4 || this->writers_[1] == 3)"',
    ':when [[this->totals_["all"] == 7]]',
]


def compile_cxx(name, text, build, flags):
    """`build`: g++ or clang++, each with libstdc++, or libc++ with clang++."""
    if build != "libc++":
        return compile_text(name, text, flags, compiler=build)
    if subprocess.run(["clang++", "-stdlib=libc++", "-x", "c++", "-o", "/dev/null", "-"], input=LIBCXX.encode(), stderr=subprocess.DEVNULL).returncode:
        raise Skip("no libc++ here (apt-get install libc++-dev libc++abi-dev)")
    return compile_text("libcxx_" + name, text, flags + " -stdlib=libc++", compiler="clang++")


def build_store(build):
    library, level = build.split()
    return compile_cxx("store.cpp", STORE, library, "-g -std=c++17 -pthread " + level)


@params(*BUILDS)
def test_conditions(t, build):
    """The condition is evaluated again as the containers grow, and holds main until both writers have written."""
    program = build_store(build)
    for condition in CONDITIONS:
        r = t.clean(t.run_gated(program, 'at "Store::finish"' + condition + " expect { exit = 0 }"))
        t.equal(r.stdout, "2\n", condition, r)


@params(*BUILDS)
def test_pairs(t, build):
    """pairs gives the keys of a map and the numbers of a list, in the order of the container."""
    script = """at "Store::finish" :when(function(hit)
    local names = hit.var.this.names_
    return names[3] == "writer" and names[4] == "writer"  -- what is written last
end) :run(function(hit)
    local sum = 0
    for key, value in pairs(hit.var.this.totals_) do print(key, value) end
    for i, text in pairs(hit.var.this.log_) do sum = sum + i; print("log", #text) end
    for id, name in pairs(hit.var.this.names_) do sum = sum + id; print("name", name) end
    print(sum, hit.var.this.names_[5])
    print(pcall(function() return hit.var.this.log_[2] end))
end)"""
    r = t.run_gated(build_store(build), script)
    lines = [l.removeprefix("gatectl: ") for l in r.err.splitlines()]
    for want in ("all\t7", "log\t2", "name\twriter", "8\tnil"):
        t.check(want in r.err, want, r)
    t.check("there is no element 2" in r.err, "an element that is not there", r)
    t.equal(len([l for l in lines if "name\twriter" in l]), 2, "names", r)


@params(*BUILDS)
def test_print(t, build):
    """print of the REPL."""
    commands = ["gate Store::finish", 'at "Store::finish":when "this->names_.size() == 2"', "run", "print main this->totals_",
                'print main this->totals_["all"] + 1', "print main this->log_.size()", "print main this->writers_", "quit"]
    r = t.gate("repl", build_store(build), stdin=("\n".join(commands) + "\n").encode())
    t.check('std::map with 1 element = {["all"] = 7}\n8\n2\nstd::deque with 2 elements = {' in r.stdout, "values", r)


CHANGING = r"""
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>
std::vector<int> numbers;
uintptr_t torn[3], whole[3]; /* a vector's first, last and end */
std::thread helper;
__attribute__((noinline)) void finish()
{
	__asm__ volatile("" ::: "memory");
}
void mend()
{
	std::memcpy((void *)&numbers, whole, sizeof(whole));
}
int main()
{
	numbers = {1, 2, 3};
	std::memcpy(whole, (void *)&numbers, sizeof(whole));
	std::memcpy(torn, whole, sizeof(torn));
	torn[0] += 64; /* behind the last: as while its memory moves */
	std::memcpy((void *)&numbers, torn, sizeof(torn));
	helper = std::thread(mend);
	finish();
	helper.join();
	return 0;
}
"""


@params(':when(function(hit) return #program.var.numbers == 3 end)', ':when "numbers.size() == 3"',
        ":run(function(hit) wait_until(function() return #program.var.numbers == 3 end) end)")
def test_changing(t, condition):
    """A container that is not valid at the moment keeps the thread held, and is asked again."""
    program = compile_text("changing.cpp", CHANGING, "-g -std=c++17 -pthread -O0", compiler="g++")
    script = 'local held = SimpleGate "held" at "mend":wait(held) at "finish":open(held)%s' % condition
    t.clean(t.run_gated(program, script))


PRINTED = r"""
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>
struct Point { int x, y; };
int twice(int x)
{
	return 2 * x;
}
struct Throws {
	Throws() = default;
	Throws(const Throws &) { throw 1; }
};
__attribute__((noinline)) void stop(void *)
{
	__asm__ volatile("" ::: "memory");
}
int main()
{
	using namespace std::chrono_literals;
	std::map<std::string, int> map{{"one", 1}, {"two", 2}};
	std::unordered_map<int, Point> hashed{{7, {1, 2}}};
	std::set<int> set{3, 1, 2}, empty;
	std::deque<int> deque{4, 5};
	std::list<std::string> list{"a"};
	std::vector<int> vector{1, 2, 3};
	std::vector<bool> bits{true, false};
	std::variant<int, std::string, Point> number(42), text(std::string("t")), point(Point{3, 4});
	std::variant<int, Throws> nothing(1);
	try {
		Throws t;
		nothing.emplace<Throws>(t);
	} catch (int) {
	}
	std::function<int(int)> function(twice), none, lambda([&](int x) { return x + (int)map.size(); });
	std::string_view view("a view of text", 6);
	std::chrono::milliseconds ms(1500);
	std::chrono::duration<double> half(0.5);
	std::chrono::duration<int, std::ratio<1, 30>> frames(7);
	std::chrono::duration<int, std::ratio<86400>> days(2);
	auto date = std::chrono::system_clock::time_point(1700000000s);
	auto steady = std::chrono::steady_clock::time_point(17s);
	std::map<int, std::variant<int, Point>> inner{{1, 2}, {3, Point{4, 5}}};
	std::vector<std::chrono::seconds> delays{1s, 2s};
	stop(&map);
	return (int)(ms.count() * 0);
}
"""
AS_GDB = {
    "map": 'std::map with 2 elements = {["one"] = 1, ["two"] = 2}',
    "hashed": "std::unordered_map with 1 element = {[7] = {x = 1, y = 2}}",
    "set": "std::set with 3 elements = {1, 2, 3}",
    "empty": "std::set with 0 elements = {}",
    "deque": "std::deque with 2 elements = {4, 5}",
    "list": 'std::list with 1 element = {"a"}',
    "vector": "std::vector of length 3, capacity 3 = {1, 2, 3}",
    "bits": "std::vector<bool> of length 2, capacity 64 = {true, false}",
    "number": "std::variant<int, std::string, Point> [index 0] = {42}",
    "text": 'std::variant<int, std::string, Point> [index 1] = {"t"}',
    "point": "std::variant<int, std::string, Point> [index 2] = {{x = 3, y = 4}}",
    "nothing": "std::variant<int, Throws> [no contained value]",
    "function": "std::function = {twice(int)}",
    "none": "std::function = {no target}",
    "lambda": r"std::function = {main::(\{lambda\(int\)#1\}|\$_0)}",
    "view": '"a view"',
    "ms": "std::chrono::duration = { 1500ms }",
    "half": "std::chrono::duration = { 0.5s }",
    "frames": "std::chrono::duration = { 7[1/30]s }",
    "days": "std::chrono::duration = { 2d }",
    "date": "std::chrono::sys_time = { 1700000000000000000ns [2023-11-14 22:13:20] }",
    "steady": "std::chrono::steady_clock time_point = { 17000000000ns }",
    "inner": "std::map with 2 elements = {[1] = 2, [3] = {x = 4, y = 5}}",
    "delays": "std::vector of length 2, capacity 2 = {1s, 2s}",
    "point.y": "4",
    "number + 1": "43",
}


LIBCXX_CLOCK = "std::chrono::sys_time = { 1700000000000000us [2023-11-14 22:13:20] }"  # its system_clock counts microseconds


@params("g++", "clang++", "libc++")
def test_printed_as_by_gdb(t, library):
    """As gdb's printers for libstdc++ show them; std::function, for which they have none, by its target."""
    program = compile_cxx("printed.cpp", PRINTED, library, "-g -std=c++17 -O0")
    commands = ["until main main;stop(&map)", *("print main " + name for name in AS_GDB), "quit"]
    r = t.gate("repl", program, stdin=("\n".join(commands) + "\n").encode())
    shown = r.stdout.splitlines()[2:]
    t.equal(len(shown), len(AS_GDB), "lines", r)
    for (name, want), got in zip(AS_GDB.items(), shown):
        want = LIBCXX_CLOCK if (library, name) == ("libc++", "date") else want
        t.check(got == want or (name == "lambda" and re.fullmatch(want, got)), "%s: %r, expected %r" % (name, got, want), r)


MANY = r"""
#include <array>
#include <atomic>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
struct Point { int x, y; };
struct Wide { long a[30]; };
__attribute__((noinline)) void stop(void *)
{
	__asm__ volatile("" ::: "memory");
}
int main()
{
	std::string shorter("short"), longer("a text that is longer than any short string can be"), none;
	std::wstring wide(L"wide"), widelong(L"a wide text that is longer than a short one");
	std::u16string sixteen(u"sixteen");
	std::vector<std::string> texts{"a", "a text that is longer than any short string can be"};
	std::vector<bool> manybits(130, true);
	std::vector<int> reserved;
	reserved.reserve(10);
	reserved.push_back(1);
	std::vector<int> nothing;
	std::deque<int> popped;
	for (int i = 0; i < 3000; i++)
		popped.push_back(i);
	popped.erase(popped.begin(), popped.end() - 2);
	std::deque<Wide> wides(20, Wide{{1, 2}});
	std::deque<int> nodeque;
	std::list<int> nolist, ints{1, 2, 3};
	std::forward_list<int> forward{1, 2}, noforward;
	std::map<int, char> small{{1, 'a'}};
	std::map<char, double> odd{{'a', 1.5}};
	std::map<int, int> many;
	for (int i = 0; i < 20; i++)
		many[i] = i * i;
	std::multimap<int, int> multi{{1, 2}, {1, 3}};
	std::set<char> chars{'a', 'b'};
	std::set<std::string> names{"one", "two"};
	std::multiset<int> multiset{1, 1};
	std::unordered_map<std::string, int> counts{{"one", 1}};
	std::unordered_map<int, char> noun;
	std::unordered_multimap<int, int> umulti{{1, 2}};
	std::unordered_set<int> uset{5};
	std::unordered_set<std::string> usets{"t"};
	std::unordered_multiset<int> umset{5, 5};
	std::stack<int> stack(std::deque<int>{1});
	std::queue<int> queue(std::deque<int>{2});
	std::priority_queue<int> prio(std::less<int>(), std::vector<int>{3});
	std::array<int, 3> array{1, 2, 3};
	std::array<std::string, 2> arrays{"a", "b"};
	std::atomic<int> atomic{5};
	std::atomic<bool> flag{true};
	std::atomic<Point *> apoint{nullptr};
	std::optional<int> some(3), no;
	std::optional<std::string> sometext("o");
	std::unique_ptr<int> unique(new int(7)), nounique;
	std::shared_ptr<Point> shared(new Point{1, 2}), made = std::make_shared<Point>(Point{3, 4}), noshared;
	std::weak_ptr<Point> weak = made, gone = std::make_shared<Point>();
	std::pair<int, std::string> pair(1, "p");
	std::reference_wrapper<int> ref(array[1]);
	std::vector<std::pair<int, Point>> pairs{{1, {2, 3}}};
	std::vector<std::unique_ptr<int>> owners(2);
	std::map<std::string, std::vector<int>> nested{{"k", {1, 2}}};
	stop(&many);
	return 0;
}
"""
PRINTED_ALIKE = """shorter longer none wide widelong sixteen texts manybits reserved nothing popped wides nodeque
    nolist ints forward noforward small odd many multi chars names multiset counts noun umulti uset usets umset stack queue prio array
    arrays atomic flag apoint some no sometext unique *unique nounique shared *shared shared->y noshared weak gone pair ref pairs owners
    nested nested["k"][1] popped[1] texts[1] many[5] counts["one"] shorter.size() popped.size() many.size() *some array[2]""".split()


def test_libcxx_is_printed_as_libstdcxx(t):
    """The value of each container is the same text with both libraries."""
    commands = "".join("%s\n" % c for c in ["until main main;stop(&many)", *("print main " + name for name in PRINTED_ALIKE)])
    shown = []
    for library in ("g++", "libc++"):
        r = t.gate("repl", compile_cxx("many.cpp", MANY, library, "-g -std=c++17 -O0"), stdin=commands.encode())
        shown.append(re.sub("0x[0-9a-f]{2,}", "0xADDRESS", r.stdout).splitlines()[2:])
        t.equal((r.status, len(shown[-1])), (0, len(PRINTED_ALIKE)), "values", r)
    for name, one, other in zip(PRINTED_ALIKE, *shown):
        t.equal(other, one, name)


@params("g++", "clang++", "libc++")
def test_variant_in_a_script(t, library):
    """It stands for the value that it contains, as a std::optional does."""
    program = compile_cxx("printed.cpp", PRINTED, library, "-g -std=c++17 -O0")
    r = t.clean(t.run_gated(program, """at "main;stop(&map)" :when "number == 42 && point.x == 3" :run(function(hit)
    local v = hit.var
    print(v.number + 1, v.text, v.point.y, v.nothing, v.inner[1])
end)"""))
    t.check("43\tt\t4\tnil\t2" in r.err, "values", r)
