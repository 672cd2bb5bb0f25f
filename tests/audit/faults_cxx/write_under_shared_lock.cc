/* A shared_lock does not exclude other readers, one of which writes. */
#include <map>
#include <mutex>
#include <shared_mutex>

class Names {
public:
	int find(int key)
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		hits_++; /* finding: P3 hits_ */
		auto found = names_.find(key);
		return found == names_.end() ? 0 : found->second;
	}

	void add(int key, int name)
	{
		std::unique_lock<std::shared_mutex> lock(mutex_);
		names_[key] = name;
		hits_ = 0;
	}

	int hits()
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		return hits_;
	}

private:
	std::shared_mutex mutex_;
	std::map<int, int> names_;
	int hits_ = 0;
};
