from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyTyper(PythonPackage):
    """Command lines from functions with type hints. Spack's own versions before 0.23 exclude the py-click that Ayatori
    needs, and the later ones are too new for it."""

    homepage = "https://typer.tiangolo.com"
    pypi = "typer/typer-0.19.2.tar.gz"

    license("MIT")

    version("0.19.2", sha256="9ad824308ded0ad06cc716434705f691d4ee0bfd0fb081839d2e426860e7fdca")

    depends_on("py-pdm-backend", type="build")
    with default_args(type=("build", "run")):
        depends_on("python@3.8:")
        depends_on("py-click@8:")
        depends_on("py-typing-extensions@3.7.4.3:")
        depends_on("py-shellingham@1.3:")
        depends_on("py-rich@10.11:")
