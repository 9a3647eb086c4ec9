"""The pytest plugin: the fixtures `cluster` and `session_cluster`, and the marker `sandbar`."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from .cluster import Cluster, create_cluster


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "sandbar(wait=False, **fields): how the test's cluster begins, as the body of POST /v1/sandboxes"
    )
    # By default SIGTERM ends Python without the finalizers of fixtures. As Ctrl+C does, it ends the session in order.
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end_session)


def _end_session(*_: Any) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster for one test, deleted when the test has ended."""
    marker = request.node.get_closest_marker("sandbar")
    with create_cluster(**(marker.kwargs if marker else {})) as made:
        yield made


@pytest.fixture(scope="session")
def session_cluster() -> Iterator[Cluster]:
    """A cluster that the tests of a session share."""
    with create_cluster(ttlSeconds=3600) as made:
        yield made
