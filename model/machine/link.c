/* SPDX-License-Identifier: MIT */
#include "model/machine/link.h"

#include <math.h>

/* The rate of a use against each use of the other direction. */
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

static double fullest_share(const struct xs_link *link)
{
	double share = 0;

	for (unsigned u = 0; u < link->count; u++)
		if (link->users[u].use == XS_LINK_WRITE)
			share = fmax(share, link->users[u].share);
	return share;
}

/*
 * Returns ns per byte of one user of a kind: its own rate, or the slowest rate
 * measured against an active user of the other direction. Users of one
 * direction share it evenly. A pair that was not measured does not slow down.
 * NAN if the user's own rate is unknown.
 *
 * Mapped writes and copies in: a copy keeps its rate until the writes have
 * filled the outbound queue; then its read requests wait behind them. Until
 * then the writes have a rate of their own. A copy that starts during mapped
 * writes waits for its first bytes until the writes end or h2d_stall_ns have
 * passed. Writes that start during a copy in wait likewise, for up to
 * mapped_write_stall_ns. If both start at once, the copy is first.
 */
static double rate_of(const struct xs_link *link, enum xs_link_use use)
{
	const struct xs_machine *m = link->machine;
	const unsigned *active = link->active;
	struct against a = rates(m, use);
	double rate = a.alone;

	if (use == XS_LINK_COPY_IN)
		a.mapped =
		    link->early == active[XS_LINK_WRITE]
			? NAN
			: a.alone + (a.mapped - a.alone) * fullest_share(link);
	if (use == XS_LINK_WRITE && link->early &&
	    m->mapped_write_early.value > 0)
		a.copy = m->mapped_write_early.value;
	/* A comparison with NAN is false: an unknown rate changes nothing. */
	if (active[a.other_copy] && a.copy > rate)
		rate = a.copy;
	if (active[a.other_mapped] && a.mapped > rate)
		rate = a.mapped;
	return rate * (active[use] + active[a.same]);
}

/* From the start of a kernel to its first writes, before which it has to read.
 * Measured on an H200: 0.5 to 7 us. */
#define WRITES_ARRIVE_NS 2000.0

static bool have_writes_arrived(const struct xs_link *link)
{
	for (unsigned u = 0; u < link->count; u++)
		if (link->users[u].use == XS_LINK_WRITE &&
		    link->users[u].age_ns > WRITES_ARRIVE_NS)
			return true;
	return false;
}

/* Returns how long a user that joins now may wait for its first bytes. */
static double stall_ns(const struct xs_link *link, enum xs_link_use use)
{
	const struct xs_machine *m = link->machine;
	double ns = 0;

	if (use == XS_LINK_COPY_IN && have_writes_arrived(link))
		ns = m->h2d_stall_ns.value;
	else if (use == XS_LINK_WRITE && link->active[XS_LINK_COPY_IN])
		ns = m->mapped_write_stall_ns.value;
	return ns > 0 ? ns : 0;
}

bool xs_link_join(struct xs_link *link, uint32_t owner, enum xs_link_use use,
		  double bytes, double share)
{
	const double early_ns = link->machine->mapped_write_early_ns.value;
	const bool early = use == XS_LINK_WRITE && early_ns > 0;
	const double wait_ns = stall_ns(link, use);

	link->users[link->count++] = (struct xs_link_user){
	    owner, use, bytes, early ? early_ns : 0, wait_ns, share, 0};
	link->active[use]++;
	link->early += early;
	for (unsigned u = 0; u < XS_LINK_USES; u++)
		if (link->active[u] && isnan(rate_of(link, u)))
			return false;
	return true;
}

static double remaining_ns(const struct xs_link *link,
			   const struct xs_link_user *user)
{
	return user->stall_ns + user->bytes * rate_of(link, user->use);
}

double xs_link_next_ns(const struct xs_link *link)
{
	double next = INFINITY;

	for (unsigned u = 0; u < link->count; u++) {
		const struct xs_link_user *user = &link->users[u];

		next = fmin(next, remaining_ns(link, user));
		if (user->early_ns > 0)
			next = fmin(next, user->early_ns);
	}
	return next;
}

/* Returns whether a time is only rounding error: below a millionth of a ns, or
 * too small to advance the clock. */
static bool is_rounding(double ns, double clock_ns)
{
	return ns <= 1e-6 || clock_ns + ns <= clock_ns;
}

/* Returns the rest of a time after some of it has passed. */
static double left_of(double ns, double passed_ns, double clock_ns)
{
	return is_rounding(ns - passed_ns, clock_ns) ? 0 : ns - passed_ns;
}

/* Advances a user by less than the time that it needs to finish. */
static void advance_user(const struct xs_link *link, struct xs_link_user *user,
			 double passed_ns, double clock_ns)
{
	const double moving_ns = fmax(passed_ns - user->stall_ns, 0);

	user->bytes -= moving_ns / rate_of(link, user->use);
	user->stall_ns = left_of(user->stall_ns, passed_ns, clock_ns);
	user->early_ns = left_of(user->early_ns, passed_ns, clock_ns);
	user->age_ns += passed_ns;
}

/* Counts the users by kind. A stall ends when there is nothing to wait for. */
static void count_users(struct xs_link *link)
{
	for (unsigned u = 0; u < XS_LINK_USES; u++)
		link->active[u] = 0;
	link->early = 0;
	for (unsigned u = 0; u < link->count; u++) {
		link->active[link->users[u].use]++;
		link->early += link->users[u].early_ns > 0;
	}
	for (unsigned u = 0; u < link->count; u++)
		if (!link->active[link->users[u].use == XS_LINK_WRITE
				      ? XS_LINK_COPY_IN
				      : XS_LINK_WRITE])
			link->users[u].stall_ns = 0;
}

unsigned xs_link_advance(struct xs_link *link, double from_ns, double to_ns,
			 uint32_t done[XS_LINK_ROOM])
{
	const double passed_ns = to_ns - from_ns;
	struct xs_link_user stays[XS_LINK_ROOM];
	unsigned u, stay = 0, count = 0;

	for (u = 0; u < link->count; u++) {
		struct xs_link_user user = link->users[u];

		if (is_rounding(remaining_ns(link, &user) - passed_ns, to_ns)) {
			done[count++] = user.owner;
			continue;
		}
		advance_user(link, &user, passed_ns, to_ns);
		stays[stay++] = user;
	}
	for (u = 0; u < stay; u++)
		link->users[u] = stays[u];
	link->count = stay;
	count_users(link);
	return count;
}
