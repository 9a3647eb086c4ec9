"""A cluster of a Sandbar service: made by the control API, used by the Kubernetes API."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any

DEFAULT_URL = "http://localhost:8787"
TTL_SECONDS = 600
TIMEOUT_SECONDS = 180
#: The key of the label that each cluster has from its creation on.
LABEL_KEY = "sandbar-test"
#: The pauses before each attempt to delete a cluster whose creation was cut off, because the service may still be creating it.
ABANDON_PAUSES = (0, 1, 5)
ABANDON_TIMEOUT_SECONDS = 10


class SandbarError(Exception):
    """The service refused a request. `code` is for programs; 0 as `status` says that the service cannot be reached."""

    def __init__(self, status: int, code: str, message: str, is_unsent: bool = False) -> None:
        super().__init__(f"{message} ({code})")
        self.status = status
        self.code = code
        self.message = message
        #: Whether the service cannot have carried out the request: it refused it, or never received it.
        self.has_no_effect = is_unsent or (400 <= status < 500 and status != 409)


class Cluster:
    """A sandbox. Use it in a `with` statement, or call `delete`."""

    def __init__(self, answer: dict[str, Any], url: str, key: str | None) -> None:
        self.id: str = answer["id"]
        self.server: str = answer["server"]
        self.token: str = answer["token"]
        #: The authority of the server's certificate in PEM; None if it is a public one.
        self.ca: str | None = answer.get("ca")
        #: The workloads that are not available, if the creation waited for them.
        self.not_ready: list[dict[str, str]] = answer.get("notReady", [])
        self._url = url
        self._key = key
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._is_deleted = False
        self._context = ssl.create_default_context(cadata=self.ca) if self.ca else _control_context(self.server)

    def request(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """Sends a request to the Kubernetes API as the administrator, or with another token. Returns what the answer's JSON says."""
        return _send(method, self.server + path, token or self.token, body, context=self._context)

    def create_token(self, user: str, groups: tuple[str, ...] = ()) -> str:
        """Returns a token of another user of the cluster."""
        path = f"/v1/sandboxes/{self.id}/tokens"
        return _send("POST", self._url + path, self._key, {"user": user, "groups": list(groups)})["token"]

    @property
    def kubeconfig(self) -> str:
        """The path of a file with the administrator's kubeconfig, for kubectl and helm."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="sandbar-")
            text = _send("GET", f"{self._url}/v1/sandboxes/{self.id}/kubeconfig", self._key, accept="application/yaml")
            path = os.path.join(self._folder.name, "kubeconfig")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
        return os.path.join(self._folder.name, "kubeconfig")

    def kubernetes_configuration(self) -> Any:
        """Returns a `kubernetes.client.Configuration`; the package `kubernetes` must be installed."""
        from kubernetes import config as loader
        from kubernetes.client import Configuration

        configuration = Configuration()
        loader.load_kube_config(config_file=self.kubeconfig, client_configuration=configuration)
        return configuration

    def delete(self) -> None:
        """Deletes the cluster. Calls after a deletion do nothing."""
        if self._is_deleted:
            return
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
        try:
            _send("DELETE", f"{self._url}/v1/sandboxes/{self.id}", self._key)
        except SandbarError as error:
            if error.status != 404:
                raise
        self._is_deleted = True

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.delete()


def create_cluster(url: str | None = None, key: str | None = None, wait: bool = False, **sandbox: Any) -> Cluster:
    """Makes a cluster. `sandbox` has fields of the body of `POST /v1/sandboxes`, such as `nodes` or `manifests`.

    `version` is SANDBAR_KUBERNETES_VERSION by default, so that a CI job can run the tests with several versions.
    """
    url = (url or os.environ.get("SANDBAR_URL") or DEFAULT_URL).rstrip("/")
    key = key or os.environ.get("SANDBAR_API_KEY")
    version = os.environ.get("SANDBAR_KUBERNETES_VERSION")
    defaults = {"kubeletSpeed": "zero", **({"version": version} if version else {})}
    # A snapshot and a template have a speed and a version of their own.
    if "snapshot" in sandbox or "template" in sandbox:
        defaults = {}
    label = uuid.uuid4().hex
    labels = {**(sandbox.get("labels") or {}), LABEL_KEY: label}
    body = {"ttlSeconds": TTL_SECONDS, **defaults, **sandbox, "labels": labels}
    try:
        return Cluster(_send("POST", f"{url}/v1/sandboxes{'?wait=ready' if wait else ''}", key, body), url, key)
    except BaseException as error:
        # Ctrl+C interrupts the request, but not the service.
        if not (isinstance(error, SandbarError) and error.has_no_effect):
            _abandon(url, key, label)
        raise


def _abandon(url: str, key: str | None, label: str) -> None:
    """Deletes a cluster by its label, because its creation may still be in progress."""
    query = urllib.parse.urlencode({"label": f"{LABEL_KEY}={label}"})
    for pause in ABANDON_PAUSES:
        time.sleep(pause)
        try:
            answer = _send("DELETE", f"{url}/v1/sandboxes?{query}", key, timeout=ABANDON_TIMEOUT_SECONDS)
        except SandbarError:
            continue
        if answer["deleted"]:
            return


def _control_context(url: str) -> ssl.SSLContext | None:
    """Trusts the system's authorities, and those of the file that SANDBAR_CA_FILE names."""
    if not url.startswith("https:"):
        return None
    context = ssl.create_default_context()
    file = os.environ.get("SANDBAR_CA_FILE")
    if file:
        context.load_verify_locations(cafile=file)
    return context


def _send(
    method: str,
    url: str,
    token: str | None,
    body: Any = None,
    *,
    context: ssl.SSLContext | None = None,
    accept: str = "application/json",
    timeout: float = TIMEOUT_SECONDS,
) -> Any:
    headers = {"Accept": accept}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout, context=context or _control_context(url)) as answer:
            text = answer.read().decode()
            is_json = "json" in (answer.headers.get("Content-Type") or "")
            return json.loads(text) if is_json and text else text
    except urllib.error.HTTPError as error:
        raise _refusal(error.code, error.read().decode(errors="replace")) from None
    except urllib.error.URLError as error:
        is_unsent = isinstance(error.reason, (ConnectionRefusedError, socket.gaierror, ssl.SSLError))
        raise SandbarError(0, "unreachable", f"{url} cannot be reached: {error.reason}", is_unsent) from error
    except (OSError, http.client.HTTPException) as error:
        raise SandbarError(0, "unreachable", f"{url} cannot be reached: {error}") from error


def _refusal(status: int, text: str) -> SandbarError:
    """The control API answers with an `error`, the Kubernetes API with a `Status`."""
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    error = body.get("error") or {}
    code = error.get("code") or body.get("reason") or "unknown"
    return SandbarError(status, code, error.get("message") or body.get("message") or f"{status}: {text[:200]}")
