#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every change of tests/mutants that `make mutants` tries fits the sources as they are now.

command -v python3 >/dev/null || { echo "mutants: no python3"; exit 77; }
"${srcdir:-.}/tests/mutants/run" --list >/dev/null
