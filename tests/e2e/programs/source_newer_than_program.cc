static int log_of[8];
static int twice(int n)
{
    log_of[0] = n;
    n += 3;
    n += n;
    log_of[1] = n;
    n -= 3;
    log_of[2] = n;
    return n;
}
int main()
{
    return twice(2) - 7;
}
