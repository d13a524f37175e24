#!/bin/sh
# Install sidelight's service from SOURCE (a folder or a wheel) into TARGET, a virtual environment of its own.
# The Dockerfile runs this; run it yourself to get the same installation without an image.
set -eu
source=${1:?usage: install.sh SOURCE TARGET}
target=${2:?usage: install.sh SOURCE TARGET}
python3 -m venv "$target"
"$target/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir "${source}[serve,postgres,sso]"
"$target/bin/python" -m compileall -q "$target"
