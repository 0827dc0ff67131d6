from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.harness.process.cgroup import ControlGroup, group_folders, join_groups

V2 = "30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
DOCKER = "40 30 0:30 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory"


def test_folders_are_found_in_both_versions_and_in_a_container() -> None:
    assert group_folders("0::/user.slice/me.scope\n", V2) == {"": Path("/sys/fs/cgroup/user.slice/me.scope")}
    assert group_folders("4:memory:/docker/ab\n1:cpu:/\n", DOCKER) == {"memory": Path("/sys/fs/cgroup/memory")}
    assert group_folders("", V2) == {}


def test_a_group_of_version_2_is_bounded_through_its_own_files(tmp_path: Path) -> None:
    for name in ("memory.max", "pids.max", "memory.swap.max"):
        (tmp_path / name).write_text("max")
    (tmp_path / "memory.events").write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\n")
    group = ControlGroup(dict.fromkeys(("memory", "pids"), tmp_path))
    group.bound(1000, 512)
    assert [(tmp_path / name).read_text() for name in ("memory.max", "pids.max", "memory.swap.max")] == [
        "1000",
        "512",
        "0",
    ]
    assert group.killed() == 3


def test_what_is_held_together_is_bounded_and_the_kernel_says_so() -> None:
    group = ControlGroup.make()
    if group is None:
        pytest.skip("no control group can be made here")
    try:
        group.bound(64 << 20, 100)
        joins = group.open_joins()
        child = os.fork()
        if child == 0:
            join_groups(joins)
            memory = os.memfd_create("unmapped")
            for _ in range(100):
                os.write(memory, bytes(1 << 20))
            os._exit(0)
        for descriptor in joins:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == 9
        assert group.killed() == 1
    finally:
        group.close()
    assert not any(place.exists() for place in group.folders)


def test_the_group_of_a_killed_process_is_removed_by_the_next_one() -> None:
    group = ControlGroup.make()
    if group is None:
        pytest.skip("no control group can be made here")
    child = os.fork()
    if child == 0:
        ControlGroup.make()
        os._exit(0)  # without closing its group
    os.waitpid(child, 0)
    remaining = [path for place in group.folders for path in place.parent.glob(f"assay-{child}-*")]
    assert remaining
    other = ControlGroup.make()
    assert other is not None
    assert not any(path.exists() for path in remaining)
    assert all(place.exists() for place in group.folders)
    other.close()
    group.close()
