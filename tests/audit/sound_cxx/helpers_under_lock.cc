/* Private member functions, local lambdas and algorithms work under the caller's lock. */
#include <algorithm>
#include <mutex>
#include <vector>

class Points {
public:
	void add(int point)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		insert(point);
	}

	int largest()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		auto larger = [this](int a, int b) { return a + base_ > b ? a : b; };
		int most = 0;
		for (int point : points_)
			most = larger(point, most);
		return most;
	}

	void shift(int by)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		base_ += by;
		std::for_each(points_.begin(), points_.end(), [this](int &point) { point += base_; });
	}

	template <class F> void with(F work)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		work();
	}

	void clear()
	{
		with([this] {
			points_.clear();
			base_ = 0;
		});
	}

private:
	void insert(int point)
	{
		points_.push_back(point);
		std::sort(points_.begin(), points_.end());
	}

	std::mutex mutex_;
	std::vector<int> points_;
	int base_ = 0;
};
