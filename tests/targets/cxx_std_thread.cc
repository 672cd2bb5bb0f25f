/* std::thread with a function, a lambda and a member function, promises and futures in between. */
// lang: c++
// arrivals: 3
#include <cstdio>
#include <future>
#include <thread>

static std::atomic<int> sum;

static void add(int n)
{
	sum += n; /* gate: here */
}

struct worker {
	int factor;
	void run(int n)
	{
		add(n * factor);
	}
};

int main()
{
	worker w{10};
	std::promise<int> p;
	std::thread a(add, 1), b([] { add(2); }), c(&worker::run, &w, 3);
	std::thread d([&p] { p.set_value(500); });
	int got = p.get_future().get();
	a.join();
	b.join();
	c.join();
	d.join();
	printf("sum %d\n", sum.load() + got);
	return 0;
}
