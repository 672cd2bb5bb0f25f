// bshoshany/thread-pool issue 93: a pool that ends at once is never joined. Needs BS_thread_pool.hpp:
// v3.3.0 has the bug, v3.4.0 the repair.
#include <BS_thread_pool.hpp>

int main()
{
	BS::thread_pool pool(2);
	pool.push_task([] {});
	pool.wait_for_tasks();
	return 0;
}
