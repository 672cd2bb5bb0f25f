/* libedit and the program share the terminal: each finds its own modes and foreground process
   group. Ctrl-C at the prompt empties the line; Ctrl-Z stops gatectl and the halted program, which
   does not get the signal. */
#include "tracer/base/files/io.h"
#include "tracer/base/text/foreign.h"
#include "tracer/cli/repl/repl.h"

#include <editline/readline.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, suspended, ended;

enum { HISTORY_MOST = 1000, LINE_MOST = 1 << 20 };

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
enum { TAKEN = sizeof(taken) / sizeof(*taken) };

static struct {
	struct termios found, program;
	pid_t group; /* group of the program that owned the terminal; 0: gatectl's own */
	struct sigaction before[TAKEN];
	struct sigaction stop; /* action at the start of gatectl */
	sigset_t mask;
} terminal;

static int said_errno; /* errno of the first write that failed */

static void write_bytes(const struct str *bytes)
{
	if (io_write(STDOUT_FILENO, str_text(bytes), bytes->length) < 0 && !said_errno)
		said_errno = errno;
}

void repl_say(const char *text)
{
	STR(shown);

	foreign_lines(&shown, text, "\n\t");
	write_bytes(&shown);
}

int repl_said_errno(void)
{
	return said_errno;
}

static void repl_terminal_on_signal(int signal)
{
	if (signal == SIGINT)
		interrupted = 1;
	else if (signal == SIGTSTP)
		suspended = 1;
	else
		ended = signal;
}

/* The tracee's clock may interrupt the call. */
static void set_modes(const struct termios *modes)
{
	while (tcsetattr(STDIN_FILENO, TCSADRAIN, modes) < 0 && errno == EINTR)
		;
}

/* Signals are blocked, so that none is lost, except while a line is read, with the handler above,
   and while the program starts or runs, with the tracee's handlers. */
static void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < TAKEN; i++)
		sigaddset(&set, taken[i]);
	sigprocmask(how, &set, NULL);
}

void repl_signals_end(void *ctx, bool now)
{
	(void)ctx;
	block(now ? SIG_UNBLOCK : SIG_BLOCK);
}

/* Returns false if a signal arrived, or (errno is not EINTR) there is nothing to read from. */
static bool wait_for_input(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return ppoll(&in, 1, NULL, &terminal.mask) > 0;
}

/* ppoll prefers input to signals. On a terminal the signal is older: it discards earlier input
   (termios(3), NOFLSH). On a pipe (`only_endings`) SIGINT is for a program
   that an earlier line runs, but SIGTERM and SIGHUP are taken at once. */
static void let_signals_in(bool only_endings)
{
	sigset_t let = terminal.mask, blocked;

	if (only_endings) {
		sigaddset(&let, SIGINT);
		sigaddset(&let, SIGTSTP);
	}
	sigprocmask(SIG_SETMASK, &let, &blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

void repl_take_signals(const struct repl *r)
{
	struct sigaction mine = {.sa_handler = repl_terminal_on_signal};

	interrupted = suspended = 0;
	for (int i = 0; i < TAKEN; i++) {
		/* A pipe has no modes to restore: SIGTSTP stops gatectl by default. */
		bool left = taken[i] == SIGTSTP &&
			    (!r->terminal || terminal.stop.sa_handler == SIG_IGN);

		sigaction(taken[i], left ? NULL : &mine, &terminal.before[i]);
	}
}

/* Returns the signal that ended the reading, or 0. */
int repl_give_signals_back(void)
{
	for (int i = 0; i < TAKEN; i++)
		sigaction(taken[i], &terminal.before[i], NULL);
	return ended ? ended : interrupted ? SIGINT : 0;
}

/* ---- owner of the terminal ------------------------------------------------------------------- */

/* A background job must not use the terminal: if it reads, the kernel stops it until the shell
   brings it back. Returns false if that cannot happen: the group is orphaned, SIGTTIN is ignored,
   or the terminal is gone. */
static bool wait_for_foreground(void)
{
	char nothing;

	while (tcgetpgrp(STDIN_FILENO) != getpgrp())
		if (read(STDIN_FILENO, &nothing, 0) < 0 && errno != EINTR)
			return false;
	return true;
}

void repl_terminal_to_program(struct repl *r)
{
	block(SIG_UNBLOCK);
	if (!r->terminal)
		return;
	set_modes(&terminal.program);
	if (terminal.group && interactive_owns_group(r->interactive, terminal.group))
		tcsetpgrp(STDIN_FILENO, terminal.group);
}

/* True if the group is the program's, and not that of the shell, which takes the terminal to put
   gatectl in the background. */
static bool is_programs(const struct repl *r, pid_t group)
{
	/* the last group of the program may not exist any more */
	if (interactive_state(r->interactive) == INTERACTIVE_ENDED)
		return kill(-group, 0) < 0 && errno == ESRCH;
	return interactive_owns_group(r->interactive, group);
}

void repl_terminal_back(struct repl *r)
{
	pid_t group = r->terminal ? tcgetpgrp(STDIN_FILENO) : getpgrp();

	block(SIG_BLOCK);
	if (!r->terminal)
		return;
	terminal.group = 0;
	if (group > 0 && group != getpgrp() && is_programs(r, group)) {
		terminal.group = group;
		tcsetpgrp(STDIN_FILENO, getpgrp());
	}
	if (tcgetpgrp(STDIN_FILENO) != getpgrp())
		return;
	if (interactive_state(r->interactive) == INTERACTIVE_ENDED)
		terminal.program = terminal.found;
	else
		tcgetattr(STDIN_FILENO, &terminal.program);
	set_modes(&terminal.found);
}

/* Blanks as wide as the screen wrap exactly if the program has left the cursor within a line. In
   raw mode a newline does not return to the left, hence the \r. */
static void fresh_line(struct str *out)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 2 ||
	    (getenv("TERM") && strcmp(getenv("TERM"), "dumb") == 0))
		return;
	str_addf(out, "%*s\r", size.ws_col, "");
}

