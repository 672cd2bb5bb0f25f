/* The second unit of vars.c: what is extern there, and a file-scope variable of a name that both have. */
struct hidden {
	int seen, count;
};
int extern_global = -424242;
__thread long extern_tls = 0x7766554433221100;
static int same_name = 222;
struct hidden hidden_object = { 5, 6 };

int second_sum(void);
int second_sum(void)
{
	return same_name + hidden_object.count;
}
