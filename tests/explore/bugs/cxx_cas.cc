// compare_exchange, and its answer is not looked at: when somebody else was first, nothing is counted.
// Both load before either exchanges: the second exchange fails.
#include <atomic>
#include <thread>
#include "bug.h"

static std::atomic<int> count;

static void count_one()
{
	int seen = count.load();

	if (FIXED) {
		while (!count.compare_exchange_weak(seen, seen + 1))
			;
		return;
	}
	count.compare_exchange_strong(seen, seen + 1);
}

int main()
{
	std::thread one(count_one), two(count_one);

	one.join();
	two.join();
	check(count == 2, "one was not counted");
	return 0;
}
