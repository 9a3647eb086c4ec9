"""The plugin as a user has it: installed, beside a service that SANDBAR_URL and SANDBAR_API_KEY name."""

import http.server
import os
import signal
import subprocess
import sys
import threading
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


def test_deleted_cluster_can_be_deleted_again():
    cluster = create_cluster(nodes=0)
    _send("DELETE", f"{os.environ['SANDBAR_URL']}/v1/sandboxes/{cluster.id}", os.environ["SANDBAR_API_KEY"])
    cluster.delete()


UNREADY = MANIFESTS.replace("image: nginx", "image: registry.invalid/none:1")


def test_session_interrupted_during_the_creation_leaves_no_cluster(pytester):
    path = pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.sandbar(nodes=1, labels={{"by": "pytest-creation"}}, manifests={UNREADY!r}, wait=True)
        def test_never_begins(cluster):
            pass
        """
    )
    session = subprocess.Popen([sys.executable, "-m", "pytest", str(path)], stdout=subprocess.DEVNULL)
    for _ in range(300):
        if sandboxes_with_label("pytest-creation"):
            break
        time.sleep(0.1)
    else:
        pytest.fail("no creation began")
    session.send_signal(signal.SIGTERM)
    assert session.wait(timeout=30) == 2
    assert sandboxes_with_label("pytest-creation") == []


@pytest.fixture
def failing_service():
    """A service that cuts off each creation, and records the deletions."""
    deletions = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.connection.close()

        def do_DELETE(self):
            deletions.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            # The service is still creating the cluster when the first deletion arrives.
            self.wfile.write(b'{"deleted":[]}' if len(deletions) == 1 else b'{"deleted":["x"]}')

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", deletions
    server.shutdown()


def test_creation_that_was_cut_off_is_deleted_by_its_label(failing_service):
    url, deletions = failing_service
    with pytest.raises(SandbarError):
        create_cluster(url=url)
    assert len(deletions) == 2 and deletions[0].startswith("/v1/sandboxes?label=sandbar-test%3D")


def test_service_of_a_private_authority_is_trusted_by_its_file(cluster, monkeypatch, tmp_path):
    address = cluster.server.split("/c/")[0]
    with pytest.raises(SandbarError, match="CERTIFICATE_VERIFY_FAILED"):
        create_cluster(url=address, nodes=0)
    file = tmp_path / "ca.pem"
    file.write_text(cluster.ca)
    monkeypatch.setenv("SANDBAR_CA_FILE", str(file))
    create_cluster(url=address, nodes=0).delete()
