#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the autograder: installs what grading needs.
# The rest of the zip lies in /autograder/source by then: this package as a wheel, and solutions/.
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends bubblewrap python3 python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then # Ubuntu 22.04 has 3.10, and 3.11 beside it
    apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv
    python=python3.11
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/pip" install -q "$root"/source/autograd_teach-*.whl
