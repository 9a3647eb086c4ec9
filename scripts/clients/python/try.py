"""Runs calls of Python's official client against the cluster of KUBECONFIG. Prints a line for each call; the exit code says whether all passed."""
import socket
import sys
import time

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from kubernetes.stream import portforward, stream

NAMESPACE = "from-python"
failed = 0


def attempt(what, action):
    global failed
    try:
        action()
        print(f"ok: {what}", flush=True)
    except Exception as error:  # noqa: BLE001: every error is printed
        failed += 1
        print(f"FAILED: {what}: {type(error).__name__}: {str(error)[:400]}", flush=True)


config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()
custom = client.CustomObjectsApi()
extensions = client.ApiextensionsV1Api()


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def version():
    info = client.VersionApi().get_code()
    expect(info.major == "1" and info.minor == "36", info)


def namespace():
    core.create_namespace({"metadata": {"name": NAMESPACE}})


def config_map():
    config_map = core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "settings"}, "data": {"a": "1"}})
    config_map.data["b"] = "2"
    replaced = core.replace_namespaced_config_map("settings", NAMESPACE, config_map)
    expect(replaced.data == {"a": "1", "b": "2"}, replaced.data)
    patched = core.patch_namespaced_config_map("settings", NAMESPACE, {"data": {"a": None}})
    expect(patched.data == {"b": "2"}, patched.data)
    try:
        core.replace_namespaced_config_map("settings", NAMESPACE, config_map)
    except ApiException as error:
        expect(error.status == 409, error)
    else:
        raise AssertionError("an old resourceVersion was taken")


def refused():
    try:
        core.read_namespaced_pod("nobody", NAMESPACE)
    except ApiException as error:
        expect(error.status == 404 and '"reason":"NotFound"' in error.body.replace(" ", ""), error)
    else:
        raise AssertionError("a pod that is not there was read")


def deployment():
    labels = {"app": "web"}
    container = client.V1Container(name="web", image="nginx:1.27", ports=[client.V1ContainerPort(container_port=80)])
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
    )
    spec = client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template)
    apps.create_namespaced_deployment(
        NAMESPACE, client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec)
    )
    for event in watch.Watch().stream(apps.list_namespaced_deployment, NAMESPACE, timeout_seconds=60):
        if event["object"].status.available_replicas == 2:
            return
    raise AssertionError("not available within a minute")


def pod_name():
    return core.list_namespaced_pod(NAMESPACE, label_selector="app=web").items[0].metadata.name


def pages():
    first = core.list_namespaced_pod(NAMESPACE, limit=1)
    second = core.list_namespaced_pod(NAMESPACE, limit=1, _continue=first.metadata._continue)
    expect(first.items[0].metadata.name != second.items[0].metadata.name, "the same page twice")


def logs():
    text = core.read_namespaced_pod_log(pod_name(), NAMESPACE, tail_lines=5)
    expect("docker-entrypoint" in text, text)
    for _ in watch.Watch().stream(core.read_namespaced_pod_log, pod_name(), NAMESPACE, follow=True, tail_lines=1):
        return


def exec_command():
    session = stream(
        core.connect_get_namespaced_pod_exec,
        pod_name(),
        NAMESPACE,
        command=["sh", "-c", "read line; echo got $line; exit 3"],
        stdin=True,
        stdout=True,
        stderr=True,
        tty=False,
        _preload_content=False,
    )
    session.write_stdin("a word\n")
    text = ""
    while session.is_open():
        session.update(timeout=5)
        text += session.read_stdout() if session.peek_stdout() else ""
    expect(text == "got a word\n", text)
    expect(session.returncode == 3, session.returncode)


def forward():
    ports = portforward(core.connect_get_namespaced_pod_portforward, pod_name(), NAMESPACE, ports="80")
    http = ports.socket(80)
    http.setblocking(True)
    http.settimeout(20)
    http.sendall(b"GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
    answer = b""
    while True:
        try:
            chunk = http.recv(4096)
        except socket.timeout:
            break
        if not chunk:
            break
        answer += chunk
    expect(b"Welcome to nginx" in answer, answer[:200])
    expect(ports.error(80) is None, ports.error(80))


def custom_objects():
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"plural": "things", "singular": "thing", "kind": "Thing"}
    extensions.create_custom_resource_definition(
        {
            "metadata": {"name": "things.python.example.com"},
            "spec": {"group": "python.example.com", "scope": "Namespaced", "names": names, "versions": versions},
        }
    )
    instance = {"apiVersion": "python.example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {"size": 1}}
    where = ("python.example.com", "v1", NAMESPACE, "things")
    for _ in range(50):
        try:
            custom.create_namespaced_custom_object(*where, instance)
            break
        except ApiException as error:
            expect(error.status == 404, error)
            time.sleep(0.1)
    custom.patch_namespaced_custom_object(*where, "one", {"spec": {"size": 2}})
    expect(custom.get_namespaced_custom_object(*where, "one")["spec"]["size"] == 2, "the patch is not there")
    extensions.delete_custom_resource_definition("things.python.example.com")


def deletion():
    core.delete_namespace(NAMESPACE)
    for event in watch.Watch().stream(
        core.list_namespace, field_selector=f"metadata.name={NAMESPACE}", timeout_seconds=60
    ):
        if event["type"] == "DELETED":
            return
    raise AssertionError("not gone within a minute")


attempt("version", version)
attempt("namespace", namespace)
attempt("ConfigMap: create, replace, patch, conflict", config_map)
attempt("a refusal as ApiException", refused)
attempt("Deployment, watched until it is available", deployment)
attempt("pages", pages)
attempt("logs, and followed", logs)
attempt("exec with input and an exit code", exec_command)
attempt("port-forward", forward)
attempt("custom objects", custom_objects)
attempt("deletion, watched", deletion)
sys.exit(1 if failed else 0)
