/* The constructor makes a thread, and sets a member behind that. */
#include <mutex>
#include <thread>

class Poller {
public:
	explicit Poller(int period)
	{
		thread_ = std::thread(&Poller::run, this);
		period_ = period; /* finding: P2 period_ */
	}

	~Poller()
	{
		thread_.join();
	}

	int period()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return period_;
	}

private:
	void run()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		left_ = period_;
	}

	std::mutex mutex_;
	int period_ = 0;
	int left_ = 0;
	std::thread thread_;
};
