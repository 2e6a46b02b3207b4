#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that every mutant of tests/mutants still fits the current sources.

command -v python3 >/dev/null || { echo "mutants: no python3"; exit 77; }
"${srcdir:-.}/tests/mutants/run" --list >/dev/null