void repl_tell(void *ctx, const char *line)
{
	const struct repl *r = ctx;
	bool screen = r->terminal && isatty(STDOUT_FILENO);
	STR(out);

	if (screen)
		fresh_line(&out);
	foreign_lines(&out, line, "\n\t");
	str_add(&out, screen ? "\r\n" : "\n");
	write_bytes(&out);
}

/* ---- reading a line -------------------------------------------------------------------------- */

/* Stops as the shell expects it, and continues with the same line. */
static void suspend(void)
{
	struct sigaction mine;
	sigset_t stop;

	suspended = 0;
	rl_deprep_terminal();
	set_modes(&terminal.found);
	repl_say("\n");
	sigaction(SIGTSTP, &terminal.stop, &mine);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL); /* the process stops here */
	sigprocmask(SIG_BLOCK, &stop, NULL);
	sigaction(SIGTSTP, &mine, NULL);
	wait_for_foreground();
	rl_prep_terminal(1);
	rl_forced_update_display();
}

enum { CTRL_D = 4 };

static bool emptied; /* Ctrl-C has emptied the line */

bool repl_line_is_emptied(void)
{
	return emptied;
}

/* Ctrl-C at the prompt empties the line, like the keys for beginning-of-line, kill-line and
   return. */
static int next_key(FILE *in)
{
	static const char keys[] = "\001\013\n";
	static const char *pending;
	unsigned char c;
	ssize_t n;

	(void)in;
	for (;;) {
		if (interrupted) {
			interrupted = 0;
			emptied = true;
			pending = keys;
		}
		if (pending && *pending)
			return *pending++;
		if (ended)
			return EOF;
		if (suspended)
			suspend();
		if (!wait_for_input()) {
			if (errno != EINTR)
				return EOF;
			continue;
		}
		let_signals_in(false);
		if (interrupted || ended || suspended)
			continue;
		n = read(STDIN_FILENO, &c, 1);
		/* a Ctrl-D typed before libedit set the terminal's modes is a zero byte */
		if (n == 1)
			return c ? c : CTRL_D;
		if (n == 0 || errno != EINTR)
			return EOF;
	}
}

/* libedit shows the prompt before it sets raw mode: input in between would be echoed by the kernel
   as well, and lost at a Ctrl-Z. */
static int before_prompt(void)
{
	rl_prep_terminal(1);
	return 0;
}

char *repl_read_terminal(const char *question, bool is_command)
{
	STR(out);
	sigset_t clock, before;
	char *line;

	if (!wait_for_foreground())
		return NULL;
	if (isatty(STDOUT_FILENO))
		fresh_line(&out);
	write_bytes(&out);
	sigemptyset(&clock);
	sigaddset(&clock, SIGALRM); /* libedit writes by stdio, which loses interrupted output */
	sigprocmask(SIG_BLOCK, &clock, &before);
	emptied = false;
	line = readline(question);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (line && *line && is_command)
		add_history(line);
	return line;
}

