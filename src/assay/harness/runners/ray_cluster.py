"""The Ray cluster of a run: one of our own that only this machine reaches, or a running one that asks for a token."""

from __future__ import annotations

import logging
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final
from unittest.mock import patch

from assay.core import InvalidInput, MissingExtra
from assay.harness.process.process_lifetime import ignoring_interrupts, keeping_handlers

__all__ = ["ALLOW_OPEN", "cluster", "import_ray", "living_nodes"]

ALLOW_OPEN: Final = "ASSAY_RAY_ALLOW_OPEN"  # set to 1, a cluster that asks for no token may be joined
LEAST: Final = (2, 52)  # the first release with authentication
_LOOPBACK: Final = "127.0.0.1"
_PROBE: Final = """
import sys
from ray._raylet import GcsClient
from ray.exceptions import AuthenticationError
try:
    GcsClient(address=sys.argv[1]).get_all_node_info(timeout=10)
except AuthenticationError:
    print("refused")
"""


def import_ray() -> Any:
    """Ray, without anything that it would send elsewhere; a release without authentication is refused."""
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("The Ray runner", "ray", "ray") from error
    release = tuple(map(int, re.findall(r"\d+", ray.__version__)[:2]))
    if release < LEAST:
        raise InvalidInput(
            f"Ray {ray.__version__} has no authentication: anyone who reaches its ports could run code here and change "
            f"scores. Upgrade it on all nodes: pip install --upgrade 'ray>={'.'.join(map(str, LEAST))}'."
        )
    return ray


@contextmanager
def cluster(address: str | None, workers: int | None) -> Iterator[int]:
    """Start or join a cluster, unless this process has one already, and leave it at the end; how many processors."""
    ray = import_ray()
    started = not ray.is_initialized()
    if started:
        try:
            with keeping_handlers():  # Ray would end us at once at a SIGTERM, with a trace of its own
                _join(ray, address) if address else _start(ray, workers)
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise InvalidInput(f"Ray at {address or 'this machine'} cannot be reached: {error}") from error
    try:
        if started and address:
            _demand_closed(ray, address)
        processors = sum(living_nodes(ray).values())
        if processors < 1:
            raise InvalidInput("the Ray cluster has no processor to offer.")
        yield processors
    finally:
        if started:
            with ignoring_interrupts():
                ray.shutdown()


def living_nodes(ray: Any) -> dict[str, int]:
    """The nodes that are alive, with the number of their processors."""
    return {
        node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]
    }  # fmt: skip


def _start(ray: Any, workers: int | None) -> None:
    """A cluster for this run: its ports are bound to loopback, and it asks for a token that only its processes have."""
    from ray._private import ray_constants

    _authenticate({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)})
    with patch.object(ray_constants, "ENABLE_RAY_CLUSTER", False):  # else Ray takes an address that others reach
        _init(ray, address="local", num_cpus=workers, include_dashboard=False, _node_ip_address=_LOOPBACK)
    bound = {node["NodeManagerAddress"] for node in ray.nodes()}
    if bound != {_LOOPBACK}:
        ray.shutdown()
        raise InvalidInput(
            f"Ray {ray.__version__} listens on {', '.join(sorted(bound))} instead of {_LOOPBACK}, where others could "
            "reach it. Use another release of Ray, or the local runner."
        )


def _join(ray: Any, address: str) -> None:
    if os.environ.get(ALLOW_OPEN) != "1":
        if os.environ.get("RAY_AUTH_MODE", "token").lower() == "disabled":
            raise _open_cluster(address, "RAY_AUTH_MODE is 'disabled'")
        _authenticate({"RAY_AUTH_MODE": "token"})
    _init(ray, address=address)


def _init(ray: Any, **options: Any) -> None:
    ray.init(logging_level=logging.ERROR, log_to_driver=False, configure_logging=False, **options)


def _authenticate(variables: Mapping[str, str]) -> None:
    """Set how Ray authenticates, for this process, where Ray has read it already, and for those that it starts."""
    compiled = import_module("ray._raylet")
    os.environ.update(variables)
    compiled.Config.initialize("")
    compiled.AuthenticationTokenLoader.instance().reset_cache()


def _demand_closed(ray: Any, address: str) -> None:
    """Refuse a cluster that lets a stranger in: a process without a token asks for its nodes."""
    if os.environ.get(ALLOW_OPEN) == "1":
        return
    hidden = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
    variables = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-c", _PROBE, ray.get_runtime_context().gcs_address]
    try:
        probe = subprocess.run(
            command,
            env={**variables, "RAY_AUTH_MODE": "disabled"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _open_cluster(address, "it did not say within 60 s whether it needs a token") from None
    if "refused" not in probe.stdout:
        raise _open_cluster(address, "it accepts processes without a token")


def _open_cluster(address: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"Ray at {address}: this cluster is joined without authentication ({why}): anyone who reaches it can run code "
        "on its nodes and change scores. Start it with RAY_AUTH_MODE=token and one token on all nodes "
        f"(ray get-auth-token --generate). If nobody else can reach it, allow it: {ALLOW_OPEN}=1."
    )
