// boostorg/lockfree issue 59: values leave a queue in another order. Needs boost/lockfree: 1.73.0 has the bug, 1.74.0
// the repair. The other headers are those of another Boost.
#include <boost/lockfree/queue.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>

static boost::lockfree::queue<int> numbers(4);

static void produce(int first)
{
	for (int i = 0; i < 2; i++)
		numbers.push(first + i);
}

// The numbers of one producer grow.
static void consume(int *last)
{
	int number;

	if (numbers.pop(number)) {
		if (number <= last[number / 10]) {
			std::fprintf(stderr, "%d after %d\n", number, last[number / 10]);
			std::exit(1);
		}
		last[number / 10] = number;
	}
}

int main()
{
	int last[2] = {0, 0}, number = 0;

	numbers.push(number); // a queue in use: its first node is one that was pushed
	numbers.pop(number);
	std::thread one(produce, 1), two(produce, 11);

	for (int i = 0; i < 4; i++)
		consume(last);
	one.join();
	two.join();
	for (int i = 0; i < 4; i++)
		consume(last);
	if (last[0] != 2 || last[1] != 12) {
		std::fprintf(stderr, "lost: %d, %d\n", last[0], last[1]);
		return 1;
	}
	return 0;
}
