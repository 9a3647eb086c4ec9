"""The plugin as a user has it: installed, beside a service that SANDBAR_URL and SANDBAR_API_KEY name."""

import os
import signal
import subprocess
import sys
import time

import pytest
from pytest_sandbar import SandbarError, create_cluster
from pytest_sandbar.cluster import _send


def sandboxes_with_label(label: str) -> list[str]:
    url = f"{os.environ['SANDBAR_URL']}/v1/sandboxes?label=by%3D{label}"
    return [sandbox["id"] for sandbox in _send("GET", url, os.environ["SANDBAR_API_KEY"])["sandboxes"]]


@pytest.mark.sandbar(nodes=0)
def test_objects_are_stored_over_tls_with_the_answers_authority(cluster):
    assert cluster.server.startswith("https://") and cluster.ca
    path = "/api/v1/namespaces/default/configmaps"
    cluster.request("POST", path, {"metadata": {"name": "mine"}})
    assert cluster.request("GET", f"{path}/mine")["metadata"]["name"] == "mine"
    with pytest.raises(SandbarError) as refused:
        cluster.request("GET", f"{path}/mine", token=cluster.create_token("ada"))
    assert (refused.value.status, refused.value.code) == (403, "Forbidden")


MANIFESTS = """
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }
"""


@pytest.mark.sandbar(nodes=1, manifests=MANIFESTS, wait=True)
def test_marker_says_how_it_begins(cluster):
    web = cluster.request("GET", "/apis/apps/v1/namespaces/default/deployments/web")
    assert web["status"]["availableReplicas"] == 1
    with open(cluster.kubeconfig, encoding="utf-8") as file:
        assert cluster.server in file.read()


def test_refusal_says_what_is_wrong():
    with pytest.raises(SandbarError, match="nodes: must be at least 0") as refused:
        create_cluster(nodes=-1)
    assert refused.value.code == "invalid_field"


def test_failed_test_leaves_no_cluster(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.sandbar(nodes=0, labels={"by": "pytest-failed"})
        def test_fails(cluster):
            assert cluster.id == "x"
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(failed=1)
    assert sandboxes_with_label("pytest-failed") == []


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_session_leaves_no_cluster(pytester, sent):
    path = pytester.makepyfile(
        """
        import time
        import pytest

        @pytest.mark.sandbar(nodes=0, labels={"by": "pytest-interrupted"})
        def test_waits(cluster):
            time.sleep(60)
        """
    )
    session = subprocess.Popen([sys.executable, "-m", "pytest", str(path)], stdout=subprocess.DEVNULL)
    for _ in range(300):
        if sandboxes_with_label("pytest-interrupted"):
            break
        time.sleep(0.1)
    time.sleep(0.5)
    session.send_signal(sent)
    assert session.wait(timeout=30) == 2
    assert sandboxes_with_label("pytest-interrupted") == []
