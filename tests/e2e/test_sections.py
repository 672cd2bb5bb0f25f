"""A gate inside of a critical section: the thread that it holds keeps the mutex that the opening thread needs."""

from harness import compile_text, params

KITCHEN = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static char dish[20] = "none", out[20];
static int tables;
static void *cook(void *x)
{
	tables = 2; // gate: begins
	pthread_mutex_lock(&m);
	strcpy(dish, "soup"); // gate: cooks
	pthread_mutex_unlock(&m);
	return x;
}
static void *serve(void *x)
{
	pthread_mutex_lock(&m);
	strcpy(out, dish); // gate: serves
	pthread_mutex_unlock(&m);
	return x;
}
int main(void)
{
	pthread_t c, s = 0;
	pthread_create(&s, NULL, serve, NULL);
	pthread_create(&c, NULL, cook, NULL);
	pthread_join(c, NULL);
	pthread_join(s, NULL);
	return strcmp(out, "none") != 0;
}
"""
# The same with guards, in methods.
GUARDS = r"""
#include <mutex>
#include <thread>
struct table {
	std::mutex lock;
	int dishes = 1;
	void cook()
	{
		std::unique_lock<std::mutex> guard(lock);
		dishes *= 2; // gate: cooks
	}
	void serve()
	{
		std::lock_guard<std::mutex> guard(lock);
		dishes--; // gate: serves
	}
};
int main()
{
	table t;
	std::thread c(&table::cook, &t), s(&table::serve, &t);
	c.join();
	s.join();
	return t.dishes != 0;
}
"""
NOTE = "note: gate //serves -> //cooks was open already when "


@params("gcc -O0", "gcc -O2", "clang -O0", "clang -O2", "g++ -O0", "clang++ -O0")
def test_each_run_tells(t, how):
    """Whichever thread takes the mutex first, the run says that the other order cannot go on."""
    compiler, level = how.split()
    cxx = "++" in compiler
    program = compile_text("kitchen." + ("cc" if cxx else "c"), GUARDS if cxx else KITCHEN, f"-g -pthread {level}", compiler)
    for _ in range(6):
        r = t.gate("run", "--order", "//serves -> //cooks", program)
        t.check(NOTE in r.err or r.first.startswith("gatectl: gate-deadlock: "), "what it says", r)
        t.check(r.status == (122 if NOTE not in r.err else 0), "status", r)


@params("creator", "other mutex", "ordered before", "outside")
def test_orders_that_are_no_chance(t, how):
    text, orders = KITCHEN, ["//serves -> //cooks"]
    if how == "creator":
        text = text.replace("pthread_create(&s, NULL, serve, NULL)", "serve(NULL)").replace("pthread_join(s, NULL)", "(void)s")
    elif how == "other mutex":
        text = text.replace("lock(&m);\n\tstrcpy(out", "lock(&other);\n\tstrcpy(out").replace(
            "serves\n\tpthread_mutex_unlock(&m)", "serves\n\tpthread_mutex_unlock(&other)")
    elif how == "ordered before":
        orders = ["//serves -> //begins", "//serves -> //cooks"]
    else:
        orders = ["//serves -> //begins"]
    program = compile_text("kitchen.c", text, "-g -O0 -pthread")
    for _ in range(6):
        r = t.gate("run", *[x for order in orders for x in ("--order", order)], program)
        t.equal((r.status, r.err), (0, ""), "no note", r)
