#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the autograder's image. It installs what grading needs.
# The rest of the zip is then in /autograder/source: this package as a wheel, and solutions/.
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends python3 python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then # Ubuntu 22.04 has 3.10, and a package for 3.11
    apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv
    python=python3.11
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/pip" install -q "$root"/source/autograd_teach-*.whl
