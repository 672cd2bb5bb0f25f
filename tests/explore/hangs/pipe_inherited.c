/* subprocess.h, issue 114, "POSIX pipes are not close-on-exec, so a later process inherits an earlier one's pipes":
 * https://github.com/sheredom/subprocess.h/issues/114
 *
 * Hangs: the thread that reads what the short-lived probe has printed never sees its end; the exit of the player
 * waits for that thread.
 * When: the decoder, which lives as long as the file is open, is forked while the probe's pipe is open for writing in
 * the parent: it keeps that end. Written from the description: main opens the decoder, a thread probes. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct process {
	pid_t pid;
	int in, out; /* what is written to it, what is read from it */
};

static int process_create(struct process *p, char *const argv[])
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		return -1;
	p->pid = fork();
	if (p->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
	return p->pid < 0 ? -1 : 0;
}

static int process_join(struct process *p)
{
	int status = 0;

	close(p->in);
	close(p->out);
	waitpid(p->pid, &status, 0);
	return status;
}

static void *probe(void *arg)
{
	char *const argv[] = { "/bin/echo", "h264", NULL };
	struct process p;
	char text[64];

	if (process_create(&p, argv))
		return arg;
	while (read(p.out, text, sizeof text) > 0)
		;
	process_join(&p);
	return arg;
}

int main(void)
{
	char *const argv[] = { "/bin/cat", NULL };
	struct process decoder;
	pthread_t thread;

	pthread_create(&thread, NULL, probe, NULL);
	if (process_create(&decoder, argv))
		return 1;
	pthread_join(thread, NULL);
	return process_join(&decoder) != 0;
}