char *repl_ask(struct repl *r, const char *question)
{
	char *answer;
	int signal;

	repl_take_signals(r);
	answer = repl_read_terminal(question, false);
	signal = repl_give_signals_back();
	if (signal) {
		r->status = 128 + signal;
		r->quit = true;
	}
	if (!emptied && !signal)
		return answer;
	free(answer);
	return NULL;
}

/* Returns the number of lines that fit before a question; 0: the text is for no screen. */
static size_t page_lines(const struct repl *r)
{
	struct winsize size;

	if (!r->terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row < 2)
		return 0;
	return size.ws_row - 1u;
}

/* Returns the end of the first `most` lines; 0: all. */
static const char *page_end(const char *text, size_t most)
{
	size_t n = 0;

	while (*text && (!most || n < most))
		n += *text++ == '\n';
	return text;
}

void repl_page(struct repl *r, const char *text)
{
	for (;;) {
		const char *end = page_end(text, page_lines(r));
		OWNED(page) = base_strndup(text, (size_t)(end - text));
		char *answer;
		bool more;

		repl_say(page);
		text = end;
		if (!*text)
			return;
		answer = repl_ask(r, "(Return: more; q: end) ");
		more = answer && !*answer;
		free(answer);
		if (!more)
			return;
	}
}

/* Reads more from the pipe. Returns the number of bytes; 0: the end, or a signal. */
static size_t read_more(struct str *line)
{
	char bytes[4096];
	ssize_t n = -1;

	while (n < 0) {
		if (!wait_for_input()) {
			if (errno != EINTR || ended || interrupted)
				return 0;
			continue;
		}
		n = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (n < 0 && errno != EINTR)
			return 0;
	}
	str_add_bytes(line, bytes, (size_t)n);
	return (size_t)n;
}

static int read_line(struct str *line, struct error *err)
{
	for (;;) {
		let_signals_in(true);
		if (ended || interrupted || memchr(str_text(line), '\n', line->length))
			return 0;
		if (line->length > LINE_MOST) {
			error_set(err, ERROR_USAGE, "the line does not end within %d bytes",
				  LINE_MOST);
			return error_hint(err, "end each command with a newline");
		}
		if (!read_more(line))
			return 0;
	}
}

char *repl_read_pipe(struct error *err)
{
	static struct str line;
	const char *end;
	size_t length;
	char *out;

	if (read_line(&line, err) < 0 || !line.length || ended || interrupted) {
		str_fini(&line);
		return NULL;
	}
	end = memchr(str_text(&line), '\n', line.length);
	length = end ? (size_t)(end - line.text) : line.length;
	out = strndup(str_text(&line), length - (length && line.text[length - 1] == '\r'));
	length += length < line.length;
	memmove(line.text, line.text + length, line.length - length + 1);
	line.length -= length;
	return out;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static char *history_path(void)
{
	const char *home = getenv("HOME");
	char *path = NULL;

	if (!home || !*home || asprintf(&path, "%s/.gatectl_history", home) < 0)
		return NULL;
	return path;
}

/* Called before the program is started, which must find the state that gatectl found. */
void repl_terminal_open(struct repl *r)
{
	const struct sigaction ignored = {.sa_handler = SIG_IGN};

	sigprocmask(SIG_SETMASK, NULL, &terminal.mask);
	block(SIG_BLOCK);
	sigaction(SIGTSTP, NULL, &terminal.stop);
	r->terminal = isatty(STDIN_FILENO);
	if (!r->terminal)
		return;
	wait_for_foreground();
	tcgetattr(STDIN_FILENO, &terminal.found);
	terminal.program = terminal.found;
	sigaction(SIGTTOU, &ignored, NULL); /* gatectl gives the terminal away and takes it back */
	sigaction(SIGQUIT, &ignored, NULL); /* its key is for the program */
}

/* SIGWINCH is not handled: libedit reads the size at the next prompt. rl_resize_terminal() in the
   middle of a line keeps the cursor's position, outside of a smaller screen. */
void repl_use_terminal(void)
{
	char *path = history_path();

	rl_catch_signals = 0;	     /* libedit would send Ctrl-C to the program also */
	rl_getc_function = next_key; /* read by rl_initialize */
	rl_pre_input_hook = before_prompt;
	rl_initialize();
	using_history();
	stifle_history(HISTORY_MOST);
	if (path)
		read_history(path);
	free(path);
}

/* The modes are restored even if the program has died in its own. */
void repl_terminal_close(struct repl *r)
{
	char *path = r->terminal ? history_path() : NULL;

	if (path)
		write_history(path);
	free(path);
	if (r->terminal && tcgetpgrp(STDIN_FILENO) == getpgrp())
		set_modes(&terminal.found);
}
