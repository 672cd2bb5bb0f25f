/* A lock and its guard are classes of the project itself, over pthreads. */
#include <pthread.h>

class Mutex {
public:
	Mutex() { pthread_mutex_init(&mutex_, nullptr); }
	~Mutex() { pthread_mutex_destroy(&mutex_); }
	void Lock() { pthread_mutex_lock(&mutex_); }
	void Unlock() { pthread_mutex_unlock(&mutex_); }

private:
	pthread_mutex_t mutex_;
};

class MutexLock {
public:
	explicit MutexLock(Mutex *mutex) : mutex_(mutex) { mutex_->Lock(); }
	~MutexLock() { mutex_->Unlock(); }

private:
	Mutex *const mutex_;
};

class Table {
public:
	void put(int key, int value)
	{
		MutexLock lock(&mutex_);
		if (values_[key])
			return;
		values_[key] = value;
	}

	int get(int key)
	{
		MutexLock lock(&mutex_);
		return values_[key];
	}

	int sum()
	{
		int sum = 0;
		for (int i = 0; i < 64; i++) {
			MutexLock lock(&mutex_);
			if (!values_[i])
				continue;
			sum += values_[i];
		}
		return sum;
	}

private:
	Mutex mutex_;
	int values_[64] = {};
};
