/* SPDX-License-Identifier: MIT */
/*
 * The density of sea water: the equation of state of McDougall, Jackett,
 * Wright and Feistel, "Accurate and Computationally Efficient Algorithms for
 * Potential Temperature and Density of Seawater", J. Atmos. Oceanic Technol.
 * 20 (2003), a quotient of two polynomials of 25 terms together. It is one of
 * those that the ocean model POP knows.
 */
#ifndef XS_EXAMPLES_SEAWATER_H
#define XS_EXAMPLES_SEAWATER_H

#include <cmath>
#include <cstdio>
#include <cstdlib>

/* In kg/m^3; theta: potential temperature in degrees C, s: salinity in psu,
 * p: pressure in dbar above the atmosphere's. */
__host__ __device__ static inline double seawater_density(double theta,
							  double s, double p)
{
	const double theta2 = theta * theta;
	const double numerator =
	    9.99843699e+2 +
	    theta * (7.35212840e+0 +
		     theta * (-5.45928211e-2 + theta * 3.98476704e-4)) +
	    s * (2.96938239e+0 - 7.23268813e-3 * theta + 2.12382341e-3 * s) +
	    p * (1.04004591e-2 + 1.03970529e-7 * theta2 + 5.18761880e-6 * s +
		 p * (-3.24041825e-8 - 1.23869360e-11 * theta2));
	const double denominator =
	    1 +
	    theta *
		(7.28606739e-3 +
		 theta * (-4.60835542e-5 +
			  theta * (3.68390573e-7 + theta * 1.80809186e-10))) +
	    s * (2.14691708e-3 +
		 theta * (-9.27062484e-6 - 1.78343643e-10 * theta2) +
		 sqrt(s) * (4.76534122e-6 + 1.63410736e-9 * theta2)) +
	    p * (5.30848875e-6 +
		 p * theta * (-3.03175128e-16 * theta2 - 1.27934137e-17 * p));

	return numerator / denominator;
}

/* Returns the depth of level k's middle in m: levels from 10 m thick at the
 * surface to 250 m at the bottom, if there are 42. */
__host__ __device__ static inline double level_depth(int k, int levels)
{
	const double down = (k + 0.5) / levels;

	return 5500 * down * (0.08 + 0.92 * down);
}

/* Returns the pressure there in dbar: that of the water above, whose density
 * grows with depth. */
__host__ __device__ static inline double level_pressure(int k, int levels)
{
	const double depth = level_depth(k, levels);

	return depth * (1.0076 + 2.3e-6 * depth);
}

/* Exits if the density differs from the paper's value. */
static inline void check_seawater(void)
{
	static const struct {
		double theta, s, p, density;
	} published[] = {
	    {25, 35, 2000, 1031.654229},
	    {20, 20, 1000, 1017.726743},
	    {12, 40, 8000, 1062.928258},
	};

	for (const auto &at : published) {
		double density = seawater_density(at.theta, at.s, at.p);

		if (fabs(density - at.density) <= 1e-6)
			continue;
		fprintf(stderr,
			"density at %g C, %g psu, %g dbar: %.6f, not %.6f\n",
			at.theta, at.s, at.p, density, at.density);
		exit(2);
	}
}

#endif
