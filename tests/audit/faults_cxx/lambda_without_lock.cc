/* What a thread runs is a lambda expression that forgets the lock. */
#include <mutex>
#include <thread>

class Ticker {
public:
	void start()
	{
		thread_ = std::thread([this] {
			for (int i = 0; i < 100; i++)
				ticks_++; /* finding: P3 ticks_ */
		});
	}

	int ticks()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return ticks_;
	}

	void reset()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		ticks_ = 0;
	}

	void stop()
	{
		thread_.join();
	}

private:
	std::mutex mutex_;
	int ticks_ = 0;
	std::thread thread_;
};
