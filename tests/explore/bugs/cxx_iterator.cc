// Iterator invalidation: a vector is walked while another thread appends to it, which moves it.
// The reader has its iterators, the writer moves the items, the reader reads what was freed.
#include <mutex>
#include <thread>
#include <vector>
#include "bug.h"

static std::vector<unsigned long> items = {7, 7};
static std::mutex lock;

static void append()
{
	std::unique_lock<std::mutex> guard(lock, std::defer_lock);

	if (FIXED)
		guard.lock();
	items.push_back(7);
}

static void walk()
{
	std::unique_lock<std::mutex> guard(lock, std::defer_lock);

	if (FIXED)
		guard.lock();
	for (const volatile unsigned long &item : items)
		check(item == 7, "nobody stored that");
}

int main()
{
	std::thread reader(walk), writer(append);

	reader.join();
	writer.join();
	return 0;
}
