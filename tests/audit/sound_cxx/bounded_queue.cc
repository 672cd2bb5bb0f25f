/* Two condition variables, with predicates and in loops. */
#include <condition_variable>
#include <deque>
#include <mutex>

template <class T> class Queue {
public:
	void push(T value)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		not_full_.wait(lock, [this] { return values_.size() < 8; });
		values_.push_back(std::move(value));
		not_empty_.notify_one();
	}

	T pop()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		while (values_.empty())
			not_empty_.wait(lock);
		T value = std::move(values_.front());
		values_.pop_front();
		lock.unlock();
		not_full_.notify_one();
		return value;
	}

	bool empty() const
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return values_.empty();
	}

private:
	mutable std::mutex mutex_;
	std::condition_variable not_full_, not_empty_;
	std::deque<T> values_;
};

int through(Queue<int> &queue)
{
	queue.push(1);
	return queue.empty() ? 0 : queue.pop();
}
