"""gatectl audit on C++: names, units of compile commands, locks of a project, attributes, templates."""

from harness import line_of
from test_audit import NOTE, commands, found, sound, told

BOX = """#include <pthread.h>
namespace ns {
class Box {
public:
	int get() { pthread_mutex_lock(&lock); int is = n; pthread_mutex_unlock(&lock); return is; }
	void add(int k) { pthread_mutex_lock(&lock); n += k; pthread_mutex_unlock(&lock); }
private:
	pthread_mutex_t lock;
	int n = 0;
	friend class Peer;
};
class Peer {
public:
	explicit Peer(Box &box) : box_(box) {}
	void clear() { set(0); } // from
	void later() { auto work = [this](int k) { set(k); }; work(1); }
private:
	void set(int k) { box_.n = k; } // here
	Box &box_;
};
}
ns::Peer make(ns::Box &box) { return ns::Peer(box); }
"""


def test_names(t):
    """Names are those of the language; the way there, from a public member function."""
    path = t.file("box.cc", BOX)
    r = told(t, line_of(BOX, "// here"), "box.cc", path)
    t.check("'n' of struct ns::Box is written without 'lock', which is held at 2 of 3 places; in Peer::set [P3]\n" in r.stdout, "the text", r)
    t.check((path, str(line_of(BOX, "// from")), "17", "from here, in Peer::clear") in NOTE.findall(r.stdout), "the way", r)
    told(t, line_of(BOX, "// here"), "box.cc", "--type", "ns::Box", path)


def test_units(t):
    """A class in a header, its functions in two units, with the standard and macros of their commands."""
    t.file("gauge.h", "#include <mutex>\nclass Gauge { std::mutex lock_; int VALUE = 0; public: int get(); void set(int n); void clear(); };\n")
    t.file("one.cpp", '#include "gauge.h"\nint Gauge::get() { std::scoped_lock guard(lock_); return n_; }\n'
                      "void Gauge::set(int n) { std::scoped_lock guard(lock_); n_ = n; }\n")
    t.file("two.cxx", '#include "gauge.h"\nvoid Gauge::clear() { n_ = 0; }\n')
    units = [{"directory": t.tmp, "file": name, "arguments": ["c++", "-std=c++17", "-DVALUE=n_", "-c", name]} for name in ("one.cpp", "two.cxx")]
    sound(t, "-p", commands(t, units[0]))
    told(t, 2, "two.cxx", "-p", commands(t, *units))


LATCH = """class Latch { public: void enter(); void leave(); int state; };
/* @thread_safe */
class Door {
public:
	int get() { latch_.enter(); int n = n_; latch_.leave(); return n; }
	void set(int n) { latch_.enter(); n_ = n; latch_.leave(); }
	int keep() { latch_.enter(); if (n_) return 1; latch_.leave(); return 0; }
	void bad(int n) { n_ = n; }
private:
	Latch latch_;
	int n_ = 0;
};
"""


def test_own_locks(t):
    """Member functions that take and release a lock, whose bodies cannot be seen."""
    path = t.file("door.cc", LATCH)
    expected = [("door.cc", 7, "return-with-lock"), ("door.cc", 8, "P3")]
    found(t, expected, "--lock", "Latch::enter", "--unlock", "Latch::leave", path)
    found(t, expected, "--lock", "enter", "--unlock", "leave", path)


def test_required(t):
    """An attribute of -Wthread-safety says that callers hold the lock: they are judged, not the function."""
    text = BOX.replace("	friend class Peer;", "public:\n	void reset() __attribute__((requires_capability(lock))) { n = 0; }").split("class Peer")[0]
    text = text.replace("class Box", 'class __attribute__((capability("mutex"))) Box') + "}\n"
    sound(t, t.file("box.cc", text))
    without = text.replace("__attribute__((requires_capability(lock)))", "")
    told(t, line_of(without, "void reset"), "without.cc", t.file("without.cc", without))


TEMPLATES = """#include <pthread.h>
struct Mutex { pthread_mutex_t m; void lock() { pthread_mutex_lock(&m); } void unlock() { pthread_mutex_unlock(&m); } };
template <class M> struct Held { M &m; explicit Held(M &of) : m(of) { m.lock(); } ~Held() { m.unlock(); } };
template <class T> class Cell {
	Mutex lock_;
	T value_{};
public:
	T get() { Held<Mutex> held(lock_); return value_; }
	void set(T value) { Held<Mutex> held(lock_); value_ = value; }
	void twice(T value) { set(value); set(value); }
	void unused(T value) { value_ = value; }
};
"""


def test_instances(t):
    """What is used of a template is read, once for the place; what nothing uses is not."""
    path = t.file("cell.cc", TEMPLATES)
    r = sound(t, path)
    t.check(", 1 struct and 0 variables that threads may share, " in r.stdout, "the lock alone", r)
    use = "void use(Cell<int> &a, Cell<long> &b) { a.twice(a.get()); b.twice(b.get()); }\n"
    r = sound(t, t.file("used.cc", TEMPLATES + use))
    t.check(", 3 structs and 0 variables that threads may share, " in r.stdout, "both instances", r)
    r = told(t, line_of(TEMPLATES, "void unused"), "both.cc", t.file("both.cc", TEMPLATES + use + "void more(Cell<int> &a) { a.unused(1); }\n"))
    t.check("'value_' of struct Cell<int> " in r.stdout, "the instance", r)
