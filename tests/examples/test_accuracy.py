# SPDX-License-Identifier: MIT
"""Which time of an estimate examples/validate/accuracy.py compares.

  test_accuracy.py VALIDATE
"""
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import accuracy  # noqa: E402


def streams(**changes):
    return {"strategy": "streams", "model": "replay", "applies": True,
            "n_streams": 4, "order": "depth", "round_ns": 100, "low_ns": 90,
            "high_ns": 170, "bound": None, "otherwise_ns": None, **changes}


def row_of(workload):
    return accuracy.Row(
        workload=workload, size=1, baseline=f"{workload}-1-pinned",
        strategy="streams", n_streams=4, order="depth", measured_ns=160,
        spread_ns=1)


def said(workload, estimate):
    found = accuracy.find([estimate], row_of(workload),
                          lambda model: model == estimate["model"])
    return found and found["round_ns"]


class Compared(unittest.TestCase):
    def test_a_bound_whose_condition_holds_is_what_it_says(self):
        self.assertEqual(
            said("chain", streams(bound="pieces", otherwise_ns=150)), 100)

    def test_else_it_is_what_it_is_without(self):
        self.assertEqual(
            said("chain-all", streams(bound="pieces", otherwise_ns=150)), 150)

    def test_without_a_condition_there_is_one_time(self):
        self.assertEqual(said("chain-all", streams()), 100)

    def test_an_equation_that_does_not_hold_says_nothing(self):
        self.assertIsNone(said("chain-all", streams(
            model="vanwerkhoven2014-eq5", order=None, bound="pieces")))

    def test_other_strategies_are_not_concerned(self):
        estimate = streams(strategy="double-buffer", bound="ready",
                           n_streams=None, order=None)
        self.assertIs(accuracy.said_of("chain-all", estimate), estimate)


if __name__ == "__main__":
    unittest.main()
