#include <condition_variable>
#include <mutex>
#include <queue>
struct Job {
    Job(void (*f)(void *), void *arg) : f(f), arg(arg) {}
    void (*const f)(void *);
    void *const arg;
};
struct Pool {
    std::mutex mu;
    std::condition_variable cv;
    std::queue<Job> q;
    void put(void (*f)(void *), void *arg);
};
void Pool::put(void (*f)(void *), void *arg)
{
    mu.lock();
    if (q.empty())
        cv.notify_one();
    q.emplace(f, arg);
    mu.unlock();
}
static Pool p;
int main()
{
    p.put(nullptr, &p);
    p.put(nullptr, nullptr);
    return (int)p.q.size() - 2;
}
