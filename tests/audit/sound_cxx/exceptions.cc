/* A throw runs the destructors; what catches it locks anew. */
#include <mutex>
#include <stdexcept>

class Parser {
public:
	int parse(int token)
	{
		try {
			std::lock_guard<std::mutex> guard(mutex_);
			if (token < 0)
				throw std::runtime_error("token");
			last_ = token;
			return last_;
		} catch (const std::exception &) {
			std::lock_guard<std::mutex> guard(mutex_);
			errors_++;
		}
		return -1;
	}

	int errors()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return errors_ + last_;
	}

private:
	std::mutex mutex_;
	int last_ = 0, errors_ = 0;
};
