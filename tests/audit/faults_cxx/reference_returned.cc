/* A reference to what the lock guards is given out of it. */
#include <mutex>
#include <vector>

class Points {
public:
	void add(int point)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		points_.push_back(point);
	}

	const std::vector<int> &all()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return points_; /* finding: P1 points_ */
	}

private:
	std::mutex mutex_;
	std::vector<int> points_;
};
