/* SPDX-License-Identifier: MIT */
/*
 * `buoydiff` of the ocean model POP: the buoyancy of the water of the level
 * above, moved down to a level (DBLOC), and of the surface's water (DBSFC),
 * relative to the level; on n x n x levels points. Each round copies potential
 * temperature and salinity in, computes, and copies both differences out. POP
 * stores DBLOC one level higher.
 *
 *   ./pop_buoydiff --variant streams --n 1024 --levels 42 --streams 42
 */
#include "ocean.h"

#define GRAVITY 9.806 /* m/s^2 */

/* Relative to gravity, as what is left of densities that are nearly equal has
 * few digits: the device's compiler fuses multiplications and additions. */
#define TOLERANCE 1e-11

/* A column of water: its point of the surface, and how far apart levels are. */
struct column {
	const double *theta, *s;
	size_t plane;
	int levels;
};

/* The buoyancy in m/s^2 at level k of the water of level `from`. */
__host__ __device__ static inline double
buoyancy(const struct column *column, int from, double density, double pressure)
{
	double moved =
	    seawater_density(column->theta[from * column->plane],
			     column->s[from * column->plane], pressure);

	return GRAVITY * (density - moved) / density;
}

__host__ __device__ static inline void
differ(const struct column *column, int k, double *dbloc, double *dbsfc)
{
	double pressure = level_pressure(k, column->levels);
	double density =
	    seawater_density(column->theta[k * column->plane],
			     column->s[k * column->plane], pressure);

	*dbloc = k == 0 ? 0 : buoyancy(column, k - 1, density, pressure);
	*dbsfc = k == 0 ? 0 : buoyancy(column, 0, density, pressure);
}

/* The four arrays begin with the surface. */
__global__ void buoydiff_kernel(const double *theta, const double *s,
				double *dbloc, double *dbsfc, size_t plane,
				int first, int levels)
{
	size_t point = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	int k = first + (int)blockIdx.y;
	size_t at = k * plane + point;
	struct column column = {theta + point, s + point, plane, levels};

	if (point < plane)
		differ(&column, k, &dbloc[at], &dbsfc[at]);
}

struct job : ocean_job {
	double *dbloc, *dbsfc;		     /* the host's */
	double *kernel_dbloc, *kernel_dbsfc; /* what the kernel writes */
	cudaEvent_t *copied; /* all levels up to this chunk's have arrived */
};

static void launch(const struct job *job, struct range levels,
		   cudaStream_t stream)
{
	buoydiff_kernel<<<ocean_grid(job, levels), THREADS, 0, stream>>>(
	    job->kernel_theta, job->kernel_s, job->kernel_dbloc,
	    job->kernel_dbsfc, job->plane, (int)levels.first, job->levels);
	CHECK(cudaGetLastError());
}

static void round_serial(const struct job *job)
{
	CHECK(cudaMemcpy(job->kernel_theta, job->theta, job->bytes,
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(job->kernel_s, job->s, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, all_levels(job), 0);
	CHECK(cudaMemcpy(job->dbloc, job->kernel_dbloc, job->bytes,
			 cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(job->dbsfc, job->kernel_dbsfc, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	launch(job, all_levels(job), 0);
	CHECK(cudaDeviceSynchronize());
}

/* A chunk needs the level above it and the surface as well: each stream waits
 * for the one before, and does so before its own copies, as a copy engine does
 * not take the copies of many streams in the order of issue. */
static void chunk_in(const struct job *job, long i)
{
	struct range levels = chunk_levels(job, i);

	if (i > 0)
		CHECK(
		    cudaStreamWaitEvent(job->stream[i], job->copied[i - 1], 0));
	copy_levels(job, job->kernel_theta, job->theta, levels,
		    cudaMemcpyHostToDevice, job->stream[i]);
	copy_levels(job, job->kernel_s, job->s, levels, cudaMemcpyHostToDevice,
		    job->stream[i]);
	CHECK(cudaEventRecord(job->copied[i], job->stream[i]));
}

static void chunk_compute(const struct job *job, long i)
{
	launch(job, chunk_levels(job, i), job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	struct range levels = chunk_levels(job, i);

	if (job->options.variant == HYBRID)
		return;
	copy_levels(job, job->dbloc, job->kernel_dbloc, levels,
		    cudaMemcpyDeviceToHost, job->stream[i]);
	copy_levels(job, job->dbsfc, job->kernel_dbsfc, levels,
		    cudaMemcpyDeviceToHost, job->stream[i]);
}

static void set_up(struct job *job)
{
	const size_t count = job->options.n * job->options.n * job->levels;

	set_up_ocean(job);
	job->kernel_dbloc = set_up_result(job, 2 * job->bytes);
	job->kernel_dbsfc = job->kernel_dbloc + count;
	job->dbloc = (double *)job->result;
	job->dbsfc = job->dbloc + count;
	job->copied = (cudaEvent_t *)calloc(job->chunks, sizeof(*job->copied));
	if (job->chunks > 0 && job->copied == NULL) {
		fprintf(stderr, "no memory for %ld events\n", job->chunks);
		exit(2);
	}
	for (long i = 0; i < job->chunks; i++)
		CHECK(cudaEventCreateWithFlags(&job->copied[i],
					       cudaEventDisableTiming));
}

static void tear_down(struct job *job)
{
	for (long i = 0; i < job->chunks; i++)
		CHECK(cudaEventDestroy(job->copied[i]));
	free(job->copied);
	tear_down_result(job, job->kernel_dbloc);
	tear_down_ocean(job);
}

/* The CPU's differences, all DBLOC and then all DBSFC; all configurations have
 * the same inputs. */
static const double *reference(const struct job *job)
{
	static std::vector<double> both;
	const size_t count = job->plane * job->levels;

	if (!both.empty())
		return both.data();
	both.resize(2 * count);
	all_of_levels(job->levels, [=](int k) {
		double *dbloc = both.data() + k * job->plane;

		for (size_t i = 0; i < job->plane; i++) {
			struct column column = {job->theta + i, job->s + i,
						job->plane, job->levels};

			differ(&column, k, dbloc + i, dbloc + count + i);
		}
		return true;
	});
	return both.data();
}

static bool is_right(const struct job *job)
{
	const size_t plane = job->plane;
	const double *dbloc = reference(job);
	const double *dbsfc = dbloc + plane * job->levels;

	return all_of_levels(job->levels, [=](int k) {
		return is_near(job->dbloc + k * plane, dbloc + k * plane, plane,
			       GRAVITY * TOLERANCE) &&
		       is_near(job->dbsfc + k * plane, dbsfc + k * plane, plane,
			       GRAVITY * TOLERANCE);
	});
}

int main(int argc, char **argv)
{
	struct job job = {};
	struct choices choices;

	parse_ocean(argc, argv, &job, &choices);
	check_seawater();

	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, chunk_out, NULL, is_right
	};

	return measure_all(&program, "pop-buoydiff", &choices, &job);
}
