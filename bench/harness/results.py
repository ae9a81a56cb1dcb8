"""What was measured: rows with their targets, printed as a table, kept as JSON."""
import datetime, json, os, platform, re, subprocess

COLUMNS = (("wall_s", "9.4f", "s"), ("cpu_s", "9.4f", "s of CPU"), ("peak_mb", "8.1f", "MB"))


class Results:
    def __init__(self, versions, rounds):
        self.head = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
                     "machine": machine(), "rounds": rounds, "versions": versions,
                     "load_at_start": round(os.getloadavg()[0], 2)}
        self.rows = []

    def add(self, case, contenders, checks=()):
        """contenders: by name what was measured of it, some of COLUMNS and more."""
        self.rows.append({"case": case, "contenders": contenders, "checks": []})
        print(case)
        for name, figures in contenders.items():
            extra = "".join(f", {key} {value}" for key, value in figures.items()
                            if key not in ("wall_s", "cpu_s", "peak_mb", "all_wall_s", "all_cpu_s"))
            known = "".join(f"{figures[key]:{width}} {unit}" for key, width, unit in COLUMNS if key in figures)
            print(f"    {name:14}{known}{extra}", flush=True)
        self.check(checks)

    def check(self, checks):
        """Holds the last row to its targets: (what, value, limit), met when value <= limit."""
        for what, value, limit in checks:
            check = {"what": what, "value": round(value, 3), "limit": limit, "met": value <= limit}
            self.rows[-1]["checks"].append(check)
            print(f"    {'met   ' if check['met'] else 'MISSED'} {what}: {check['value']:g}"
                  f" (at most {limit:g})", flush=True)

    def missed(self):
        return [f"{row['case']}: {check['what']}" for row in self.rows for check in row["checks"]
                if not check["met"]]

    def save(self, folder):
        self.head["load_at_end"] = round(os.getloadavg()[0], 2)
        name = self.head["date"][:10] + "-" + re.sub(r"[^a-z0-9]+", "-", platform.node().lower())
        path = os.path.join(folder, name + ".json")
        with open(path, "w") as file:
            json.dump({**self.head, "rows": self.rows}, file, indent=1)
            file.write("\n")
        return path


def machine():
    cpu = "unknown"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                cpu = line.split(":")[1].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (f"{os.cpu_count()} CPUs ({cpu}), {memory:.0f} GiB, {platform.system()} "
            f"{platform.release()}")


def version_of(*command):
    try:
        return subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL).split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return None
