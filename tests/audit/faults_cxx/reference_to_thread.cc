/* A function gets a reference by std::ref, and uses the object without its lock. */
#include <functional>
#include <mutex>
#include <thread>

struct Total {
	std::mutex mutex;
	long sum = 0;
};

static void add_all(Total &total, int first, int last)
{
	for (int i = first; i < last; i++)
		total.sum += i; /* finding: P3 sum */
}

static void add_one(Total &total, int n)
{
	std::lock_guard<std::mutex> guard(total.mutex);
	total.sum += n;
}

static long read(Total &total)
{
	std::lock_guard<std::mutex> guard(total.mutex);
	return total.sum;
}

int main()
{
	Total total;
	std::thread one(add_all, std::ref(total), 0, 100);
	std::thread other(add_one, std::ref(total), 5);
	long seen = read(total);

	one.join();
	other.join();
	return seen < 0;
}
