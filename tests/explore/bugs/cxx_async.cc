// std::async and a shared sum: each += is a load and a store, atomic one by one and not together.
// Both tasks load before either stores: one part of the sum is lost.
#include <atomic>
#include <future>
#include "bug.h"

static std::atomic<int> sum;

static void add(int part)
{
	if (FIXED) {
		sum += part;
		return;
	}
	int before = sum.load();
	sum.store(before + part);
}

int main()
{
	auto one = std::async(std::launch::async, add, 3);
	auto two = std::async(std::launch::async, add, 4);

	one.get();
	two.get();
	check(sum == 7, "a part is missing");
	return 0;
}
