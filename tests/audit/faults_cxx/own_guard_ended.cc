/* A guard class of the project itself, over pthreads, which ends too early. */
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
		values_[key] = value;
		used_++;
	}

	int get(int key)
	{
		{
			MutexLock lock(&mutex_);
			if (!used_)
				return 0;
		}
		return values_[key]; /* finding: P3 values_ */
	}

	void clear()
	{
		MutexLock lock(&mutex_);
		for (int &value : values_)
			value = 0;
		used_ = 0;
	}

	int first()
	{
		MutexLock lock(&mutex_);
		return values_[0];
	}

private:
	Mutex mutex_;
	int values_[64] = {};
	int used_ = 0;
};
