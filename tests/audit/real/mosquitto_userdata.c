/*
 * mosquitto 2.0.11, library: mosquitto_user_data_set() writes what each callback is handed, without the lock that the
 * callbacks run under. Who replaces it and ends the old one ends it below a callback that still uses it.
 *
 * cc -g -pthread -I.../include mosquitto_userdata.c libmosquitto.a -lssl -lcrypto; ends with 1 when that happens.
 */
#include <arpa/inet.h>
#include <mosquitto.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

struct sink {
	pthread_mutex_t lock;
	int lines, is_ended;
};

static struct sink first = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
static struct sink second = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
static int used_when_ended;

static void on_log(struct mosquitto *m, void *data, int level, const char *text)
{
	struct sink *s = data;

	(void)m, (void)level, (void)text;
	pthread_mutex_lock(&s->lock);
	used_when_ended |= s->is_ended;
	s->lines++;
	pthread_mutex_unlock(&s->lock);
}

static void *subscriber(void *m)
{
	mosquitto_subscribe(m, NULL, "news", 0);
	return NULL;
}

static void *replacer(void *m)
{
	mosquitto_user_data_set(m, &second);
	pthread_mutex_lock(&first.lock);
	first.is_ended = 1;
	pthread_mutex_unlock(&first.lock);
	return NULL;
}

/* A broker that takes what it is sent, and never answers. */
static int listen_somewhere(struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (void *)at, size) < 0 || listen(fd, 4) < 0 ||
	    getsockname(fd, (void *)at, &size) < 0)
		exit(2);
	return fd;
}

int main(void)
{
	struct sockaddr_in at;
	struct mosquitto *m;
	pthread_t a, b;

	listen_somewhere(&at);
	mosquitto_lib_init();
	m = mosquitto_new("driver", true, &first);
	mosquitto_log_callback_set(m, on_log);
	if (mosquitto_connect(m, "127.0.0.1", ntohs(at.sin_port), 60) != MOSQ_ERR_SUCCESS)
		return 2;
	pthread_create(&a, NULL, subscriber, m);
	pthread_create(&b, NULL, replacer, m);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return used_when_ended;
}
