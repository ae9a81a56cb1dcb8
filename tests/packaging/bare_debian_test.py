"""The .deb of a release build in a bare Debian. bare_debian_test.py BUILD_FOLDER"""
import os
import re
import sys
import tempfile

from layout import SOURCE, pack, run


def main():
    with tempfile.TemporaryDirectory() as folder:
        deb = pack("DEB", os.path.abspath(sys.argv[1]), folder)
        said = run(SOURCE / "tests/packaging/bare_debian", deb)
    if not re.fullmatch(r"kubist \S+ runs in a bare Debian 12\n", said):
        sys.exit(f"bare_debian said {said!r}")


if __name__ == "__main__":
    main()
