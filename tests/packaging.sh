#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check the recipes of debian/ and packaging/, and CITATION.cff: their syntax as far as tools for it are
# installed, the options that they give to configure, and their version. packaging/debian-check.sh
# builds the Debian packages.

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
command -v python3 >/dev/null || { echo "packaging: skipped: no python3"; exit 77; }
: "${PYTHON:=python3}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/packaging.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "packaging: $*"; failed=1; }
cd "$srcdir" || exit 99

for script in packaging/*.sh packaging/conda/build.sh python/wheel.sh tests/wheel.sh; do
    sh -n "$script" || fail "$script is no script"
done
make -n -f debian/rules -p >"$scratch/rules" 2>&1 || fail "debian/rules is no makefile"

# Every recipe has the version of the next release.
numbers=$(sed -n 's/^m4_define(\[HS_NUMBERS\], \[\(.*\)\])$/\1/p' configure.ac)
has_version() { # FILE VERSION
    [ "$2" = "$numbers" ] || fail "$1 has version '$2', and HS_NUMBERS in configure.ac is '$numbers'"
}
has_version debian/changelog "$(sed -n '1s/^hybridsched (\(.*\)-[^-]*).*/\1/p' debian/changelog)"
has_version packaging/spack/package.py \
    "$(sed -n 's/^    version("\(.*\)".*/\1/p' packaging/spack/package.py | head -n 1)"
has_version packaging/conda/meta.yaml \
    "$(sed -n 's/.*"HS_VERSION", "\(.*\)".*/\1/p' packaging/conda/meta.yaml)"

# What Spack's recipe gives to configure, with every variant and without. Its classes are imitated here.
cat >"$scratch/spack.py" <<'PYTHON'
import sys, types

class Spec:
    def __init__(self, on):
        self.on = on
    def satisfies(self, variant):
        return (variant[0] == "+") == self.on
    def __getitem__(self, name):
        return types.SimpleNamespace(prefix="/prefix", command=types.SimpleNamespace(path="/python3"))

class AutotoolsPackage:
    def with_or_without(self, name, variant):
        assert variant in variants, variant
        return ["--with-" + name if self.spec.on else "--without-" + name]

variants = set()
names = {"AutotoolsPackage": AutotoolsPackage, "variant": lambda name, **_: variants.add(name)}
for name in ("license", "version", "depends_on", "conflicts", "extends"):
    names[name] = lambda *_, **__: None
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = types.ModuleType("spack.package")
sys.modules["spack.package"].__dict__.update(names)
found = {}
with open("packaging/spack/package.py", encoding="utf-8") as file:
    exec(compile(file.read(), "package.py", "exec"), found)
for on in (True, False):
    package = found["Hybridsched"]()
    package.spec = Spec(on)
    with open(sys.argv[1] + ("/spack-with.args" if on else "/spack-without.args"), "w") as file:
        print("\n".join(package.configure_args()), file=file)
PYTHON
PYTHONDONTWRITEBYTECODE=1 python3 "$scratch/spack.py" "$scratch" ||
    fail "packaging/spack/package.py does not work"
for recipe in debian/rules packaging/conda/build.sh python/wheel.sh; do
    grep -v '^#' $recipe | grep -oE -e '--(with|without|enable|disable)-[a-z0-9-]+' \
        >"$scratch/$(echo $recipe | tr / -).args"
done
cat "$scratch"/*.args >"$scratch/options"

# No package depends on what happens to be installed where it is built: every recipe decides on every optional
# dependency, except for the framework of the unit tests.
sed -n 's/^HS_WITH_LIBRARY(\[\([a-z0-9]*\)\].*/\1/p; s/^HS_WITH_\([A-Z]*\)$/\1/p' configure.ac |
    tr '[:upper:]' '[:lower:]' | grep -vx check >"$scratch/dependencies"
[ "$(wc -l <"$scratch/dependencies")" -ge 9 ] || fail "few optional dependencies were found in configure.ac"
while read -r dependency; do
    for recipe in "$scratch"/*.args; do
        grep -qE -e "^--with(out)?-$dependency(=|\$)" "$recipe" ||
            fail "$(basename "$recipe" .args) has neither --with-$dependency nor --without-$dependency"
    done
done <"$scratch/dependencies"

# The options of configure; this writes no file.
./configure --help >"$scratch/help" || exit 99
sed 's/=.*//; s/^--without-/--with-/; s/^--disable-/--enable-/' "$scratch/options" | sort -u |
    while read -r option; do
        grep -qE -e "^  (${option}|$(echo "$option" | sed 's/^--enable/--disable/'))([^a-z0-9-]|\$)" \
            "$scratch/help" || echo "$option"
    done >"$scratch/unknown"
[ "$(wc -l <"$scratch/options")" -ge 30 ] || fail "few options of configure were found in the recipes"
[ ! -s "$scratch/unknown" ] || fail "configure has no options $(tr '\n' ' ' <"$scratch/unknown")"

# YAML, and schemas, as far as the tools are installed.
if command -v cffconvert >/dev/null; then
    cffconvert --validate -i CITATION.cff >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "CITATION.cff"; }
else
    echo "packaging: no cffconvert: CITATION.cff is read as YAML only"
fi
if "$PYTHON" -c 'import yaml' 2>/dev/null; then
    "$PYTHON" - <<'PYTHON' || fail "bad YAML"
import re, yaml

with open("CITATION.cff", encoding="utf-8") as file:
    cited = yaml.safe_load(file)
assert cited["cff-version"] == "1.2.0" and cited["license"] == "BSD-3-Clause", cited
assert all(reference["authors"] and reference["title"] for reference in cited["references"])
with open("packaging/conda/meta.yaml", encoding="utf-8") as file:
    recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "text", file.read()))
assert {"package", "source", "requirements", "test", "about"} <= set(recipe), recipe
PYTHON
else
    echo "packaging: no PyYAML: CITATION.cff and meta.yaml are not read"
fi
command -v conda >/dev/null || echo "packaging: no conda: its recipe is checked for syntax only"
command -v spack >/dev/null || echo "packaging: no spack: its recipe runs on imitated classes only"
exit $failed
