# SPDX-License-Identifier: BSD-3-Clause
# Write power_table.c: the leading 128 bits of the powers of ten declared in powers.h.
#
# 10^q and 5^q have equal leading bits. A number is a list of limbs of 16 bits, least first,
# whose products with five are exact in any awk. 5^q is the previous power times five; 5^-q is
# floor(BIG / 5^q), the previous quotient divided by five, because
# floor(floor(x / 5) / 5) = floor(x / 25). BIG is 2^1024: after 342 divisions at least 128 bits
# remain, so the leading bits are right.

function begin_with(power_of_two,    i)
{
    count = power_of_two / 16 + 1
    for (i = 0; i < count; i++)
        limb[i] = 0
    limb[count - 1] = 1
}

function times_five(    i, carry)
{
    for (i = 0; i < count; i++) {
        carry += 5 * limb[i]
        limb[i] = carry % 65536
        carry = int(carry / 65536)
    }
    if (carry)
        limb[count++] = carry
}

function divide_by_five(    i, rest)
{
    for (i = count - 1; i >= 0; i--) {
        rest = rest * 65536 + limb[i]
        limb[i] = int(rest / 5)
        rest %= 5
    }
    while (limb[count - 1] == 0)
        count--
}

# Print the top eight limbs, shifted left until the highest bit is set, as two words of C.
function leading_bits(    i, shift, at, below, text)
{
    for (shift = 1; limb[count - 1] * shift < 32768; )
        shift *= 2
    for (i = 1; i <= 8; i++) {
        at = count - i
        below = at > 0 ? limb[at - 1] : 0
        text = text (i == 5 ? "), UINT64_C(0x" : "") \
            sprintf("%04x", ((at >= 0 ? limb[at] : 0) * shift + int(below * shift / 65536)) % 65536)
    }
    return "{UINT64_C(0x" text ")}"
}

BEGIN {
    least = -342
    most = 324
    begin_with(1024)
    for (q = -1; q >= least; q--) {
        divide_by_five()
        power[q] = leading_bits()
    }
    begin_with(0)
    for (q = 0; q <= most; q++) {
        power[q] = leading_bits()
        times_five()
    }
    print "/* SPDX-License-Identifier: BSD-3-Clause */\n"
    print "/* Written by power_table.awk: change that. */\n"
    print "#include \"support/decimal/powers.h\"\n"
    print "const hsi_ten_power hsi_powers[HSI_POWER_MAX - HSI_POWER_MIN + 1] = {"
    for (q = least; q <= most; q++)
        print "    " power[q] ", /* " q " */"
    print "};"
}
