// fplll issue 399: a pool of threads that ends at once hangs. Needs fplll/io/thread_pool.hpp: the parent of 1ed04853
// has the bug, 1ed04853 the repair.
#include <thread_pool.hpp>

int main()
{
	thread_pool::thread_pool pool(2);
	return 0;
}
