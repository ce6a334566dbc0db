/* SPDX-License-Identifier: MIT */
/* The program of the end-to-end tests, with a mode for each situation. It knows
 * nothing of xferspy. The kernel adds, so that every result can be checked; the
 * output depends on the results only. */
#include "check.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

static const int count = 16384; /* ints per array */
static const size_t bytes = count * sizeof(int);

__global__ void add(const int *a, const int *b, int *sum, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		sum[i] = a[i] + b[i];
}

__global__ void twice(int *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		a[i] = 2 * a[i];
}

/* Takes any wanted time, on fast devices, too. */
__global__ void scramble(unsigned *a, int n, int times)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned value = i < n ? a[i] : 0;

	for (int k = 0; k < times; k++) {
		value ^= value << 13;
		value ^= value >> 17;
		value ^= value << 5;
	}
	if (i < n)
		a[i] = value;
}

struct arrays {
	int *a, *b, *sum; /* host */
	int *dev_a, *dev_b, *dev_sum;
	bool pinned;
};

static int *host_array(bool pinned)
{
	void *p = NULL;

	if (pinned)
		CHECK(cudaMallocHost(&p, bytes));
	else
		p = malloc(bytes);
	return (int *)p;
}

static void set_up(struct arrays *s, bool pinned)
{
	s->pinned = pinned;
	s->a = host_array(pinned);
	s->b = host_array(pinned);
	s->sum = host_array(pinned);
	for (int i = 0; i < count; i++) {
		s->a[i] = i;
		s->b[i] = 3 * i;
		s->sum[i] = 0;
	}
	CHECK(cudaMalloc((void **)&s->dev_a, bytes));
	CHECK(cudaMalloc((void **)&s->dev_b, bytes));
	CHECK(cudaMalloc((void **)&s->dev_sum, bytes));
}

static void clean_up(struct arrays *s)
{
	int *host[] = {s->a, s->b, s->sum};

	CHECK(cudaFree(s->dev_a));
	CHECK(cudaFree(s->dev_b));
	CHECK(cudaFree(s->dev_sum));
	for (int *p : host) {
		if (s->pinned)
			CHECK(cudaFreeHost(p));
		else
			free(p);
	}
}

static int check(const struct arrays *s, int factor)
{
	int bad = 0;

	for (int i = 0; i < count; i++)
		bad += s->sum[i] != factor * i;
	return bad;
}

/* Two copies in, a kernel, a copy out. */
static void add_round(struct arrays *s)
{
	CHECK(cudaMemcpy(s->dev_a, s->a, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(s->dev_b, s->b, bytes, cudaMemcpyHostToDevice));
	add<<<count / 256, 256>>>(s->dev_a, s->dev_b, s->dev_sum, count);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(s->sum, s->dev_sum, bytes, cudaMemcpyDeviceToHost));
}

/* One copy in of half the size, another kernel, a copy out. */
static void twice_round(struct arrays *s)
{
	CHECK(cudaMemcpy(s->dev_a, s->a, bytes / 2, cudaMemcpyHostToDevice));
	twice<<<count / 512, 256>>>(s->dev_a, count / 2);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(s->sum, s->dev_a, bytes / 2, cudaMemcpyDeviceToHost));
}

static int serial(int rounds)
{
	struct arrays s;
	int bad;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++)
		add_round(&s);
	bad = check(&s, 4);
	clean_up(&s);
	printf("serial: %d wrong\n", bad);
	return bad;
}

/* Like serial, with one block: for runs of many rounds. */
static int tiny(int rounds)
{
	const int n = 256;
	struct arrays s;
	int bad = 0;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaMemcpy(s.dev_a, s.a, n * sizeof(int),
				 cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(s.dev_b, s.b, n * sizeof(int),
				 cudaMemcpyHostToDevice));
		add<<<1, n>>>(s.dev_a, s.dev_b, s.dev_sum, n);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(s.sum, s.dev_sum, n * sizeof(int),
				 cudaMemcpyDeviceToHost));
	}
	for (int i = 0; i < n; i++)
		bad += s.sum[i] != 4 * i;
	clean_up(&s);
	printf("tiny: %d wrong\n", bad);
	return bad;
}

