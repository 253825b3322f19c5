#!/bin/sh
# packaging/rpm/sources.sh DIR: the sources of ayatori.spec. rpmbuild itself needs no network then.
set -eu
[ $# = 1 ] || { echo "usage: packaging/rpm/sources.sh DIR" >&2; exit 2; }
mkdir -p "$1"
sources=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. scripts/install.sh
git archive --prefix="ayatori-$version/" -o "$sources/ayatori-$version.tar.gz" HEAD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${AYATORI_PYTHON:-python3} # of the version that the package is for
"$python" - >"$folder/requirements" <<'PYTHON'
import tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
print(*project["build-system"]["requires"], *project["project"]["dependencies"], sep="\n")
PYTHON
"$python" -m pip download --quiet --disable-pip-version-check --only-binary :all: -d "$folder/wheels" -r "$folder/requirements"
tar -C "$folder" -czf "$sources/ayatori-python-$version.tar.gz" wheels
