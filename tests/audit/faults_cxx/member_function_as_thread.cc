/* A thread runs a member function, for the object whose address it gets. */
#include <mutex>
#include <thread>

class Worker {
public:
	void start()
	{
		thread_ = std::thread(&Worker::run, this);
	}

	int done()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return done_;
	}

	void clear()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		done_ = 0;
	}

private:
	void run()
	{
		for (int i = 0; i < 10; i++)
			done_ += i; /* finding: P3 done_ */
	}

	std::mutex mutex_;
	int done_ = 0;
	std::thread thread_;
};