/* Rounds before, within and after a profiler range. */
static int range(int rounds)
{
	struct arrays s;
	int bad;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++)
		add_round(&s);
	CHECK(cudaProfilerStart());
	for (int i = 0; i < 2 * rounds; i++)
		add_round(&s);
	CHECK(cudaProfilerStop());
	for (int i = 0; i < rounds; i++)
		twice_round(&s);
	bad = s.sum[1] != 2;
	clean_up(&s);
	printf("range: %d wrong\n", bad);
	return bad;
}

/* Rounds, a signal, and as many rounds again after a line on standard input, or
 * without `wait` after some time. */
static int signalled(int rounds)
{
	struct arrays s;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++)
		add_round(&s);
	raise(SIGUSR2);
	getchar(); /* until the library has noticed */
	for (int i = 0; i < rounds; i++)
		add_round(&s);
	clean_up(&s);
	printf("signalled\n");
	return 0;
}

/* The signal comes before CUDA has started. */
static int early_signal(int rounds)
{
	raise(SIGUSR2);
	return serial(rounds);
}

/* Closes descriptors like a daemon, but after CUDA has started. */
static int closing(int rounds)
{
	int bad = tiny(1);

	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	bad += tiny(rounds / 10);
	getchar(); /* until the library has noticed */
	return tiny(rounds) || bad;
}

static int phases(int rounds)
{
	struct arrays s;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++) {
		add_round(&s);
		twice_round(&s);
	}
	clean_up(&s);
	printf("phases: done\n");
	return 0;
}

/* The arrays in parts, each part in its own stream, depth first or breadth
 * first. */
static int streams(int rounds, bool breadth_first)
{
	const int parts = 4, part = count / parts;
	const size_t part_bytes = bytes / parts;
	cudaStream_t stream[parts];
	struct arrays s;
	int bad;

	set_up(&s, true);
	for (int p = 0; p < parts; p++)
		CHECK(cudaStreamCreate(&stream[p]));
	for (int i = 0; i < rounds; i++) {
		for (int step = 0; step < parts * 3; step++) {
			int p = breadth_first ? step % parts : step / 3;
			int what = breadth_first ? step / parts : step % 3;
			int at = p * part;

			if (what == 0) {
				CHECK(cudaMemcpyAsync(
				    s.dev_a + at, s.a + at, part_bytes,
				    cudaMemcpyHostToDevice, stream[p]));
				CHECK(cudaMemcpyAsync(
				    s.dev_b + at, s.b + at, part_bytes,
				    cudaMemcpyHostToDevice, stream[p]));
			} else if (what == 1) {
				add<<<part / 256, 256, 0, stream[p]>>>(
				    s.dev_a + at, s.dev_b + at, s.dev_sum + at,
				    part);
				CHECK(cudaGetLastError());
			} else {
				CHECK(cudaMemcpyAsync(
				    s.sum + at, s.dev_sum + at, part_bytes,
				    cudaMemcpyDeviceToHost, stream[p]));
			}
		}
		CHECK(cudaDeviceSynchronize());
	}
	bad = check(&s, 4);
	for (int p = 0; p < parts; p++)
		CHECK(cudaStreamDestroy(stream[p]));
	clean_up(&s);
	printf("streams: %d wrong\n", bad);
	return bad;
}

/* Calls that wait for a kernel, each for a different reason. */
static int waits(int rounds, int times)
{
	const size_t large = 4 << 20;
	char *host = (char *)calloc(1, large), *dev;
	struct arrays s;
	int first = -1;

	set_up(&s, false);
	CHECK(cudaMalloc((void **)&dev, large));
	for (int i = 0; i < rounds; i++) {
		int *scratch;

		CHECK(cudaMalloc((void **)&scratch, bytes));
		scramble<<<count / 256, 256>>>((unsigned *)s.dev_a, count,
					       times);
		CHECK(cudaFree(scratch));
		scramble<<<count / 256, 256>>>((unsigned *)s.dev_b, count,
					       times);
		CHECK(cudaMemcpy(&first, s.dev_b, sizeof(first),
				 cudaMemcpyDeviceToHost));
		CHECK(
		    cudaMemcpyAsync(dev, host, large, cudaMemcpyHostToDevice));
		CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaFree(dev));
	clean_up(&s);
	free(host);
	printf("waits: done\n");
	return 0;
}

