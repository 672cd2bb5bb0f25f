/* Loaded and unloaded again and again by dlopen_loop. */
static volatile int calls;

int plug_add(int a, int b);
int plug_add(int a, int b)
{
	calls++;
	return a + b; /* gate: plugged */
}
