/* The condition is waited for with the lock; what follows is done without. */
#include <condition_variable>
#include <mutex>
#include <queue>

class Mailbox {
public:
	void send(int message)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		messages_.push(message);
		filled_.notify_one();
	}

	int receive()
	{
		{
			std::unique_lock<std::mutex> lock(mutex_);
			filled_.wait(lock, [this] { return !messages_.empty(); });
		}
		int message = messages_.front(); /* finding: P3 messages_ */
		messages_.pop();
		return message;
	}

	bool is_empty()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return messages_.empty();
	}

private:
	std::mutex mutex_;
	std::condition_variable filled_;
	std::queue<int> messages_;
};
