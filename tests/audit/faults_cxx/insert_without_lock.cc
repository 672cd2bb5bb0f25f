/* A member function of a container that is not const writes it. */
#include <mutex>
#include <string>
#include <unordered_map>

namespace config {

struct Settings {
	std::mutex mutex;
	std::unordered_map<std::string, std::string> values;

	std::string get(const std::string &name)
	{
		std::lock_guard<std::mutex> guard(mutex);
		return values[name];
	}

	bool has(const std::string &name)
	{
		std::lock_guard<std::mutex> guard(mutex);
		return values.count(name) > 0;
	}

	void set(const std::string &name, const std::string &value)
	{
		values.insert_or_assign(name, value); /* finding: P3 values */
	}
};

} // namespace config
