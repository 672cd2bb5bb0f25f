/* UCXX, pull request 687, "Fix progress thread shutdown hang after stop callback timeout":
 * https://github.com/rapidsai/ucxx/pull/687
 *
 * Hangs: stop() joins the progress thread, which waits for the next event of the network.
 * When: the progress thread does not reach the posted callback within its time-out. stop() then cancels the callback,
 * which is what sets the flag, and joins all the same.
 * Written from the description: the callback is posted, an event wakes the thread, the time-out is half a second. */
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

class Progress
{
public:
	Progress() : event(eventfd(0, 0)), thread([this] { loop(); })
	{
	}

	~Progress()
	{
		stop();
		close(event);
	}

private:
	void signal()
	{
		std::uint64_t one = 1;

		if (write(event, &one, sizeof one) < 0)
			return;
	}

	/* True if the progress thread has run the callback in time. */
	bool post(std::function<void()> what, std::chrono::milliseconds limit)
	{
		std::unique_lock<std::mutex> lock(mutex);

		callback = std::move(what);
		done = false;
		signal();
		if (changed.wait_for(lock, limit, [this] { return done; }))
			return true;
		callback = nullptr; /* cancelled */
		return false;
	}

	void stop()
	{
		post([this] { stopping = true; }, std::chrono::milliseconds(500));
		signal();
		thread.join();
	}

	void run_callback()
	{
		std::lock_guard<std::mutex> hold(mutex);

		if (!callback)
			return;
		callback();
		callback = nullptr;
		done = true;
		changed.notify_all();
	}

	void wait_for_event()
	{
		pollfd p = {event, POLLIN, 0};
		std::uint64_t count;

		if (poll(&p, 1, -1) == 1 && read(event, &count, sizeof count) < 0)
			return;
	}

	void loop()
	{
		while (!stopping) {
			run_callback();
			if (!stopping)
				wait_for_event();
		}
	}

	int event;
	bool stopping = false; /* of the progress thread alone */
	bool done = false;
	std::function<void()> callback;
	std::mutex mutex;
	std::condition_variable changed;
	std::thread thread;
};

int main()
{
	Progress progress;

	return 0;
}
