#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
static std::mutex mu;
static int done;
static volatile long work, has;
static void BackgroundThreadMain()
{
    mu.lock();
    has = 1;
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end)
        work++;
    done++;
    mu.unlock();
}
int main()
{
    std::thread t(BackgroundThreadMain);
    while (!has)
        usleep(1000);
    mu.lock();
    done++;
    mu.unlock();
    t.join();
    std::printf("done %d\n", done);
}
