"""The file systems of the kernel: other processes under /proc, devices, control groups, settings of the machine."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tests.harness.attacks import means


def _of_all(target: means.Target, entry: str) -> str | None:
    """Look for the secret in one entry of every process of the run."""
    return means.every(
        [lambda pid=pid: means.secret_in(Path(f"/proc/{pid}/{entry}").read_bytes()) for pid in means.of_the_run(target)]
    )


def _open_to_write(*paths: str) -> str | None:
    """Opening is enough to be guilty; nothing is written."""
    return means.every([lambda path=path: f"opened {path}: {os.open(path, os.O_WRONLY)}" for path in paths])


def environment_of_the_run(target: means.Target) -> str | None:
    return _of_all(target, "environ")


def environment_of_every_process(target: means.Target) -> str | None:
    for pid in range(target.driver, target.driver + 3000):
        try:
            if secret := means.secret_in(Path(f"/proc/{pid}/environ").read_bytes()):
                return f"{secret} in process {pid}"
        except OSError:
            continue
    return None


def environment_of_its_own_start(target: means.Target) -> str | None:
    """What the process was started with stays in its memory after it was taken from os.environ."""
    return means.secret_in(Path("/proc/self/environ").read_bytes()) or means.secret_in(repr(dict(os.environ)))


def secret_in_its_own_memory(target: means.Target) -> str | None:
    """A forked process still has what its parent had read."""
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
        for line in maps:
            first, last = (int(part, 16) for part in line.split()[0].split("-"))
            if " rw" not in line or last - first > 1 << 28:
                continue
            try:
                memory.seek(first)
                if secret := means.secret_in(memory.read(last - first)):
                    return f"{secret} in its own memory"
            except OSError:
                continue
    return None


def memory_of_the_driver(target: means.Target) -> str | None:
    with open(f"/proc/{target.driver}/maps") as maps, open(f"/proc/{target.driver}/mem", "rb", buffering=0) as memory:
        first = int(maps.readline().split("-")[0], 16)
        memory.seek(first)
        return f"read memory of the driver: {memory.read(8)!r}"


def memory_map_of_the_run(target: means.Target) -> str | None:
    return means.every(
        [lambda pid=pid: Path(f"/proc/{pid}/maps").read_text()[:60] or None for pid in (target.driver, target.victim)]
    )


def open_files_of_the_driver(target: means.Target) -> str | None:
    def through(pid: int) -> str | None:
        for number in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{number}"
            if os.readlink(path).endswith(("secret.txt", "assay.sqlite")):
                return means.read(path)
        return None

    return means.every([lambda pid=pid: through(pid) for pid in means.of_the_run(target)])


def secret_through_the_root_of_another(target: means.Target) -> str | None:
    return means.every(
        [lambda pid=pid: means.read(f"/proc/{pid}/root{target.secret}") for pid in means.of_the_run(target)]
    )


def secret_through_the_folder_of_another(target: means.Target) -> str | None:
    name = os.path.relpath(target.secret, "/")
    ups = "../" * 12
    return means.every([lambda pid=pid: means.read(f"/proc/{pid}/cwd/{ups}{name}") for pid in means.of_the_run(target)])


def secret_through_mapped_files_of_another(target: means.Target) -> str | None:
    def through(pid: int) -> str | None:
        for entry in os.scandir(f"/proc/{pid}/map_files"):
            if "sqlite" in os.readlink(entry.path):
                return means.read(entry.path)
        return None

    return means.every([lambda pid=pid: through(pid) for pid in means.of_the_run(target)])


def stack_and_calls_of_the_driver(target: means.Target) -> str | None:
    return means.every(
        [
            lambda entry=entry: f"{entry}: {Path(f'/proc/{target.driver}/{entry}').read_text()[:50]!r}"
            for entry in ("syscall", "auxv", "personality", "pagemap")
        ]
    )


def bad_memory_score_of_others(target: means.Target) -> str | None:
    return means.every(
        [
            lambda pid=pid: Path(f"/proc/{pid}/oom_score_adj").write_text("900") and f"marked {pid} to be killed first"
            for pid in (target.victim, target.driver, *means.ancestors()[:2])
        ]
    )


def good_memory_score_of_its_own(target: means.Target) -> str | None:
    Path("/proc/self/oom_score_adj").write_text("-500")
    return "others are killed before it"


def name_of_the_victim(target: means.Target) -> str | None:
    Path(f"/proc/{target.victim}/comm").write_text("renamed")
    return "renamed the victim"


def settings_of_the_victim(target: means.Target) -> str | None:
    folder = f"/proc/{target.victim}"
    return _open_to_write(
        *(f"{folder}/{entry}" for entry in ("coredump_filter", "timerslack_ns", "clear_refs", "mem", "attr/current"))
    )


def settings_of_the_machine(target: means.Target) -> str | None:
    return _open_to_write(
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sys/vm/drop_caches",
        "/proc/sys/vm/overcommit_memory",
        "/proc/sys/kernel/sched_rt_runtime_us",
        "/proc/sys/kernel/pid_max",
        "/proc/sys/fs/file-max",
        "/proc/sysrq-trigger",
        "/proc/irq/default_smp_affinity",
        "/sys/kernel/uevent_helper",
        "/sys/power/state",
        "/sys/module/printk/parameters/time",
    )


def devices_of_the_machine(target: means.Target) -> str | None:
    disks = (f"/dev/{disk}" for disk in ("vda", "vda1", "sda", "sda1", "nvme0n1", "dm-0", "loop0", "xvda", "ram0"))
    paths = ["/dev/mem", "/dev/kmsg", "/dev/port", "/proc/kcore", "/proc/kmsg", *disks]

    def read(path: str) -> str | None:
        return means.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 512) and f"read {path}"

    return means.every([lambda path=path: read(path) for path in paths])


def devices_that_reach_others(target: means.Target) -> str | None:
    """Kernel virtual machines, file systems in user space, tunnels, terminals, watchdogs: opening is enough."""
    names = ("kvm", "fuse", "net/tun", "watchdog", "vhost-net", "vhost-vsock", "snapshot", "uinput", "loop-control")
    return means.every(
        [lambda name=name: f"opened {name}: {os.open(f'/dev/{name}', os.O_RDWR | os.O_NONBLOCK)}" for name in names]
    )


def terminal_of_the_user(target: means.Target) -> str | None:
    """Type a space into whatever terminal there is."""

    def type_into(path: str) -> str:
        fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK), 0x5412, b" ")  # TIOCSTI
        return f"typed into {path}"

    return means.every([lambda path=path: type_into(path) for path in ("/dev/tty", "/dev/console", "/proc/self/fd/0")])


def control_group_left(target: means.Target) -> str | None:
    """Out of the group that counts, into the first one."""
    tops = ["/sys/fs/cgroup", *(str(path) for path in Path("/sys/fs/cgroup").iterdir())]
    return means.every(
        [
            lambda top=top: Path(top, "cgroup.procs").write_text(str(os.getpid())) and f"moved itself to {top}"
            for top in tops
        ]
    )


def control_group_made(target: means.Target) -> str | None:
    def make(top: Path) -> str:
        folder = Path(target.mark(str(top)))
        folder.mkdir()
        folder.rmdir()
        return f"made a control group in {top}"

    own = [Path("/sys/fs/cgroup")]
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        own.append(Path(f"/sys/fs/cgroup/{names or 'unified'}{path}"))
    return means.every([lambda top=top: make(top) for top in own])


def control_group_limits_raised(target: means.Target) -> str | None:
    def limits() -> list[str]:
        files = []
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            for name in (
                "memory.max",
                "memory.limit_in_bytes",
                "pids.max",
                "cgroup.kill",
                "cgroup.freeze",
                "cgroup.procs",
            ):
                files.append(f"/sys/fs/cgroup/{names or 'unified'}{path}/{name}")
                files.append(f"/sys/fs/cgroup{path}/{name}")
        return files

    return _open_to_write(*limits())


def control_group_of_the_driver(target: means.Target) -> str | None:
    """The victim moved to where the attacker's processes are counted."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        try:
            Path(f"/sys/fs/cgroup/{names or 'unified'}{path}/cgroup.procs").write_text(str(target.victim))
        except OSError:
            continue
        return "moved the victim into its own group"
    return None


def offsets_of_clocks(target: means.Target) -> str | None:
    return means.every(
        [
            lambda pid=pid: Path(f"/proc/{pid}/timens_offsets").write_text("monotonic 1 0") and f"moved clocks of {pid}"
            for pid in (target.driver, target.victim)
        ]
    )


def secret_of_the_kernel_key_table(target: means.Target) -> str | None:
    if "assay-planted" in Path("/proc/keys").read_text():
        return "sees the keys of the user"
    return None
