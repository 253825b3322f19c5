from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *

# What CMake looks for on behalf of a variant: without the variant it must not find the system's.
LOOKED_FOR = {
    "verbs": ("IBVERBS_INCLUDE", "IBNETDISC_INCLUDE", "IBMAD_INCLUDE", "IBUMAD_INCLUDE"),
    "ofi": ("LIBFABRIC_INCLUDE", "LIBFABRIC_LIBRARY"),
    "pmix": ("PMIX_INCLUDE",),
    "ucx": ("UCX_INCLUDE", "UCP_LIBRARY", "UCS_LIBRARY"),
    "openblas": ("AYATORI_OPENBLAS",),
}


class Ayatori(PythonPackage):
    """See the network that HPC software runs on, and use it: read its topology, choose the paths of messages, predict
    and execute collectives in MPI programs, and exchange messages in bounded memory."""

    homepage = "https://ayatori.example"

    license("BSD-3-Clause")

    # No archive is published: `spack develop --path` names the tree.
    version("0.1.0")

    variant("mpi", default=True, description="Plug-in and benchmarks for the MPI of the spec")
    variant("verbs", default=True, description="Sources and transport over InfiniBand verbs")
    variant("ofi", default=True, description="Provider of libfabric, for `ayatori run --transport`")
    variant("pmix", default=True, description="libacp's jobs under PMIx on several hosts")
    variant("ucx", default=False, description="Compare with UCX in `ayatori bench incast`")
    variant("openblas", default=False, description="Mixed precision in `ayatori bench hpl`")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.4:", type="build")

    depends_on("python@3.10:", type=("build", "link", "run"))
    with default_args(type=("build", "run")):
        depends_on("py-click@8.2:8.4")
        depends_on("py-numpy@1.24:")
        depends_on("py-plotly@5.20:")
        depends_on("py-rich@13:")
        depends_on("py-tomli@2:", when="^python@:3.10")
        depends_on("py-typer@0.15:0.19")
        depends_on("py-typing-extensions@4.6:")

    depends_on("fmt@9:")
    depends_on("libyaml")
    depends_on("nettle")
    depends_on("nlohmann-json", type="build")
    depends_on("tomlplusplus", type="build")
    depends_on("xxhash", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("rdma-core", when="+verbs")
    depends_on("libfabric@1.15:", when="+ofi")
    depends_on("pmix", when="+pmix")
    depends_on("ucx", when="+ucx")
    depends_on("openblas", when="+openblas")

    conflicts("%gcc@:11", msg="GCC before 12 lacks <expected>")
    conflicts("%clang@:18", msg="clang before 19 does not compile <expected> of GCC's library")

    def config_settings(self, spec, prefix):
        defined = {"CMAKE_INSTALL_RPATH_USE_LINK_PATH": "ON", "YAML_LIBRARY": spec["libyaml"].libs[0]}
        for family in ("openmpi", "mpich"):
            used = spec.satisfies("+mpi") and (spec["mpi"].name == "openmpi") == (family == "openmpi")
            defined[f"AYATORI_MPICC_{family}"] = spec["mpi"].mpicc if used else ""
            defined[f"AYATORI_MPICXX_{family}"] = spec["mpi"].mpicxx if used else ""
        for variant, names in LOOKED_FOR.items():
            if spec.satisfies(f"~{variant}"):
                defined.update(dict.fromkeys(names, ""))
        return {f"cmake.define.{name}": value for name, value in defined.items()}

    @run_after("install")
    def install_libraries(self):
        """libnwtopo, libacp and the provider, with their headers, from the same build."""
        with working_dir(self.stage.source_path):
            cmake = self.spec["cmake"].command
            cmake("--install", "build/release", "--prefix", self.prefix, "--component", "development")
