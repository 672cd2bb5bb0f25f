/* The loop over a container reads it. */
#include <mutex>
#include <vector>

class Registry {
public:
	void add(int id)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		ids_.push_back(id);
	}

	bool has(int id)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		for (int known : ids_)
			if (known == id)
				return true;
		return false;
	}

	int sum()
	{
		int sum = 0;
		for (int id : ids_) /* finding: P3 ids_ */
			sum += id;
		return sum;
	}

private:
	std::mutex mutex_;
	std::vector<int> ids_;
};
