#include <cstdio>
static void work(const char *how) { std::printf("%s\n", how); }
int main(int argc, char **argv)
{
    work(argc > 1 ? argv[1] : "slow");
}
