"""A cluster of a Sandbar service: made by the control API, used by the Kubernetes API."""

from __future__ import annotations

import json
import os
import ssl
import tempfile
import urllib.error
import urllib.request
from typing import Any

DEFAULT_URL = "http://localhost:8787"
TTL_SECONDS = 600
TIMEOUT_SECONDS = 180


class SandbarError(Exception):
    """The service refused a request. `code` is for programs; 0 as `status` says that the service cannot be reached."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.status = status
        self.code = code
        self.message = message


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
        self._context = ssl.create_default_context(cadata=self.ca) if self.server.startswith("https:") else None

    def request(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """Sends a request to the Kubernetes API as the administrator, or with another token. Returns what the answer's JSON says."""
        return _send(method, self.server + path, token or self.token, body, self._context)

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
        """Deletes the cluster. Later calls do nothing."""
        if self._is_deleted:
            return
        self._is_deleted = True
        if self._folder is not None:
            self._folder.cleanup()
        try:
            _send("DELETE", f"{self._url}/v1/sandboxes/{self.id}", self._key)
        except SandbarError as error:
            if error.status != 404:
                raise

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
    body = {"ttlSeconds": TTL_SECONDS, **defaults, **sandbox}
    return Cluster(_send("POST", f"{url}/v1/sandboxes{'?wait=ready' if wait else ''}", key, body), url, key)


def _send(
    method: str,
    url: str,
    token: str | None,
    body: Any = None,
    context: ssl.SSLContext | None = None,
    accept: str = "application/json",
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
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS, context=context) as answer:
            text = answer.read().decode()
            is_json = "json" in (answer.headers.get("Content-Type") or "")
            return json.loads(text) if is_json and text else text
    except urllib.error.HTTPError as error:
        raise _refusal(error.code, error.read().decode(errors="replace")) from None
    except urllib.error.URLError as error:
        raise SandbarError(0, "unreachable", f"{url} cannot be reached: {error.reason}") from error


def _refusal(status: int, text: str) -> SandbarError:
    """The control API answers with an `error`, the Kubernetes API with a `Status`."""
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    error = body.get("error") or {}
    code = error.get("code") or body.get("reason") or "unknown"
    return SandbarError(status, code, error.get("message") or body.get("message") or f"{status}: {text[:200]}")
