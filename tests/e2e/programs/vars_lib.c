/* A shared object with a thread-local variable and a global of its own. */
__thread int lib_tls_first = 11, lib_tls = 7001;
int lib_global = 31337;
static int lib_hidden = -77;

int lib_bump(int by);
int lib_bump(int by)
{
	lib_tls += by;
	lib_tls_first -= by;
	lib_hidden -= by;
	return lib_hidden;
}
