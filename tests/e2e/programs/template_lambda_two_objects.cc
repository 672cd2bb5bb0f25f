template <typename T> struct Box {
    T items[4] = {};
    int n = 0;
    template <typename F> bool until(F f) { return f(); }
    void put(T v)
    {
        until([this] { return this->n < 4; });
        items[n++] = v;
    }
};
void library();
#ifdef LIB
void library()
{
    Box<double> d;
    d.put(1.0);
}
#else
int main()
{
    Box<int> i;
    i.put(1);
    library();
    return 0;
}
#endif
