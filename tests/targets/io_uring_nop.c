/* io_uring by bare system calls: a ring shared with the kernel, where the kernel permits it. */
// arrivals: 1
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int nop(int fd, const struct io_uring_params *p)
{
	size_t sq = p->sq_off.array + p->sq_entries * 4;
	size_t cq = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_POPULATE;
	char *s = mmap(NULL, sq, prot, flags, fd, IORING_OFF_SQ_RING);
	char *c = mmap(NULL, cq, prot, flags, fd, IORING_OFF_CQ_RING);
	struct io_uring_sqe *sqe = mmap(NULL, 4096, prot, flags, fd, IORING_OFF_SQES);
	memset(sqe, 0, sizeof *sqe);
	sqe->opcode = IORING_OP_NOP;
	sqe->user_data = 77;
	((unsigned *)(s + p->sq_off.array))[0] = 0;
	__atomic_fetch_add((unsigned *)(s + p->sq_off.tail), 1, __ATOMIC_RELEASE);
	long n = syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	struct io_uring_cqe *cqe = (struct io_uring_cqe *)(c + p->cq_off.cqes);
	return n == 1 && cqe->user_data == 77 && cqe->res == 0;
}

int main(void)
{
	struct io_uring_params p;
	memset(&p, 0, sizeof p);
	long fd = syscall(SYS_io_uring_setup, 4, &p);
	int good = fd < 0 ? 1 : nop((int)fd, &p); /* gate: here */
	printf("%s\n", good ? "ok" : "bad");
	return 0;
}
