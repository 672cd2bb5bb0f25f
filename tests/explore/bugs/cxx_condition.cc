// std::condition_variable: an atomic flag is set and notified without the mutex.
// The waiter has looked at the flag and not yet gone to sleep: the notification is lost.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include "bug.h"

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<bool> ready;

static void tell()
{
	if (FIXED) {
		std::lock_guard<std::mutex> guard(lock);
		ready = true;
	} else {
		ready = true;
	}
	changed.notify_one();
}

int main()
{
	std::thread teller(tell);
	std::unique_lock<std::mutex> guard(lock);

	while (!ready)
		changed.wait(guard);
	guard.unlock();
	teller.join();
	return 0;
}
