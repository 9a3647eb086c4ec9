// Tools for debugging a node, and curl's options for names and bodies.
import { expect, test } from "vitest";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import type { Contact } from "../../../worker/containers/shell/contact.ts";
import { quietCluster } from "../../cluster.ts";
import { executed } from "../executed.ts";
import { inImage } from "./in-image.ts";

const files = {
  "/host/run/containerd/containerd.sock": "",
  "/host/etc/hostname": "node-1\n",
  "/host/etc/kubernetes/kubelet.conf": "x",
  "/tmp/body": "a\nb\n",
};

test.each([
  ["chroot /host cat /etc/hostname", "node-1\n", 0],
  ["chroot /host sh -c 'echo new > /etc/x; pwd'; cat /host/etc/x", "/\nnew\n", 0],
  ["chroot /nope ls", "chroot: cannot change root directory to '/nope': No such file or directory\n", 1],
  ["nsenter --mount=/host/proc/1/ns/mnt -- sh -c 'cat /etc/hostname; echo $0'", "node-1\nsh\n", 0],
  ["nsenter --mount=/no/proc/1/ns/mnt ls", "nsenter: cannot open /no/proc/1/ns/mnt: No such file or directory\n", 1],
  ["nsenter -t 1 -m -n ip addr", "nsenter: not simulated in this sandbox\n", 127],
  ["chroot /host crictl stats", "crictl: stats is not simulated in this sandbox\n", 127],
  ["chroot /host systemctl restart kubelet", "systemctl: not simulated in this sandbox\n", 127],
])("N10: tools for a node's files: %s", (script, all, exit) => {
  const world = { service: () => undefined, node: { name: "node-1", pods: () => [], log: () => [] } };
  expect(inImage("busybox:1.36", ["sh", "-c", script], { files, world })).toMatchObject({ all, exit });
});

test("N16: a debugging pod sees the node's containers and their logs in the runtime's layout", async () => {
  const cluster = quietCluster();
  const spec = (image: string, more: object = {}) => ({
    nodeName: "node-1",
    containers: [{ name: "c", image, ...more }],
  });
  const make = (name: string, of: object) =>
    cluster.apply(pods, { metadata: { name, namespace: "default" }, spec: of });
  make("web", spec("busybox", { args: ["sh", "-c", "echo one; echo two >&2; sleep 1d"] }));
  make("bad", spec("busybox", { args: ["sh", "-c", "exit 3"] }));
  make("debug", {
    ...spec("busybox", { args: ["sleep", "1d"], volumeMounts: [{ name: "host", mountPath: "/host" }] }),
    volumes: [{ name: "host", hostPath: { path: "/" } }],
  });
  cluster.step(60_000);
  const runOnNode = (script: string) => executed(cluster, "debug", `chroot /host ${script}`);
  const web = cluster.get(pods, "default", "web");
  const id = web.status.containerStatuses?.[0]?.containerID?.replace("containerd://", "") ?? "";
  const uid = web.metadata.uid ?? "";
  expect(await runOnNode("crictl ps --name c")).toMatch(
    new RegExp(
      `^CONTAINER +IMAGE +CREATED +STATE +NAME +ATTEMPT +POD ID +POD +NAMESPACE\n[^]*${id.slice(0, 13)} {7}[0-9a-f]{13} {7}(\\d+ seconds|About a minute) ago.* Running +c +0 +[0-9a-f]{13} +web +default\n`,
    ),
  );
  expect(await runOnNode("crictl ps -a")).toMatch(/ Exited +c +\d+ +[0-9a-f]{13} +bad +default\n/);
  expect(await runOnNode("crictl pods --name web")).toMatch(
    /^POD ID .*\n[0-9a-f]{13} .* Ready +web +default +0 +\(default\)\n$/,
  );
  expect(await runOnNode("crictl images")).toMatch(/^docker\.io\/library\/busybox +latest +[0-9a-f]{13} +[\d.]+MB$/m);
  expect(await runOnNode(`crictl logs ${id.slice(0, 10)}`)).toBe("one\ntwo\n");
  expect(JSON.parse(await runOnNode(`crictl inspect ${id}`))).toMatchObject({
    status: { state: "CONTAINER_RUNNING", metadata: { name: "c" } },
  });
  expect(JSON.parse(await runOnNode("crictl inspecti registry.k8s.io/pause:3.10.2"))).toMatchObject({
    status: { uid: { value: "65535" }, username: "" },
    info: { imageSpec: { config: { User: "65535:65535", Entrypoint: ["/pause"] } } },
  });
  expect(await runOnNode("crictl logs nope")).toMatch(/level=fatal msg="rpc error: code = NotFound .*\n\[1\]$/);
  expect(await runOnNode("journalctl -u kubelet")).toContain('"SyncLoop ADD" source="api" pods=["default/web"]');
  expect(await runOnNode("journalctl -u kubelet")).toMatch(
    /with CrashLoopBackOff: .*pod=\"default\/bad\"|with CrashLoopBackOff: .*pod="default\/bad"/,
  );
  const file = `/var/log/pods/default_web_${uid}/c/0.log`;
  expect(await runOnNode(`cat ${file}`)).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z stdout F one\n\d{4}-\d\d-\d\dT[\d:.]+Z stderr F two\n$/,
  );
  expect(await executed(cluster, "debug", `cat /host${file} | wc -l; ls /host/var/log/containers`)).toMatch(
    new RegExp(`^\\s*2\n[^]*web_default_c-${id}\\.log\n`),
  );
});

test("N10: curl follows --resolve, and sends a file's contents", () => {
  const contacts: Contact[] = [];
  const reach = (contact: Contact) => {
    contacts.push(contact);
    return { kind: "answered" as const, answer: { status: 200, contentType: "text/plain", body: "ok" } };
  };
  const script = "curl -s --resolve web.example:8080:10.0.0.7 -d @/tmp/body http://web.example:8080/x";
  const { all } = inImage("nginx:1.27", ["sh", "-c", script], { files, world: { service: () => undefined, reach } });
  expect(all).toBe("ok");
  const [requestContact] = contacts.filter(({ request }) => request);
  expect([requestContact?.address, requestContact?.request?.method, requestContact?.request?.body]).toEqual([
    "10.0.0.7",
    "POST",
    "ab",
  ]);
  expect(requestContact?.request?.headers[0]).toEqual(["Host", "web.example:8080"]);
});