/* Rounds of a copy in, a kernel of the given number of steps and a copy out. */
static int lasting(int rounds, int times)
{
	struct arrays s;
	int sum = 0;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaMemcpy(s.dev_a, s.a, bytes, cudaMemcpyHostToDevice));
		scramble<<<count / 256, 256>>>((unsigned *)s.dev_a, count,
					       times);
		CHECK(cudaGetLastError());
		CHECK(
		    cudaMemcpy(s.sum, s.dev_a, bytes, cudaMemcpyDeviceToHost));
	}
	for (int i = 0; i < count; i++)
		sum ^= s.sum[i];
	clean_up(&s);
	printf("lasting: %d\n", sum);
	return 0;
}

/* Many copies at once without a synchronisation. */
static int flood(int copies)
{
	struct arrays s;

	set_up(&s, true);
	for (int i = 0; i < copies; i++)
		CHECK(cudaMemcpyAsync(s.dev_a, s.a, sizeof(int),
				      cudaMemcpyHostToDevice, 0));
	printf("flood: %d copies\n", copies);
	fflush(stdout);
	_exit(0);
}

/* Copies out into untouched memory (first touch). */
static int fresh(int rounds)
{
	const size_t large = 4 << 20;
	char *dev;

	CHECK(cudaMalloc((void **)&dev, large));
	CHECK(cudaMemset(dev, 1, large));
	for (int i = 0; i < rounds; i++) {
		char *host = (char *)mmap(NULL, large, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(host, large, MADV_NOHUGEPAGE);
		CHECK(cudaMemcpy(host, dev, large, cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(host, dev, large, cudaMemcpyDeviceToHost));
		munmap(host, large);
	}
	CHECK(cudaFree(dev));
	printf("fresh: done\n");
	return 0;
}

__attribute__((noinline)) static cudaError_t
copy_out(void *to, const void *from, size_t size)
{
	cudaError_t error = cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost);

	/* prevents a tail call, so that it returns here */
	return error == cudaSuccess ? error : cudaGetLastError();
}

/* From one call site: small copies, large ones into new memory, and failing
 * ones. */
static int one_place(int rounds)
{
	const size_t small = 64, large = 4 << 20;
	int failed = 0;
	char *dev;

	CHECK(cudaMalloc((void **)&dev, large));
	CHECK(cudaMemset(dev, 1, large));
	errno = ENOTTY;
	for (int i = 0; i < rounds; i++) {
		char *host = (char *)mmap(NULL, large, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(host, large, MADV_NOHUGEPAGE);
		CHECK(copy_out(host, dev, small));
		CHECK(copy_out(host, dev, small));
		CHECK(copy_out(host, dev, large));
		failed += copy_out(NULL, dev, small) != cudaSuccess;
		munmap(host, large);
	}
	CHECK(cudaFree(dev));
	printf("%d failed, %s\n", failed,
	       errno == ENOTTY ? "errno kept" : strerror(errno));
	return 0;
}

/* Results that are copied back in unchanged, and input that never changes. */
static int back_and_forth(int rounds)
{
	struct arrays s;
	int bad = 0;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++) {
		CHECK(
		    cudaMemcpy(s.dev_a, s.sum, bytes, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(s.dev_b, s.b, bytes, cudaMemcpyHostToDevice));
		add<<<count / 256, 256>>>(s.dev_a, s.dev_b, s.dev_sum, count);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(s.sum, s.dev_sum, bytes,
				 cudaMemcpyDeviceToHost));
	}
	for (int i = 0; i < count; i++)
		bad += s.sum[i] != 3 * rounds * i;
	clean_up(&s);
	printf("back: %d wrong\n", bad);
	return bad;
}

/* Like a profiler in the program when it stops: disables the activities that it
 * enabled, although another client had enabled them, too. */
static int profiler(int rounds)
{
	const char *const name =
	    CUDART_VERSION >= 13000 ? "libcupti.so.13" : "libcupti.so.12";
	const int memcpy_records = 1, kernel_records = 10;
	int (*disable)(int);
	struct arrays s;
	void *cupti;

	set_up(&s, false);
	for (int i = 0; i < rounds; i++)
		add_round(&s);
	cupti = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	if (cupti) {
		*(void **)&disable = dlsym(cupti, "cuptiActivityDisable");
		disable(memcpy_records);
		disable(kernel_records);
	}
	for (int i = 0; i < 20; i++)
		add_round(&s);
	clean_up(&s);
	printf("profiler: done\n");
	return 0;
}

struct work {
	pthread_t thread;
	pthread_barrier_t *all_began;
	int device, rounds, bad;
};

/* A thread with its own stream and events, on its device. */
static void *thread_main(void *argument)
{
	struct work *w = (struct work *)argument;
	struct arrays s;
	cudaStream_t stream;

	CHECK(cudaSetDevice(w->device));
	set_up(&s, true);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	pthread_barrier_wait(
	    w->all_began); /* none takes the place of another */
	for (int i = 0; i < w->rounds; i++) {
		CHECK(cudaMemcpyAsync(s.dev_a, s.a, bytes,
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyAsync(s.dev_b, s.b, bytes,
				      cudaMemcpyHostToDevice, stream));
		add<<<count / 256, 256, 0, stream>>>(s.dev_a, s.dev_b,
						     s.dev_sum, count);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(s.sum, s.dev_sum, bytes,
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	w->bad = check(&s, 4);
	CHECK(cudaStreamDestroy(stream));
	clean_up(&s);
	return NULL;
}

static int threads(int number, int devices, int rounds)
{
	struct work work[16];
	pthread_barrier_t all_began;
	int bad = 0;

	pthread_barrier_init(&all_began, NULL, number);
	for (int i = 0; i < number; i++) {
		work[i].all_began = &all_began;
		work[i].device = i % devices;
		work[i].rounds = rounds;
		pthread_create(&work[i].thread, NULL, thread_main, &work[i]);
	}
	for (int i = 0; i < number; i++) {
		pthread_join(work[i].thread, NULL);
		bad += work[i].bad;
	}
	printf("threads: %d wrong\n", bad);
	return bad;
}

/* Prints a line after some rounds, then continues until it is killed. */
static int endless(int rounds)
{
	struct arrays s;

	set_up(&s, false);
	for (int i = 0;; i++) {
		add_round(&s);
		if (i == rounds) {
			printf("ready\n");
			fflush(stdout);
		}
		usleep(1000);
	}
}

/* The child works; the parent, too, if requested. */
static int forks(int rounds, bool parent_first)
{
	int status = 0;
	pid_t child;

	if (parent_first)
		serial(rounds);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (parent_first) {
			int n = 0;

			/* CUDA does not survive a fork. */
			printf("child: %s\n",
			       cudaGetErrorName(cudaGetDeviceCount(&n)));
			fflush(stdout);
			_exit(5);
		}
		_exit(serial(rounds) + fflush(stdout) + 5);
	}
	waitpid(child, &status, 0);
	if (!parent_first)
		serial(rounds);
	printf("child left with %d\n", WEXITSTATUS(status));
	return 0;
}

/* Leaves with pending work. */
static void leave(int rounds, bool at_once)
{
	struct arrays s;

	set_up(&s, true);
	for (int i = 0; i < rounds; i++)
		add_round(&s);
	add<<<count / 256, 256>>>(s.dev_a, s.dev_b, s.dev_sum, count);
	printf("leaving\n");
	fflush(stdout);
	if (at_once)
		_exit(7);
	exit(7);
}

/* Launches by the runtime only; later copies by the driver, whose functions the
 * program looks up itself. */
static int late_driver(int launches)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*copy)(unsigned long long, const void *, size_t) =
	    (int (*)(unsigned long long, const void *, size_t))dlsym(
		driver, "cuMemcpyHtoD_v2");
	struct arrays s;
	int failed = 0;

	set_up(&s, true);
	for (int i = 0; i < launches; i++) {
		twice<<<1, 32>>>(s.dev_a, 32);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaDeviceSynchronize());
	usleep(500000);
	for (int i = 0; i < 500; i++) {
		failed += copy((unsigned long long)s.dev_a, s.a, 64) != 0;
		usleep(2000);
	}
	clean_up(&s);
	printf("late: %d failed\n", failed);
	return failed;
}

/* A library with its own runtime, in a program that has another. */
static int library(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*run)(void) = NULL;

	if (plugin)
		*(void **)&run = dlsym(plugin, "run_plugin");
	if (!run) {
		printf("library: %s\n", dlerror());
		return 2;
	}
	return serial(2) + run();
}

