/* SPDX-License-Identifier: MIT */
#include "model/link.h"

#include <errno.h>
#include <math.h>

/* The rate of use against each user of the other direction. */
struct against {
	double alone, copy, mapped;
	enum xs_link_use same, other_copy, other_mapped;
};

static struct against rates(const struct xs_machine *m, enum xs_link_use use)
{
	switch (use) {
	case XS_LINK_COPY_IN:
		return (struct against){m->G_h2d.value,
					m->G_both_h2d.value,
					m->h2d_vs_mapped_write.value,
					XS_LINK_READ,
					XS_LINK_COPY_OUT,
					XS_LINK_WRITE};
	case XS_LINK_COPY_OUT:
		return (struct against){m->G_d2h.value,
					m->G_both_d2h.value,
					m->d2h_vs_mapped_read.value,
					XS_LINK_WRITE,
					XS_LINK_COPY_IN,
					XS_LINK_READ};
	case XS_LINK_READ:
		return (struct against){
		    m->mapped_read.value,      m->mapped_read_vs_d2h.value,
		    m->mapped_both_read.value, XS_LINK_COPY_IN,
		    XS_LINK_COPY_OUT,	       XS_LINK_WRITE};
	default:
		return (struct against){m->mapped_write.value,
					m->mapped_write_vs_h2d.value,
					m->mapped_both_write.value,
					XS_LINK_COPY_OUT,
					XS_LINK_COPY_IN,
					XS_LINK_READ};
	}
}

double xs_link_rate(const struct xs_link *link, enum xs_link_use use)
{
	const struct xs_machine *m = link->machine;
	const unsigned *active = link->active;
	struct against a = rates(m, use);
	double rate = a.alone;

	if (use == XS_LINK_COPY_IN && link->early == active[XS_LINK_WRITE])
		a.mapped = NAN;
	if (use == XS_LINK_WRITE && link->early &&
	    m->mapped_write_early.value > 0)
		a.copy = m->mapped_write_early.value;
	/* A comparison with NAN is false: what is not known changes nothing. */
	if (active[a.other_copy] && a.copy > rate)
		rate = a.copy;
	if (active[a.other_mapped] && a.mapped > rate)
		rate = a.mapped;
	return rate * (active[use] + active[a.same]);
}

int xs_link_join(struct xs_link *link, uint32_t owner, enum xs_link_use use,
		 double bytes)
{
	const double early_ns = link->machine->mapped_write_early_ns.value;
	const bool early = use == XS_LINK_WRITE && early_ns > 0;
	unsigned u;

	link->users[link->count++] =
	    (struct xs_link_user){owner, use, bytes, early ? early_ns : 0};
	link->active[use]++;
	link->early += early;
	for (u = 0; u < XS_LINK_USES; u++)
		if (link->active[u] && isnan(xs_link_rate(link, u)))
			return -EDOM;
	return 0;
}

static double remaining_ns(const struct xs_link *link,
			   const struct xs_link_user *user)
{
	return user->bytes * xs_link_rate(link, user->use);
}

double xs_link_next_ns(const struct xs_link *link)
{
	double next = INFINITY;
	unsigned u;

	for (u = 0; u < link->count; u++) {
		const struct xs_link_user *user = &link->users[u];

		next = fmin(next, remaining_ns(link, user));
		if (user->early_ns > 0)
			next = fmin(next, user->early_ns);
	}
	return next;
}

/* Too little to be anything but rounding: a millionth of a ns, or what does
 * not move the clock. */
static bool is_rounding(double ns, double clock_ns)
{
	return ns <= 1e-6 || clock_ns + ns <= clock_ns;
}

/* What is left of an early time. */
static double after(double early_ns, double passed, double clock_ns)
{
	return is_rounding(early_ns - passed, clock_ns) ? 0 : early_ns - passed;
}

unsigned xs_link_advance(struct xs_link *link, double from_ns, double to_ns,
			 uint32_t done[XS_LINK_ROOM])
{
	const double passed = to_ns - from_ns;
	unsigned u, stay = 0, count = 0, early = 0, active[XS_LINK_USES] = {0};
	double whole;

	for (u = 0; u < link->count; u++) {
		struct xs_link_user user = link->users[u];

		whole = remaining_ns(link, &user);
		if (is_rounding(whole - passed, to_ns)) {
			done[count++] = user.owner;
			continue;
		}
		user.bytes *= (whole - passed) / whole;
		user.early_ns = after(user.early_ns, passed, to_ns);
		early += user.early_ns > 0;
		active[user.use]++;
		link->users[stay++] = user;
	}
	link->count = stay;
	link->early = early;
	for (u = 0; u < XS_LINK_USES; u++)
		link->active[u] = active[u];
	return count;
}
