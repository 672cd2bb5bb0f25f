#include <cstdio>
#include <string>
#include <vector>
#include <stdexcept>

volatile int sink;
__attribute__((noinline)) int f(int i) { if (i % 3 == 0) throw i; sink = i; return i; }
__attribute__((noinline)) void g(int i) { sink = i; }
__attribute__((noinline)) int take(const std::string &s, int i) { sink = i; return (int)s.size(); }
struct Guard { int n; Guard(int i) : n(i) { sink = i; } ~Guard() { sink = n; } };

static void one_line(int i)
{
	try { f(i); } catch (...) { g(i); } // gate: t1 9
}

static void many_lines(int i)
{
	try {
		g(i); // gate: t2 9
		f(i); // gate: t3 9
		g(i + 1); // gate: t4 6
	} catch (int e) { // gate: t5 3
		g(e); // gate: t6 3
	}
	sink = i; // gate: t7 9
}

static void temporary(int i)
{
	try {
		take(std::string("hello, a rather long text"), f(i)); // gate: t8 9
	} catch (int) {
		sink = 0; // gate: t9 3
	}
}

static void guarded(int i)
{
	try {
		Guard a(i); // gate: t10 9
		Guard b(i + 1); // gate: t11 9
		f(i); // gate: t12 9
		sink = a.n; // gate: t13 6
	} catch (...) {
		sink = 1; // gate: t14 3
	}
}

static int looped(int n)
{
	int all = 0; // gate: t15 1
	for (int i = 1; i <= n; i++) {
		std::string s(i, 'x'); // gate: t16 9
		try {
			all += f(i); // gate: t17 9
			continue; // gate: t18 6
		} catch (int e) {
			all -= e; // gate: t19 3
		}
		g(all); // gate: t20 3
	}
	return all; // gate: t21 1
}

static int rethrows(int i)
{
	Guard a(i); // gate: t22 9
	try {
		return f(i) + take("abc", i); // gate: t23 9
	} catch (int) {
		g(i); // gate: t24 3
		throw std::runtime_error("again " + std::to_string(i)); // gate: t25 3
	}
}

static void nested(int i)
{
	try {
		std::vector<int> v(i); // gate: t26 9
		v.push_back(f(i)); // gate: t27 9
		try {
			v.push_back(f(i + 1)); // gate: t28 6
		} catch (int) {
			v.clear(); // gate: t29 3
		}
		sink = (int)v.size(); // gate: t30 6
	} catch (int e) {
		sink = e; // gate: t31 3
	}
}

int main()
{
	for (int i = 1; i <= 9; i++) {
		one_line(i);
		many_lines(i);
		temporary(i);
		guarded(i);
		try { rethrows(i); } catch (const std::exception &e) { sink = e.what()[0]; } // gate: t32 9
		nested(i);
	}
	looped(9);
	return 0;
}
