/* Readers share the lock; writers have it alone. */
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

class Names {
public:
	std::string find(int key) const
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		auto found = names_.find(key);
		if (found == names_.end())
			return "";
		return found->second;
	}

	void add(int key, std::string name)
	{
		std::unique_lock<std::shared_mutex> lock(mutex_);
		names_[key] = std::move(name);
	}

	void clear()
	{
		mutex_.lock();
		names_.clear();
		mutex_.unlock();
	}

	bool empty() const
	{
		mutex_.lock_shared();
		bool is = names_.empty();
		mutex_.unlock_shared();
		return is;
	}

private:
	mutable std::shared_mutex mutex_;
	std::map<int, std::string> names_;
};
