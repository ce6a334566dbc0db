/* SPDX-License-Identifier: MIT */
/* Forbids system calls that a program can do without, then uses CUDA.
 *	filtered ERRNO */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cuda_runtime.h>

#define FORBID(name)                                                           \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)

static int filter(unsigned error)
{
	struct sock_filter rules[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, nr)),
	    FORBID(fallocate),
	    FORBID(madvise),
	    FORBID(memfd_create),
	    FORBID(process_vm_readv),
	    FORBID(getcwd),
	    FORBID(readlink),
	    FORBID(rt_sigtimedwait),
	    FORBID(getrusage),
	    FORBID(ftruncate),
	    FORBID(membarrier),
	    FORBID(perf_event_open),
	    FORBID(readlinkat),
	    FORBID(uname),
	    FORBID(rt_sigpending),
	    FORBID(pread64),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(*rules), rules};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	char host[64] = "";
	void *device = NULL;
	int failed = 0;

	if (argc < 2 || filter((unsigned)atoi(argv[1])))
		return 77;
	failed += cudaMalloc(&device, sizeof(host)) != cudaSuccess;
	for (int i = 0; i < 3000; i++)
		failed += cudaMemcpy(device, host, sizeof(host),
				     cudaMemcpyHostToDevice) != cudaSuccess;
	printf("%d failed\n", failed);
	return failed != 0;
}
