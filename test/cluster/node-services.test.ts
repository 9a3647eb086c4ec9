// The services and files of nodes, as their users change them: kubelet, containerd, static pods and the control plane.
import { expect, test } from "vitest";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { seededRandom } from "../../shared/base/random.ts";
import { openCluster } from "../../worker/cluster/cluster.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { newRecord } from "../../worker/cluster/runs/timeline.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { podOnNode, wholeNode } from "../../worker/machine/node-pod.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { drainCarefully } from "../runtime/careful-run.ts";
import { nodeSql } from "../sqlite.ts";
import { onNode } from "./on-node.ts";

function readyOf(cluster: TestCluster, node: string): string {
  return cluster.get(nodes, "", node).status.conditions?.find(({ type }) => type === "Ready")?.status ?? "";
}

function settled(): TestCluster {
  const cluster = newCluster({ base: "layered", systemPods: true });
  cluster.step(60_000);
  return cluster;
}

const manifest = "/etc/kubernetes/manifests/web.yaml";
const webPod = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx:1.27
`;

test("a stopped kubelet lets its node become NotReady through its lease, and a started one mends it", async () => {
  const cluster = settled();
  expect(await onNode(cluster, "node-2", "systemctl is-active kubelet")).toBe("active\n");
  expect(await onNode(cluster, "node-2", "systemctl stop kubelet && systemctl is-active kubelet")).toBe(
    "inactive\n[3]",
  );
  cluster.step(30_000);
  expect(readyOf(cluster, "node-2")).toBe("True");
  cluster.step(30_000);
  expect(readyOf(cluster, "node-2")).toBe("Unknown");
  expect(readyOf(cluster, "node-1")).toBe("True");
  expect(await onNode(cluster, "node-2", "systemctl status kubelet")).toMatch(
    /Active: inactive \(dead\) since .*; 1min 1s ago/,
  );
  expect(await onNode(cluster, "node-2", "systemctl start kubelet && systemctl is-active kubelet")).toBe("active\n");
  cluster.step(5_000);
  expect(readyOf(cluster, "node-2")).toBe("True");
});

test("a pod on a node whose kubelet is stopped does not start until the kubelet runs", async () => {
  const cluster = settled();
  await onNode(cluster, "node-2", "systemctl stop kubelet");
  const spec = { nodeName: "node-2", containers: [{ name: "c", image: "nginx" }] };
  cluster.apply(pods, { metadata: { name: "late", namespace: "default" }, spec });
  cluster.step(10_000);
  expect(cluster.get(pods, "default", "late").status.phase).toBe("Pending");
  await onNode(cluster, "node-2", "systemctl start kubelet");
  cluster.step(10_000);
  expect(cluster.get(pods, "default", "late").status.phase).toBe("Running");
});

test.each([
  [
    "a wrong path of the client authority",
    "sed -i 's#pki/ca.crt#pki/wrong.crt#' /var/lib/kubelet/config.yaml",
    "unable to load client CA file /etc/kubernetes/pki/wrong.crt",
    "sed -i 's#pki/wrong.crt#pki/ca.crt#' /var/lib/kubelet/config.yaml",
  ],
  [
    "a configuration that is no YAML",
    "cp /var/lib/kubelet/config.yaml /root/c; echo '{' > /var/lib/kubelet/config.yaml",
    "failed to load Kubelet config file /var/lib/kubelet/config.yaml",
    "cp /root/c /var/lib/kubelet/config.yaml",
  ],
  [
    "a missing configuration",
    "mv /var/lib/kubelet/config.yaml /root/",
    "open /var/lib/kubelet/config.yaml: no such file or directory",
    "mv /root/config.yaml /var/lib/kubelet/",
  ],
  [
    "an unknown flag",
    `sed -i 's/--node-ip/--nod-ip/' /var/lib/kubelet/kubeadm-flags.env`,
    "unknown flag: --nod-ip",
    `sed -i 's/--nod-ip/--node-ip/' /var/lib/kubelet/kubeadm-flags.env`,
  ],
])(
  "a kubelet does not start with %s, says so in the journal, and starts by itself when it is mended",
  async (_, breaks, line, mends) => {
    const cluster = settled();
    expect(await onNode(cluster, "node-2", `${breaks}; systemctl is-active kubelet`)).toBe("active\n");
    expect(await onNode(cluster, "node-2", "systemctl restart kubelet; systemctl is-active kubelet")).toBe(
      "activating\n[3]",
    );
    expect(await onNode(cluster, "node-2", "journalctl -u kubelet --no-pager | tail -n 5")).toContain(line);
    expect(await onNode(cluster, "node-2", "systemctl status kubelet")).toMatch(
      /Active: activating \(auto-restart\) \(Result: exit-code\)/,
    );
    cluster.step(60_000);
    expect(readyOf(cluster, "node-2")).toBe("Unknown");
    expect(await onNode(cluster, "node-2", "journalctl -u kubelet")).toContain(
      "Scheduled restart job, restart counter is at 5.",
    );
    await onNode(cluster, "node-2", mends);
    cluster.step(15_000);
    expect(await onNode(cluster, "node-2", "systemctl is-active kubelet")).toBe("active\n");
    expect(readyOf(cluster, "node-2")).toBe("True");
  },
);

test("a kubelet with another address of the API server runs, and its node becomes NotReady", async () => {
  const cluster = settled();
  await onNode(cluster, "node-2", "sed -i 's/:6443/:6553/' /etc/kubernetes/kubelet.conf; systemctl restart kubelet");
  cluster.step(60_000);
  expect(await onNode(cluster, "node-2", "systemctl is-active kubelet")).toBe("active\n");
  expect(readyOf(cluster, "node-2")).toBe("Unknown");
  expect(await onNode(cluster, "node-2", "journalctl -u kubelet -n 3")).toMatch(
    /dial tcp 172\.18\.0\.\d+:6553: connect: connection refused/,
  );
});

test("a pod that waits for a kubelet runs once the kubelet starts by itself", async () => {
  const cluster = settled();
  const config = "/var/lib/kubelet/config.yaml";
  await onNode(cluster, "node-2", `mv ${config} /root/c; systemctl restart kubelet`);
  const spec = { nodeName: "node-2", containers: [{ name: "c", image: "nginx" }] };
  cluster.apply(pods, { metadata: { name: "late", namespace: "default" }, spec });
  cluster.step(12_000);
  expect(cluster.get(pods, "default", "late").status.phase).toBe("Pending");
  await onNode(cluster, "node-2", `mv /root/c ${config}`);
  cluster.step(15_000);
  expect(cluster.get(pods, "default", "late").status.phase).toBe("Running");
});

test("a unit file is read again only after daemon-reload", async () => {
  const cluster = settled();
  const dropIn = "/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf";
  await onNode(cluster, "node-2", "systemctl restart kubelet");
  expect(
    await onNode(
      cluster,
      "node-2",
      `sed -i 's#/usr/bin/kubelet#/usr/local/bin/kubelet#' ${dropIn}; systemctl restart kubelet; systemctl is-active kubelet`,
    ),
  ).toMatch(/Run 'systemctl daemon-reload'[^]*active\n$/);
  expect(
    await onNode(cluster, "node-2", "systemctl daemon-reload; systemctl restart kubelet; systemctl is-active kubelet"),
  ).toBe("activating\n[3]");
  expect(await onNode(cluster, "node-2", "journalctl -u kubelet -n 4")).toContain(
    "Main process exited, code=exited, status=203/EXEC",
  );
});

test("without containerd a node is NotReady, crictl has no connection, and a kubelet does not start", async () => {
  const cluster = settled();
  await onNode(cluster, "node-2", "systemctl stop containerd");
  cluster.step(2_000);
  expect(readyOf(cluster, "node-2")).toBe("False");
  expect(await onNode(cluster, "node-2", "crictl ps")).toContain("connect: no such file or directory");
  expect(await onNode(cluster, "node-2", "systemctl restart kubelet; systemctl is-active kubelet")).toBe(
    "activating\n[3]",
  );
  await onNode(cluster, "node-2", "systemctl start containerd");
  cluster.step(15_000);
  expect(readyOf(cluster, "node-2")).toBe("True");
});

test("a manifest in a worker's folder runs a static pod, which follows the manifest's changes and its removal", async () => {
  const cluster = settled();
  await onNode(cluster, "node-2", `cat > ${manifest} <<'END'\n${webPod}END`);
  cluster.step(30_000);
  expect(cluster.get(pods, "default", "web-node-2").status.phase).toBe("Running");
  await onNode(cluster, "node-2", `sed -i 's/1.27/1.28/' ${manifest}`);
  cluster.step(30_000);
  expect(cluster.get(pods, "default", "web-node-2").spec.containers[0]?.image).toBe("nginx:1.28");
  await onNode(cluster, "node-2", `sed -i 's/kind: Pod/kind: Pot/' ${manifest}`);
  cluster.step(5_000);
  expect(cluster.client.get(pods, "default", "web-node-2")).toBeUndefined();
  expect(await onNode(cluster, "node-2", "journalctl -u kubelet -n 2")).toContain("Could not process manifest file");
  await onNode(cluster, "node-2", `rm ${manifest}`);
  expect(await onNode(cluster, "node-2", "journalctl -u kubelet -n 2")).not.toContain("Could not process");
});

test("a new manifest on the control plane's node leaves the pods of the control plane alone", async () => {
  const cluster = settled();
  const before = cluster.get(pods, "kube-system", "etcd-node-1").metadata.uid;
  await onNode(cluster, "node-1", `cat > ${manifest} <<'END'\n${webPod}END`);
  cluster.step(30_000);
  expect(cluster.get(pods, "default", "web-node-1").status.phase).toBe("Running");
  expect(cluster.get(pods, "kube-system", "etcd-node-1").metadata.uid).toBe(before);
  expect(cluster.controlPlane.downAt()).toBeUndefined();
});

test("a broken manifest of the API server refuses requests until it is mended, and crictl shows the crash", async () => {
  const cluster = settled();
  const file = "/etc/kubernetes/manifests/kube-apiserver.yaml";
  await onNode(
    cluster,
    "node-1",
    `sed -i 's#--client-ca-file=/etc/kubernetes/pki/ca.crt#--client-ca-file=/etc/kubernetes/pki/none.crt#' ${file}`,
  );
  cluster.step(30_000);
  expect(cluster.controlPlane.downAt()).toMatch(/^172\.18\.0\.\d+:6443$/);
  expect(await onNode(cluster, "node-1", "crictl ps -a --name kube-apiserver")).toMatch(
    / Exited +kube-apiserver +\d+ /,
  );
  expect(await onNode(cluster, "node-1", "crictl logs $(crictl ps -a -q --name kube-apiserver | head -n 1)")).toContain(
    "open /etc/kubernetes/pki/none.crt: no such file or directory",
  );
  expect(
    await onNode(cluster, "node-1", "cat /var/log/pods/kube-system_kube-apiserver-node-1_*/kube-apiserver/*.log"),
  ).toContain("none.crt");
  await onNode(cluster, "node-1", `sed -i 's#pki/none.crt#pki/ca.crt#' ${file}`);
  cluster.step(60_000);
  expect(cluster.controlPlane.downAt()).toBeUndefined();
});

test("without its manifest the scheduler binds no pods", async () => {
  const cluster = settled();
  await onNode(cluster, "node-1", "mv /etc/kubernetes/manifests/kube-scheduler.yaml /root/");
  cluster.step(5_000);
  cluster.apply(pods, {
    metadata: { name: "waits", namespace: "default" },
    spec: { containers: [{ name: "c", image: "nginx" }] },
  });
  cluster.step(30_000);
  expect(cluster.get(pods, "default", "waits").spec.nodeName).toBeUndefined();
  await onNode(cluster, "node-1", "mv /root/kube-scheduler.yaml /etc/kubernetes/manifests/");
  cluster.step(60_000);
  expect(cluster.get(pods, "default", "waits").spec.nodeName).toBeDefined();
});

test.each(["", "{", "null", "[]", '{"journal": 3}', "x".repeat(50_000)])(
  "a stranger's text in the file of a service is read as an untouched service: %s",
  async (text) => {
    const cluster = settled();
    await onNode(cluster, "node-2", `printf '%s' '${text}' > /run/systemd/units/kubelet.service.json`);
    expect(await onNode(cluster, "node-2", "systemctl is-active kubelet")).toBe("active\n");
    expect(readyOf(cluster, "node-2")).toBe("True");
  },
);

test("more manifests than a kubelet reads, and requests that are none, change nothing else", async () => {
  const cluster = settled();
  const script = `for i in $(seq 70); do sed "s/name: web/name: web-$i/" > /etc/kubernetes/manifests/w$i.yaml <<'END'
