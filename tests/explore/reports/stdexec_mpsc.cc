// NVIDIA/stdexec pull request 1812: a queue gives a node twice, loses one, or gives one that nobody put there. Needs
// __intrusive_mpsc_queue.hpp: the parent of e81bceb has the bug, e81bceb the repair.
#include <atomic>
#include <cstdio>
#include <stdexec/__detail/__intrusive_mpsc_queue.hpp>
#include <thread>

#ifdef FIXED
struct node {
	STDEXEC::__std::atomic<node *> next{nullptr};
	int seen = 0;
};
#else
struct node {
	STDEXEC::__std::atomic<void *> next{nullptr};
	int seen = 0;
};
#endif

static STDEXEC::__intrusive_mpsc_queue<&node::next> queue;
static node nodes[3];

static bool pop()
{
	node *n = queue.pop_front();

	if (!n)
		return false;
	if (n < nodes || n >= nodes + 3 || n->seen++) {
		std::fprintf(stderr, "a node that was not put there\n");
		std::exit(1);
	}
	return true;
}

int main()
{
	std::thread one([] {
		queue.push_back(&nodes[0]);
		queue.push_back(&nodes[1]);
	});
	std::thread two([] { queue.push_back(&nodes[2]); });
	int count = 0;

	for (int i = 0; i < 4; i++)
		count += pop();
	one.join();
	two.join();
	for (int i = 0; i < 4; i++)
		count += pop();
	if (count != 3) {
		std::fprintf(stderr, "%d of 3 nodes\n", count);
		return 1;
	}
	return 0;
}
