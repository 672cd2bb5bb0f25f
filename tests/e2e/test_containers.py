"""Containers of the C++ library in conditions, in scripts and in the REPL: sizes, elements, keys."""

from harness import compile_text, params

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
BUILDS = ["g++ -O0", "g++ -O2", "clang++ -O0", "clang++ -O2"]
CONDITIONS = [
    ":when(function(hit) return #hit.var.this.writers_ == 2 end)",
    ":when(function(hit) return #hit.var.this.log_ == 2 and hit.var.this.names_[4] and hit.var.this.names_[3] == 'writer' end)",
    ":when(function(hit) return hit.var.this.totals_.all == 7 end)",
    ':when "this->writers_.size() == 2 && (this->writers_[1] == 4 || this->writers_[1] == 3)"',
    ':when [[this->totals_["all"] == 7]]',
]


def build_store(build):
    compiler, level = build.split()
    return compile_text("store.cpp", STORE, "-g -std=c++17 -pthread " + level, compiler=compiler)


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
    script = """at "Store::finish" :when "this->writers_.size() == 2" :run(function(hit)
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
    commands = ["gate Store::finish", 'at "Store::finish":when "this->writers_.size() == 2"', "run", "print main this->totals_",
                'print main this->totals_["all"] + 1', "print main this->log_.size()", "print main this->writers_", "quit"]
    r = t.gate("repl", build_store(build), stdin=("\n".join(commands) + "\n").encode())
    t.check('{["all"] = 7}\n8\n2\n{' in r.stdout, "values", r)


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
