/* The state is behind a std::unique_ptr, with its lock. */
#include <memory>
#include <mutex>

class Client {
public:
	Client() : impl_(std::make_unique<Impl>()) {}

	void send()
	{
		std::lock_guard<std::mutex> guard(impl_->mutex);
		impl_->sent++;
	}

	void fail()
	{
		std::lock_guard<std::mutex> guard(impl_->mutex);
		impl_->sent = 0;
	}

	int sent() const
	{
		return impl_->sent; /* finding: P3 sent */
	}

private:
	struct Impl {
		std::mutex mutex;
		int sent = 0;
	};

	std::unique_ptr<Impl> impl_;
};
