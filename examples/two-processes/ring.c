/*
 * A station and a collector, two processes, with a ring of samples in shared memory between them.
 * The station writes samples; the collector looks now and then and takes what is there.
 *
 * The bug: ring_reserve() counts a sample as there as soon as its place has been chosen, before the
 * station has written it. The collector can take a sample that is still empty. Because it looks
 * only every few milliseconds, it never does.
 */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLOTS	4
#define SAMPLES 3

struct sample {
	char text[24];
};

struct ring {
	sem_t vacant, filled; /* shared by both processes */
	unsigned in, out;
	struct sample slot[SLOTS];
};

static struct ring *ring_new(void)
{
	struct ring *r =
		mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r == MAP_FAILED || sem_init(&r->vacant, 1, SLOTS) != 0 ||
	    sem_init(&r->filled, 1, 0) != 0)
		return NULL;
	return r;
}

static struct sample *ring_reserve(struct ring *r)
{
	struct sample *s;

	sem_wait(&r->vacant);
	s = &r->slot[r->in++ % SLOTS];
	sem_post(&r->filled); /* the bug: it is not filled yet */
	return s;
}

/* The oldest sample. False: there is none now. */
static int ring_take(struct ring *r, struct sample *out)
{
	if (sem_trywait(&r->filled) != 0)
		return 0;
	*out = r->slot[r->out++ % SLOTS];
	sem_post(&r->vacant);
	return 1;
}

static void station(struct ring *r)
{
	static const double measured[SAMPLES] = {20.5, 21.0, 20.9};

	for (int i = 0; i < SAMPLES; i++) {
		double value = measured[i];
		struct sample *s = ring_reserve(r);

		snprintf(s->text, sizeof(s->text), "%.1f C", value);
	}
}

/* Returns how many samples were empty. */
static int collector(struct ring *r)
{
	struct timespec pause = {.tv_nsec = 15 * 1000000L};
	struct sample s;
	int taken = 0, empty = 0;

	while (taken < SAMPLES) {
		nanosleep(&pause, NULL);
		while (ring_take(r, &s)) {
			taken++;
			if (s.text[0] == '\0')
				empty++;
			printf("sample %d: %s\n", taken, s.text[0] != '\0' ? s.text : "(empty)");
			fflush(stdout);
		}
	}
	return empty;
}

int main(void)
{
	struct ring *r = ring_new();
	int status = 0;
	pid_t child;

	if (r == NULL || (child = fork()) < 0) {
		perror("ring");
		return 2;
	}
	if (child == 0)
		_exit(collector(r) == 0 ? 0 : 1);
	station(r);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}
