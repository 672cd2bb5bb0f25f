/* The test of a library: what its thread does is not seen, as the library has no debug information.
   A datagram from outside could also wake it. */
#include <unistd.h>

void library_start(void);
void library_ask(void);
int library_answers(void);

int main(void)
{
	library_start();
	library_ask();
	usleep(400000); /* the answer shall be there */
	return library_answers() == 1 ? 0 : 1;
}
