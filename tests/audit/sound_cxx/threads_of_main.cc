/* Function pointers, member functions and jthread: set-up before, results after. */
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

struct Total {
	std::mutex mutex;
	long sum = 0;

	void add(long n)
	{
		std::lock_guard<std::mutex> guard(mutex);
		sum += n;
	}
};

static void add_all(Total &total, int last)
{
	for (int i = 0; i < last; i++)
		total.add(i);
}

int main()
{
	Total total;
	std::vector<std::thread> threads;

	total.sum = 1;
	{
		std::jthread one(add_all, std::ref(total), 10);
		std::jthread two(&Total::add, &total, 4);
	}
	for (int i = 0; i < 3; i++)
		threads.emplace_back(add_all, std::ref(total), i);
	for (auto &thread : threads)
		thread.join();
	return total.sum == 0;
}
