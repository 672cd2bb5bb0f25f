/* An object is complete before others see it, and taken out before it is deleted. */
#include <mutex>

struct Job {
	Job *next = nullptr;
	int number;

	explicit Job(int n) : number(n) {}
};

class Jobs {
public:
	~Jobs()
	{
		while (first_)
			delete take();
	}

	void add(int number)
	{
		Job *job = new Job(number);
		std::lock_guard<std::mutex> guard(mutex_);
		job->next = first_;
		first_ = job;
	}

	Job *take()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		Job *job = first_;
		if (job)
			first_ = job->next;
		return job;
	}

private:
	std::mutex mutex_;
	Job *first_ = nullptr;
};
