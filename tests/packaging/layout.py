"""What a package of kubist has in it, for the tests of each kind of package."""
import json
import os
import pathlib
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
LINKS = {"usr/bin/kubectl-kubist", "usr/bin/kubectl_complete-kubist"}  # to kubist


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)
    words = " ".join(map(str, command))
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def pack(generator, build, folder, **environment):
    """The package that cpack makes of a build; its name follows from the build's version."""
    run("cpack", "-G", generator, "--config", os.path.join(build, "CPackConfig.cmake"), "-B", folder, cwd=build,
        env={**os.environ, **environment})
    name, = (name for name in os.listdir(folder) if name.endswith((".deb", ".rpm", ".tar.gz")))
    return os.path.join(folder, name)


def files_below(root):
    return {os.path.relpath(os.path.join(folder, name), root)
            for folder, _, names in os.walk(root) for name in names}


def documents():
    files = [*(SOURCE / "examples").rglob("*"),
             *(file for ending in ("md", "svg", "png") for file in (SOURCE / "docs").rglob("*." + ending))]
    return {str(file.relative_to(SOURCE)) for file in files if file.is_file()}


def schemas(kubist, emulator):
    with tempfile.TemporaryDirectory() as folder:
        run(str(SOURCE / "packaging/schemas"), folder, *emulator, kubist)
        return files_below(folder)


def expected_files(kubist, ending, zsh="vendor-completions", emulator=()):
    """`ending` is that of the man pages, `zsh` the folder of its completions."""
    pages = ["kubist"] + ["kubist-" + command["path"].replace(" ", "-")
                          for command in json.loads(run(*emulator, kubist, "__dump-cli"))["commands"]]
    return {"usr/bin/kubist", *LINKS,
            "usr/share/bash-completion/completions/kubist",
            f"usr/share/zsh/{zsh}/_kubist",
            "usr/share/fish/vendor_completions.d/kubist.fish",
            *(f"usr/share/doc/kubist/{name}" for name in (
                "CHANGELOG.md", "LICENSE", "changelog.gz", "copyright", "third-party-notices", *documents())),
            *(f"usr/share/kubist/schemas/{name}" for name in schemas(kubist, emulator)),
            *(f"usr/share/man/{page}{ending}" for page in (
                "man5/kubist-config.5", "man7/kubist-deployitems.7", "man7/kubist-policies.7")),
            *(f"usr/share/man/man1/{page}.1{ending}" for page in pages)}
