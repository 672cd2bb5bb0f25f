// std::atomic::wait sees values, not changes: one that is changed and changed back was never there.
// The waiter looks after the pulse: it waits for ever. The twin leaves the value changed.
#include <atomic>
#include <thread>
#include "bug.h"

static std::atomic<int> phase, arrived;

static void wait_for_phase()
{
	arrived = 1;
	arrived.notify_one();
	phase.wait(0);
}

static void pulse()
{
	arrived.wait(0);
	phase = 1;
	phase.notify_all();
	give_time();
	if (!FIXED)
		phase = 0;
}

int main()
{
	std::thread waiter(wait_for_phase), setter(pulse);

	waiter.join();
	setter.join();
	return 0;
}
