#include <mutex>
#include <thread>
#include <unistd.h>
static std::mutex cache, user;
static void both(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> a(first);
    usleep(100000);
    std::lock_guard<std::mutex> b(second);
}
int main()
{
    std::thread t([] { both(cache, user); });
    both(user, cache);
    t.join();
}
