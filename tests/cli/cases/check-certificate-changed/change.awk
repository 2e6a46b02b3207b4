# SPDX-License-Identifier: BSD-3-Clause
# Adds 1 to the last digit of the number with this index, counted through the file.
{
    line = ""
    rest = $0
    while (match(rest, /[0-9]+/)) {
        number = substr(rest, RSTART, RLENGTH)
        if (++count == index_wanted)
            number = substr(number, 1, RLENGTH - 1) (substr(number, RLENGTH) + 1) % 10
        line = line substr(rest, 1, RSTART - 1) number
        rest = substr(rest, RSTART + RLENGTH)
    }
    print line rest
}
