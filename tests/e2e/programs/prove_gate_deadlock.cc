#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
struct Pool {
    std::mutex mu;
    std::condition_variable cv;
    int jobs = 0, done = 0;
    void put()
    {
        mu.lock();
        if (jobs == 0)
            cv.notify_one();
        jobs++;
        mu.unlock();
    }
    void work()
    {
        for (int i = 0; i < 2; i++) {
            std::unique_lock<std::mutex> l(mu);
            while (jobs == 0)
                cv.wait(l);
            jobs--;
            done++;
        }
    }
};
int main()
{
    Pool p;
    p.jobs = 1;
    std::thread worker([&] { p.work(); });
    p.put();
    worker.join();
    std::printf("done %d\n", p.done);
}
