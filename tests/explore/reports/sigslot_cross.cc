// palacaze/sigslot issue 1: two signals whose slots emit the other one. Needs sigslot/signal.hpp: the parent of 9f0bde7
// has the bug, 9f0bde7 the repair.
#include <atomic>
#include <sigslot/signal.hpp>
#include <thread>

static sigslot::signal<int> first, second;
static std::atomic<int> calls;

static void emit(sigslot::signal<int> *signal)
{
	(*signal)(0);
}

int main()
{
	first.connect([](int depth) {
		calls++;
		if (!depth)
			second(1);
	});
	second.connect([](int depth) {
		calls++;
		if (!depth)
			first(1);
	});
	std::thread one(emit, &first), two(emit, &second);
	one.join();
	two.join();
	return calls == 4 ? 0 : 1;
}