/* Failing calls must fail alike, and errno must not change. */
static int errors(void)
{
	void *p = NULL;
	int before;

	errno = ENOTTY;
	before = errno;
	printf("%s ", cudaGetErrorName(cudaMemcpy(NULL, &p, sizeof(p),
						  cudaMemcpyHostToDevice)));
	printf("%s ", cudaGetErrorName(cudaMalloc(&p, (size_t)1 << 60)));
	printf("%s ", cudaGetErrorName(cudaFree(&p)));
	printf("%s ", cudaGetErrorName(cudaSetDevice(99)));
	add<<<1, 4096>>>(NULL, NULL, NULL, 0);
	printf("%s ", cudaGetErrorName(cudaGetLastError()));
	printf("%s\n", errno == before ? "errno kept" : strerror(errno));
	return 3;
}

/* CUDA calls after main has returned. */
static struct at_end {
	int *p;
	~at_end()
	{
		if (p)
			printf("freed: %s\n", cudaGetErrorName(cudaFree(p)));
	}
} at_end;

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const int rounds = argc > 2 ? atoi(argv[2]) : 3;

	if (strcmp(mode, "serial") == 0)
		return serial(rounds);
	if (strcmp(mode, "phases") == 0)
		return phases(rounds);
	if (strcmp(mode, "waits") == 0)
		return waits(rounds, argc > 3 ? atoi(argv[3]) : 1);
	if (strcmp(mode, "lasting") == 0)
		return lasting(rounds, argc > 3 ? atoi(argv[3]) : 1);
	if (strcmp(mode, "tiny") == 0)
		return tiny(rounds);
	if (strcmp(mode, "closing") == 0)
		return closing(rounds);
	if (strcmp(mode, "range") == 0)
		return range(rounds);
	if (strcmp(mode, "early-signal") == 0)
		return early_signal(rounds);
	if (strcmp(mode, "signalled") == 0)
		return signalled(rounds);
	if (strcmp(mode, "fresh") == 0)
		return fresh(rounds);
	if (strcmp(mode, "one-place") == 0)
		return one_place(rounds);
	if (strcmp(mode, "back") == 0)
		return back_and_forth(rounds);
	if (strcmp(mode, "depth") == 0)
		return streams(rounds, false);
	if (strcmp(mode, "breadth") == 0)
		return streams(rounds, true);
	if (strcmp(mode, "threads") == 0)
		return threads(4, 1, rounds);
	if (strcmp(mode, "devices") == 0)
		return threads(2, 2, rounds);
	if (strcmp(mode, "profiler") == 0)
		return profiler(rounds);
	if (strcmp(mode, "flood") == 0)
		return flood(rounds);
	if (strcmp(mode, "endless") == 0)
		return endless(rounds);
	if (strcmp(mode, "fork-before") == 0)
		return forks(rounds, false);
	if (strcmp(mode, "fork-after") == 0)
		return forks(rounds, true);
	if (strcmp(mode, "_exit") == 0)
		leave(rounds, true);
	if (strcmp(mode, "exit") == 0)
		leave(rounds, false);
	if (strcmp(mode, "errors") == 0)
		return errors();
	if (strcmp(mode, "late-driver") == 0)
		return late_driver(rounds);
	if (strcmp(mode, "library") == 0)
		return library(argc > 2 ? argv[2] : "");
	if (strcmp(mode, "late-library") == 0) {
		serial(2);
		return library(argc > 2 ? argv[2] : "");
	}
	if (strcmp(mode, "destructor") == 0) {
		CHECK(cudaMalloc((void **)&at_end.p, 64));
		return serial(rounds);
	}
	if (strcmp(mode, "nothing") == 0) {
		printf("no CUDA\n");
		return 0;
	}
	fprintf(stderr, "app: no mode '%s'\n", mode);
	return 1;
}
