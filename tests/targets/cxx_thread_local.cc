/* thread_local objects: built on first use, destroyed at the end of each thread, in reverse order. */
// lang: c++
// arrivals: 8
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> built, destroyed;

struct tracked {
	int n = 0;
	tracked()
	{
		built++;
	}
	~tracked()
	{
		destroyed += n; /* gate: here */
	}
};

static thread_local tracked mine;

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++)
		threads.emplace_back([] { mine.n++; });
	for (auto &t : threads)
		t.join();
	printf("built %d destroyed %d\n", built.load(), destroyed.load());
	return 0;
}