${webPod}END
done
mkdir -p /run/kubernetes/requests; echo '{"kind":"create-token","id":"../../x"}' > /run/kubernetes/requests/a; echo x > /run/kubernetes/requests/b`;
  await onNode(cluster, "node-2", script);
  cluster.step(60_000);
  const onNode2 = cluster.client.list(pods, { namespace: "default" }).filter(({ spec }) => spec.nodeName === "node-2");
  expect(onNode2.length).toBe(50);
  expect(readyOf(cluster, "node-2")).toBe("True");
});

test("a scheduler whose manifest is gone stays stopped when the cluster is opened again, and runs after the manifest is back", async () => {
  const sql = nodeSql();
  const cluster = newCluster({ sql, base: "layered", systemPods: true });
  cluster.step(60_000);
  const path = "/etc/kubernetes/manifests/kube-scheduler.yaml";
  await onNode(cluster, "node-1", `mv ${path} /root/`);
  cluster.step(60_000);
  const record = newRecord(sql);
  const reopened = openCluster({
    ...{ sql, clock: cluster.clock, random: seededRandom(1), kinds, plugins: [], record },
    controllers: allControllers({ zeroDelays: true, images: "any", caPem: "test", ...record }),
    report: (error) => {
      throw error;
    },
  });
  reopened.system.create(pods, {
    metadata: { name: "late", namespace: "default" },
    spec: { containers: [{ name: "c", image: "nginx" }] },
  });
  const drain = () => {
    drainCarefully(reopened);
    for (let turns = 0; turns < 50; turns++) reopened.runtime.drain(1000);
  };
  drain();
  expect(reopened.system.get(pods, "default", "late")?.spec.nodeName).toBeUndefined();
  record.edits.add(podOnNode("node-1"), wholeNode, [
    { atMs: cluster.clock.nowMs(), path, text: filesOfNode(record.edits, "/root/kube-scheduler.yaml") },
  ]);
  for (let seconds = 0; seconds < 60; seconds++) {
    cluster.clock.stepTo(cluster.clock.nowMs() + 1000);
    drain();
  }
  expect(reopened.system.get(pods, "default", "late")?.spec.nodeName).toBeDefined();
});

function filesOfNode(edits: ReturnType<typeof newRecord>["edits"], path: string): string {
  return edits.of(podOnNode("node-1"), wholeNode).findLast((edit) => edit.path === path)?.text ?? "";
}
