/* SPDX-License-Identifier: MIT */
/*
 * `state` of the ocean model POP: the density of n x n x levels points of sea
 * water from their potential temperature and salinity. Each round copies both
 * in, computes, and copies the density out.
 *
 *   ./pop_state --variant streams --n 1024 --levels 42 --streams 42
 */
#include "ocean.h"

/* Relative: the device's compiler fuses multiplications and additions. */
#define TOLERANCE 1e-11
#define DENSITY	  1000 /* kg/m^3; that of sea water is above */

/* The three arrays begin with level `first`. */
__global__ void state_kernel(const double *theta, const double *s, double *rho,
			     size_t plane, int first, int levels)
{
	size_t point = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t at = blockIdx.y * plane + point;

	if (point < plane)
		rho[at] = seawater_density(
		    theta[at], s[at],
		    level_pressure(first + (int)blockIdx.y, levels));
}

struct job : ocean_job {
	double *kernel_rho; /* what the kernel writes */
};

static void launch(const struct job *job, struct range levels,
		   cudaStream_t stream)
{
	const size_t at = levels.first * job->plane;

	state_kernel<<<ocean_grid(job, levels), THREADS, 0, stream>>>(
	    job->kernel_theta + at, job->kernel_s + at, job->kernel_rho + at,
	    job->plane, (int)levels.first, job->levels);
	CHECK(cudaGetLastError());
}

static void round_serial(const struct job *job)
{
	CHECK(cudaMemcpy(job->kernel_theta, job->theta, job->bytes,
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(job->kernel_s, job->s, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, all_levels(job), 0);
	CHECK(cudaMemcpy(job->result, job->kernel_rho, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	launch(job, all_levels(job), 0);
	CHECK(cudaDeviceSynchronize());
}

static void chunk_in(const struct job *job, long i)
{
	struct range levels = chunk_levels(job, i);

	copy_levels(job, job->kernel_theta, job->theta, levels,
		    cudaMemcpyHostToDevice, job->stream[i]);
	copy_levels(job, job->kernel_s, job->s, levels, cudaMemcpyHostToDevice,
		    job->stream[i]);
}

static void chunk_compute(const struct job *job, long i)
{
	launch(job, chunk_levels(job, i), job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	if (job->options.variant == HYBRID)
		return;
	copy_levels(job, (double *)job->result, job->kernel_rho,
		    chunk_levels(job, i), cudaMemcpyDeviceToHost,
		    job->stream[i]);
}

static void set_up(struct job *job)
{
	set_up_ocean(job);
	job->kernel_rho = set_up_result(job, job->bytes);
}

static void tear_down(struct job *job)
{
	tear_down_result(job, job->kernel_rho);
	tear_down_ocean(job);
}

/* The CPU's densities; all configurations have the same inputs. */
static const double *reference(const struct job *job)
{
	static std::vector<double> rho;

	if (!rho.empty())
		return rho.data();
	rho.resize(job->plane * job->levels);
	all_of_levels(job->levels, [=](int k) {
		const double pressure = level_pressure(k, job->levels);
		const size_t first = k * job->plane;

		for (size_t i = first; i < first + job->plane; i++)
			rho[i] = seawater_density(job->theta[i], job->s[i],
						  pressure);
		return true;
	});
	return rho.data();
}

static bool is_right(const struct job *job)
{
	const double *rho = (const double *)job->result;
	const double *wanted = reference(job);

	return all_of_levels(job->levels, [=](int k) {
		return is_near(rho + k * job->plane, wanted + k * job->plane,
			       job->plane, DENSITY * TOLERANCE);
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

	return measure_all(&program, "pop-state", &choices, &job);
}
