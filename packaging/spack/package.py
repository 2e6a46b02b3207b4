# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe; put it into a repository of packages as packages/hybridsched/package.py.

There is no public place for releases yet: `spack install` takes a tarball from a mirror (`spack mirror
create`), or `spack develop` a clone. Whoever publishes the project adds homepage, url and checksums.
"""

from spack.package import *


class Hybridsched(AutotoolsPackage):
    """Schedule tasks on CPUs and GPUs, with guarantees and lower bounds, and run them."""

    maintainers = []

    license("BSD-3-Clause", when="~glpk")
    license("GPL-3.0-or-later", when="+glpk")

    version("0.1.0")

    variant("glpk", default=True, description="LP and MIP bounds; makes the build GPL")
    variant("gmp", default=True, description="Verify certificates in hsched-check")
    variant("hwloc", default=True, description="Bind workers to cores")
    variant("blas", default=True, description="Kernels of OpenBLAS and LAPACKE")
    variant("sqlite", default=True, description="Profiles of measured times")
    variant("cuda", default=False, description="Module for GPUs")
    variant("python", default=False, description="Python package")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("glpk", when="+glpk")
    depends_on("gmp", when="+gmp")
    depends_on("hwloc", when="+hwloc")
    depends_on("openblas", when="+blas")
    depends_on("sqlite@3.20:", when="+sqlite")
    depends_on("cuda@12:", when="+cuda")
    conflicts("~blas", when="+cuda", msg="the module for GPUs verifies results with OpenBLAS")

    extends("python@3.9:", when="+python")
    depends_on("py-cffi@1.12:", when="+python", type=("build", "run"))
    depends_on("py-numpy", when="+python", type=("build", "run"))

    def configure_args(self):
        args = ["--disable-openmp", "--without-check", "--without-opencl", "--without-mpi"]
        for option, variant in [("glpk", "glpk"), ("gmp", "gmp"), ("hwloc", "hwloc"),
                                ("openblas", "blas"), ("lapacke", "blas"), ("sqlite", "sqlite")]:
            args += self.with_or_without(option, variant=variant)
        if self.spec.satisfies("+cuda"):
            args.append("--with-cuda=" + self.spec["cuda"].prefix)
        else:
            args.append("--without-cuda")
        if self.spec.satisfies("+python"):
            args.append("--with-python=" + self.spec["python"].command.path)
        else:
            args.append("--without-python")
        return args

    def install(self, spec, prefix):
        args = ["install"]
        if spec.satisfies("+python"):
            args.append("pythondir=" + python_platlib)
        make(*args)
