"""What is measured, built when it is missing or old."""
import os, subprocess

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(BENCH)
RELEASE = os.path.join(ROOT, "build/release")
KUBIST = os.path.join(RELEASE, "cli/kubist")
CASES = os.path.join(RELEASE, "bench/programs/bench_cases")
MEASURE = os.path.join(RELEASE, "bench/programs/bench_measure")
CLIENT_GO = os.path.join(RELEASE, "bench/clientgo")
DELAY_PROXY = os.path.join(RELEASE, "bench/delayproxy")


def cases_beside(kubist):
    """The bench_cases of the build that a program is of."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(kubist))), "bench/programs/bench_cases")


def release(*targets):
    script = 'source scripts/lib.sh; step "building (release)" build release "$@"'
    subprocess.run(["bash", "-c", script, "bash", *targets], cwd=ROOT, check=True)


def go_programs():
    for program in (CLIENT_GO, DELAY_PROXY):
        subprocess.run(["go", "build", "-o", program, "."], check=True,
                       cwd=os.path.join(BENCH, os.path.basename(program)))
