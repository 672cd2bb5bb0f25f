/* unique_lock is unlocked before the last use of what it guards. */
#include <mutex>
#include <vector>

class Log {
public:
	void add(int line)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		lines_.push_back(line);
		lock.unlock();
		if (lines_.size() > 100) /* finding: P3 lines_ */
			trim();
	}

	void trim()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		lines_.clear();
	}

	int last()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return lines_.empty() ? 0 : lines_.back();
	}

private:
	std::mutex mutex_;
	std::vector<int> lines_;
};
