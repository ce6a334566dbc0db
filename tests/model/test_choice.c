/* SPDX-License-Identifier: MIT */
/* Which profile a trace gets without --machine. */
#include "tests/model/model_test.h"

#include "model/machine/choice.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define UUID "GPU-00112233-4455-6677-8899-aabbccddeeff"

static char folder[PATH_MAX], own[PATH_MAX], why[1200];
static struct xs_machine_identity identity;
static struct xs_machine stored, chosen;

static void write_stored(void)
{
	FILE *file = fopen(own, "w");

	assert_non_null(file);
	assert_int_equal(xs_machine_write(&stored, file), 0);
	assert_int_equal(fclose(file), 0);
}

/* An H200 whose user has calibrated it. */
FIXTURE(set_up)
{
	setenv("XDG_DATA_HOME", getcwd(folder, sizeof(folder)), 1);
	mkdir("xferspy", 0777);
	identity =
	    (struct xs_machine_identity){"NVIDIA H200", UUID, "node1", 5, 16};
	assert_int_equal(xs_machine_own_path(UUID, "node1", own, sizeof(own)),
			 0);
	stored = shipped("h200");
	strcpy(stored.name, "mine");
	strcpy(stored.uuid, UUID);
	strcpy(stored.host, "node1");
	write_stored();
	return 0;
}

static int choose(void)
{
	xs_machine_init(&chosen);
	return xs_machine_choose(&identity, &chosen, why, sizeof(why));
}

/* The shipped profile is taken, and `why` contains the text. */
static void expect_shipped(const char *text)
{
	assert_int_equal(choose(), XS_MACHINE_SHIPPED);
	assert_string_equal(chosen.name, "h200");
	if (!strstr(why, text))
		fail_msg("\"%s\" lacks \"%s\"", why, text);
}

TEST(test_own_calibration_comes_first)
{
	assert_int_equal(choose(), XS_MACHINE_CALIBRATED);
	assert_string_equal(chosen.name, "mine");
	assert_near(chosen.G_h2d.low, stored.G_h2d.low);
	assert_has(why, "this GPU and host");
}

/* Its ranges are those between machines. */
TEST(test_then_the_shipped_profile)
{
	const struct xs_machine same = shipped("h200");

	unlink(own);
	expect_shipped("no calibration is stored");
	assert_near(chosen.G_h2d.value, same.G_h2d.value);
	assert_near(chosen.G_h2d.high, same.G_h2d.high);
	assert_near(chosen.pageable_h2d.low_ns[3], same.pageable_h2d.low_ns[3]);
}

TEST(test_ranges_of_another_machine_are_wider)
{
	struct xs_machine other = stored;

	xs_machine_widen(&other);
	assert_near(other.G_h2d.value, stored.G_h2d.value);
	assert_true(other.G_h2d.high > stored.G_h2d.high);
	assert_true(other.G_h2d.high < 1.03 * stored.G_h2d.high);
	assert_true(other.call_launch_ns.high >
		    1.4 * stored.call_launch_ns.high);
	/* of the host's pages, not of the link */
	assert_true(other.host_copy_byte_ns.high >
		    1.4 * stored.host_copy_byte_ns.high);
	assert_true(other.touch_byte_ns.high > 1.4 * stored.touch_byte_ns.high);
	assert_true(other.pageable_h2d.low_ns[3] <
		    stored.pageable_h2d.low_ns[3]);
}

TEST(test_then_a_fit)
{
	unlink(own);
	identity.gpu = "NVIDIA H200 NVL";
	assert_int_equal(choose(), XS_MACHINE_FITTED);
	assert_has(why, "no profile of this GPU model");
	identity.gpu = "NVIDIA H200";
	identity.pcie_gen = 4;
	assert_int_equal(choose(), XS_MACHINE_FITTED);
	/* published, without the times of calls */
	identity = (struct xs_machine_identity){.gpu = "NVIDIA Tesla V100"};
	assert_int_equal(choose(), XS_MACHINE_FITTED);
	identity.gpu = NULL;
	assert_int_equal(choose(), XS_MACHINE_FITTED);
	assert_true(isnan(chosen.G_h2d.value));
}

