/* The lambda locks; set-up is before the thread, the result is read after the join. */
#include <mutex>
#include <thread>

class Ticker {
public:
	explicit Ticker(int limit) : limit_(limit)
	{
		thread_ = std::thread([this] {
			for (int i = 0; i < limit_; i++) {
				std::lock_guard<std::mutex> guard(mutex_);
				ticks_++;
			}
		});
	}

	~Ticker()
	{
		thread_.join();
		last = ticks_;
	}

	int ticks()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return ticks_;
	}

	static int last;

private:
	const int limit_;
	std::mutex mutex_;
	int ticks_ = 0;
	std::thread thread_;
};

int Ticker::last;
