# SPDX-License-Identifier: BSD-3-Clause
"""Tables in the library's CSV format: from columns to text, and back."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Optional

import numpy as np

from ._errors import Error, InvalidArgument, failure
from ._library import ffi, lib, near, registry, text
from ._profile import KINDS

csv.field_size_limit(sys.maxsize)  # commands and lists may be longer than Python's default

LINKS = ("h2d", "d2h", "d2d")
UNITS = tuple(text(lib.hs_unit_name(number)) for number in range(4))
TYPES = {text(column.name): column.type for column in registry(lib.hs_column_at)}
NUMBERS = {
    lib.HS_COLUMN_TIME: float,
    lib.HS_COLUMN_NUMBER: float,
    lib.HS_COLUMN_INTEGER: int,
    lib.HS_COLUMN_COUNT: int,
}


def header(cpus: int, gpus: int, unit: str, links: Optional[Mapping[str, tuple[float, float]]],
           data_bytes: Optional[Mapping[str, float]],
           data_memory: Optional[Mapping[str, str]]) -> bytes:
    """Return the lines above the table."""
    if unit not in UNITS:
        raise InvalidArgument(f"unknown unit {unit!r}; expected one of {', '.join(UNITS)}")
    lines = [f"# hybridsched instance 1\n# cpus {cpus}\n# gpus {gpus}\n# unit {unit}\n"]
    for name, (latency, bandwidth) in (links or {}).items():
        if name not in LINKS:
            raise InvalidArgument(f"unknown link {name!r}; expected one of {', '.join(LINKS)}")
        lines.append(f"# link {name} {float(latency)!r} {float(bandwidth)!r}\n")
    sizes, memory = dict(data_bytes or {}), dict(data_memory or {})
    for name in [*sizes, *(other for other in memory if other not in sizes)]:
        where = str(memory.get(name, ""))
        if any(end in name + where for end in "\n\r"):
            raise InvalidArgument(f"the name or memory of data {name!r} contains a line break")
        lines.append(f"# data {name} {float(sizes.get(name, 0))!r} {where}".rstrip() + "\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def listed_name(name: Any) -> str:
    """Return a name for the lists ``after`` and ``data``. The empty name is refused."""
    words = str(name)
    if not words:
        raise InvalidArgument("a list of 'after' or 'data', or an edge of the graph, contains the "
                              "empty name; give that task or data item another name")
    return words.replace("\\", "\\\\").replace(";", "\\;").replace(":", "\\:")


def _listed(value: Any) -> str:
    """Return a cell of ``after`` or ``data``: text as in files, a list of names, or a mapping."""
    if isinstance(value, Mapping):
        return ";".join(f"{listed_name(name)}:{_cell(of)}" for name, of in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ";".join(listed_name(name) for name in value)
    return _cell(value)


def _cell(value: Any) -> str:
    """Return a value as text; empty for None, NaN and the missing values of pandas."""
    if value is None or type(value).__name__ == "NAType" or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        return str(int(value))
    return str(value)


def _cells(name: str, values: Any) -> list[Any]:
    """Return the cells of a column, as csv writes them."""
    array = np.asarray(values) if not isinstance(values, (list, tuple)) else None
    if TYPES[name] == lib.HS_COLUMN_LIST:
        return [_listed(value) for value in values]
    if array is not None and array.dtype.kind in "iu":
        listed: list[Any] = array.tolist()
        return listed
    if array is not None and array.dtype.kind == "f" and NUMBERS.get(TYPES[name]) is float:
        listed = array.astype(np.float64).tolist()
        if np.isnan(array).any():
            listed = ["" if value != value else value for value in listed]
        return listed
    return [_cell(value) for value in values]


class Rows:
    """The rows of an instance, taken from a frame."""

    def __init__(self, frame: Any, renamed: Mapping[str, str]) -> None:
        for name in renamed:
            if name not in TYPES:
                raise TypeError(f"'{name}' is no column of an instance and no argument"
                                f"{near(name, TYPES)}")
        present = list(frame.keys())
        if not renamed:
            for name in present:
                if name not in TYPES:
                    raise InvalidArgument(
                        f"unknown column {name!r}{near(str(name), TYPES) or ';'} pass "
                        f"cpu={name!r}, or another column of an instance, to use columns by other "
                        "names; then further columns are ignored")
        self.sources = {name: renamed.get(name, name) for name in TYPES}
        for name, source in renamed.items():
            if source not in present:
                raise InvalidArgument(f"{name}={source!r}: the frame has no such column"
                                      f"{near(source, map(str, present))}")
        self.sources = {name: source for name, source in self.sources.items()
                        if source in present}
        if not self.sources:
            raise InvalidArgument("the frame has no column of an instance; expected cpu and gpu, "
                                  "or pass the names of its columns: cpu='...', gpu='...'")
        self.cells = {name: _cells(name, frame[source]) for name, source in self.sources.items()}
        if len({len(cells) for cells in self.cells.values()}) != 1:
            lengths = ", ".join(f"{name}: {len(cells)}" for name, cells in self.cells.items())
            raise InvalidArgument(f"the columns have different lengths: {lengths}")

    def text(self) -> bytes:
        """Return the table with its header, without the lines above."""
        out = io.StringIO()
        out.write(",".join(self.cells) + "\n")
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerows(zip(*self.cells.values()))
        return out.getvalue().encode("utf-8", "surrogateescape")

    def failure(self, status: int, error: Any, lines_above: int) -> Error:
        """Return the exception for a row that the library refused, named by its id."""
        why = ffi.string(error.why).decode("utf-8", "replace")
        line, row = int(error.line) - lines_above - 1, -1
        if line > 0:
            for row, cells in enumerate(zip(*self.cells.values())):
                line -= 1 + sum(cell.count("\n") for cell in cells if isinstance(cell, str))
                if line <= 0:
                    break
        place = ""
        if row >= 0:
            ids = self.cells.get("id")
            place = f"row {row} ('{ids[row]}'): " if ids else f"row {row}: "
        return failure(status, place + why if why else "")


def written_times(content: bytes, times: Mapping[tuple[int, int], str]) -> bytes:
    """Return an instance's file with other times, given by row and type (0: cpu, 1: gpu).

    They are no guesses, so the column ``guess`` no longer names them.
    """
    lines = io.StringIO(content.decode("utf-8", "surrogateescape"), newline="")
    above, position = "", 0
    while (line := lines.readline()).startswith("#"):
        above, position = above + line, lines.tell()
    lines.seek(position)
    names, *rows = csv.reader(lines)
    for name in KINDS:
        if name not in names:
            raise InvalidArgument(f"the file of the instance has no column '{name}'")
    guess = names.index("guess") if "guess" in names else None
    for (row, kind), time in times.items():
        name, other = KINDS[kind], KINDS[1 - kind]
        rows[row][names.index(name)] = time
        if guess is not None and rows[row][guess] in (name, "both"):
            rows[row][guess] = other if rows[row][guess] == "both" else ""
    out = io.StringIO()
    out.write(above + ",".join(names) + "\n")
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogateescape")


def columns(content: bytes) -> dict[str, Any]:
    """Return the columns of an instance's file as arrays and lists."""
    lines = io.StringIO(content.decode("utf-8", "surrogateescape"), newline="")
    position = 0
    while lines.readline().startswith("#"):
        position = lines.tell()
    lines.seek(position)
    names, *rows = csv.reader(lines)
    found: dict[str, Any] = {}
    for name, cells in zip(names, zip(*rows) if rows else ((),) * len(names)):
        number = NUMBERS.get(TYPES[name])
        if number is None:
            found[name] = list(cells)
        elif number is int:
            found[name] = np.array([int(cell) if cell else 1 for cell in cells], dtype=np.int64)
        elif "?" in cells or "" in cells:
            found[name] = np.array([cell if cell in ("?", "") else float(cell)
                                    for cell in cells], dtype=object)
        else:
            found[name] = np.array(cells, dtype=np.float64)
    return found
