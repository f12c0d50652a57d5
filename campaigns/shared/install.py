"""What a campaign needs from outside: the server under test, and packages by name and version.

Packages come through the ordinary clients (pip, npm) into directories of their own under the
user's cache, once: a directory that holds the marker of a finished install is used as it is.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "resilient-write"
REPOSITORY = Path(__file__).resolve().parents[2]


def server():
    """The path of the server under test: $RESILIENT_WRITE, or what cargo built last."""
    named = os.environ.get("RESILIENT_WRITE")
    if named:
        return Path(named).resolve()
    target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
    built = [target / profile / "resilient-write" for profile in ("debug", "release")]
    built = [path for path in built if path.exists()]
    if not built:
        subprocess.run(["cargo", "build", "-p", "resilient-write"], cwd=REPOSITORY, check=True)
        return (target / "debug" / "resilient-write").resolve()
    return max(built, key=lambda path: path.stat().st_mtime).resolve()


def python_3_12():
    """An interpreter of Python 3.12, or None."""
    for name in (os.environ.get("PYTHON_3_12"), "python3.12"):
        path = name and shutil.which(name)
        if path:
            named = {**os.environ, "PYENV_VERSION": "3.12"}
            asked = [path, "-c", "import sys; print(sys.executable, *sys.version_info[:2])"]
            ran = subprocess.run(asked, capture_output=True, text=True, env=named)
            if ran.returncode == 0 and ran.stdout.endswith("3 12\n"):
                return ran.stdout.split()[0]
    return None


def python_packages(*packages, python=sys.executable):
    """A virtual environment with these packages; the path of its `bin`."""
    place, done = _place("python", packages)
    if not done.exists():
        subprocess.run([python, "-m", "venv", place], check=True)
        _quietly(place / "bin" / "pip", "install", "--disable-pip-version-check", *packages)
        done.touch()
    return place / "bin"


def node_packages(*packages, path=None):
    """A directory with these packages; the path of its `node_modules`."""
    place, done = _place("node", packages)
    if not done.exists():
        (place / "package.json").write_text("{}")
        npm = ["npm", "install", "--no-audit", "--no-fund", "--save-exact", "--prefix", place]
        _quietly(*npm, *packages, path=path)
        done.touch()
    return place / "node_modules"


def _place(kind, packages):
    name = "_".join(packages).replace("/", "-").replace("@", "-").strip("-")
    if len(name) > 200:
        name = f"{name[:100]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    place = CACHE / kind / name
    done = place / "installed"
    if not done.exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    return place, done


def _quietly(*command, path=None):
    print("installing", *command[-1:], file=sys.stderr, flush=True)
    environment = dict(os.environ)
    if path:
        environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    if ran.returncode:
        sys.exit(f"{ran.stdout}{ran.stderr}")