TEST(test_foreign_calibrations_are_refused)
{
	strcpy(stored.uuid, "GPU-ff112233-4455-6677-8899-aabbccddeeff");
	write_stored();
	expect_shipped("is of another GPU");
	strcpy(stored.uuid, UUID);
	strcpy(stored.gpu, "NVIDIA H100");
	write_stored();
	expect_shipped("is of another GPU");
	strcpy(stored.gpu, "NVIDIA H200");
	strcpy(stored.host, "node2");
	write_stored();
	expect_shipped("is of another host");
	strcpy(stored.host, "node1");
	stored.pcie_width = 8;
	write_stored();
	expect_shipped("another PCIe link");
	stored.pcie_width = 16;
	strcpy(stored.source, "published");
	write_stored();
	expect_shipped("is no calibration");
	strcpy(stored.source, "calibrated");
	stored.G_d2h.value = NAN;
	write_stored();
	expect_shipped("no rates of copies");
}

TEST(test_damaged_calibrations_are_refused)
{
	static const char *const damaged[] = {"", "{", "[]", "{\"schema\": 99}",
					      "{\"schema\": 1, \"name\": 3}"};

	for (size_t i = 0; i < COUNT(damaged); i++) {
		FILE *file = fopen(own, "w");

		assert_non_null(file);
		fputs(damaged[i], file);
		fclose(file);
		expect_shipped(
		    "the stored calibration is refused: machine profile ");
	}
	unlink(own);
	assert_int_equal(mkdir(own, 0777), 0);
	expect_shipped("is refused");
	rmdir(own);
}

TEST(test_older_traces_have_no_uuid)
{
	identity.uuid = NULL;
	expect_shipped("has no UUID");
	identity.uuid = UUID;
	identity.host = "";
	expect_shipped("has no UUID");
}

TEST(test_names_in_traces_stay_in_the_folder)
{
	char path[PATH_MAX], expected[PATH_MAX + 32];

	assert_int_equal(
	    xs_machine_own_path("../../a", "b/../c", path, sizeof(path)), 0);
	snprintf(expected, sizeof(expected), "%s/xferspy/..-..-a@b-..-c.json",
		 folder);
	assert_string_equal(path, expected);
	assert_int_equal(xs_machine_own_path(UUID, "h", path, 10),
			 -ENAMETOOLONG);
	assert_int_equal(xs_machine_own_path(NULL, "h", path, 10), -ENOENT);
}

TEST(test_home_without_xdg)
{
	char path[PATH_MAX];

	setenv("XDG_DATA_HOME", "relative", 1);
	setenv("HOME", "/home/me", 1);
	assert_int_equal(xs_machine_own_path("u", "h", path, sizeof(path)), 0);
	assert_string_equal(path, "/home/me/.local/share/xferspy/u@h.json");
	unsetenv("HOME");
	assert_int_equal(xs_machine_own_path("u", "h", path, sizeof(path)),
			 -ENOENT);
}

TEST(test_published_values_have_ranges)
{
	char names[64][XS_MACHINE_NAME_MAX];
	struct xs_machine m;
	int count, i;

	shipped("h200"); /* sets the folder */
	count = xs_machine_names(names, COUNT(names));
	for (i = 0; i < count; i++) {
		m = shipped(names[i]);
		if (strcmp(m.source, "published") != 0)
			continue;
#define EXPECT_RANGE(param, unit, what)                                        \
	assert_true(isnan(m.param.value) || m.param.low < m.param.high);
		XS_MACHINE_PARAMS(EXPECT_RANGE)
#undef EXPECT_RANGE
	}
}

/* Of --machine: a name is of some machine of the model, a file of the one that
 * it names. */
TEST(test_only_this_machine_is_calibrated)
{
	struct xs_machine named = shipped("h200");
	const char *mismatch;

	assert_true(named.shipped);
	assert_int_equal(xs_machine_origin_of(&named, &identity, &mismatch),
			 XS_MACHINE_SHIPPED);
	assert_null(mismatch);
	named = shipped("k20m");
	assert_int_equal(xs_machine_origin_of(&named, &identity, &mismatch),
			 XS_MACHINE_GIVEN);
	stored.shipped = false;
	assert_int_equal(xs_machine_origin_of(&stored, &identity, &mismatch),
			 XS_MACHINE_CALIBRATED);
	assert_null(mismatch);
	strcpy(stored.host, "node2");
	assert_int_equal(xs_machine_origin_of(&stored, &identity, &mismatch),
			 XS_MACHINE_GIVEN);
	assert_string_equal(mismatch, "it is of another host");
	stored.uuid[0] = '\0';
	assert_int_equal(xs_machine_origin_of(&stored, &identity, &mismatch),
			 XS_MACHINE_GIVEN);
	assert_null(mismatch);
}

RUN_TESTS(set_up, NULL)
