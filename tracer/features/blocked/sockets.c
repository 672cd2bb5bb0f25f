/* The other end of a pair of sockets, as the kernel's socket monitor (sock_diag(7)) tells it. */
#include "tracer/features/blocked/channels.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

struct answer {
	_Alignas(struct nlmsghdr) char bytes[4096];
	size_t length;
};

static bool sockets_ask(ino_t ino, struct answer *out)
{
	const struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} question = {
		.header = {.nlmsg_len = sizeof(question),
			   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			   .nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = AF_UNIX,
			    .udiag_states = UINT32_MAX,
			    .udiag_ino = (uint32_t)ino,
			    .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER,
			    .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t n = -1;

	if (fd >= 0 && send(fd, &question, sizeof(question), 0) == (ssize_t)sizeof(question))
		n = recv(fd, out->bytes, sizeof(out->bytes), 0);
	if (fd >= 0)
		close(fd);
	out->length = n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Anybody can send to a datagram socket that has a name. */
static bool find_peer(const struct answer *answer, ino_t *peer)
{
	const struct nlmsghdr *header = (const void *)answer->bytes;
	const struct unix_diag_msg *message = NLMSG_DATA(header);
	const struct rtattr *attribute = (const void *)(message + 1);
	bool found = false, named = false;
	size_t left;

	if (!NLMSG_OK(header, answer->length) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    header->nlmsg_len < NLMSG_LENGTH(sizeof(*message)))
		return false;
	left = header->nlmsg_len - NLMSG_LENGTH(sizeof(*message));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		named |= attribute->rta_type == UNIX_DIAG_NAME;
		if (attribute->rta_type != UNIX_DIAG_PEER || RTA_PAYLOAD(attribute) < 4)
			continue;
		*peer = *(const uint32_t *)RTA_DATA(attribute);
		found = *peer != 0;
	}
	return found && !(named && message->udiag_type == SOCK_DGRAM);
}

/* SO_RCVTIMEO and SO_SNDTIMEO end a wait by themselves. In doubt, assume one is set. */
static bool has_time_out(pid_t pid, const struct opened *f)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, f->fd, 0);
	struct timeval in = {0}, out = {0};
	socklen_t n = sizeof(in), m = sizeof(out);
	bool known = fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &in, &n) == 0 &&
		     getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &out, &m) == 0;

	if (fd >= 0)
		close(fd);
	if (pidfd >= 0)
		close(pidfd);
	return !known || in.tv_sec || in.tv_usec || out.tv_sec || out.tv_usec;
}

bool sockets_peer(pid_t pid, const struct opened *f, ino_t *peer)
{
	struct answer answer;

	return sockets_ask(f->ino, &answer) && find_peer(&answer, peer) && !has_time_out(pid, f);
}
