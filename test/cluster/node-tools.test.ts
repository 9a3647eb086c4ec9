// kubeadm, etcdctl, openssl, apt and the network tools on a node.
import { expect, test } from "vitest";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { executed } from "../containers/executed.ts";
import { onNode } from "./on-node.ts";

function settled(restore?: (atMs: number) => void): TestCluster {
  const cluster = newCluster({ base: "layered", systemPods: true, ...(restore ? { restore } : {}) });
  cluster.step(60_000);
  return cluster;
}

test("kubeadm creates a token with a join command, lists it and deletes it", async () => {
  const cluster = settled();
  const join = await onNode(cluster, "node-1", "kubeadm token create --print-join-command");
  const [, id = "", secret = ""] =
    /^kubeadm join 172\.18\.0\.\d+:6443 --token ([a-z0-9]{6})\.([a-z0-9]{16}) --discovery-token-ca-cert-hash sha256:[0-9a-f]{64} \n$/.exec(
      join,
    ) ?? [];
  const data = cluster.get(secrets, "kube-system", `bootstrap-token-${id}`).data ?? {};
  expect(atob(data["token-secret"] ?? "")).toBe(secret);
  expect(await onNode(cluster, "node-1", "kubeadm token list")).toMatch(
    new RegExp(
      `^TOKEN +TTL +EXPIRES +USAGES +DESCRIPTION +EXTRA GROUPS\n${id}\\.${secret} +23h +[\\dTZ:-]+ +authentication,signing +<none> +system:bootstrappers:kubeadm:default-node-token\n$`,
    ),
  );
  expect(await onNode(cluster, "node-1", `kubeadm token delete ${id}`)).toBe(`bootstrap token "${id}" deleted\n`);
  expect(cluster.client.get(secrets, "kube-system", `bootstrap-token-${id}`)).toBeUndefined();
  expect(await onNode(cluster, "node-1", "kubeadm token list")).toBe("");
  expect(await onNode(cluster, "node-1", "kubeadm token create nope")).toMatch(/was not of the form[^]*\[1\]$/);
});

test("only the control plane's node creates tokens, and containers without the node's root folder have no tools", async () => {
  const cluster = settled();
  expect(await onNode(cluster, "node-2", "kubeadm token create")).toMatch(
    /admin\.conf: no such file or directory[^]*\[1\]$/,
  );
  const spec = {
    nodeName: "node-1",
    containers: [{ name: "c", image: "example.com/tools", command: ["sleep", "1d"] }],
  };
  cluster.apply(pods, { metadata: { name: "inside", namespace: "default" }, spec });
  cluster.step(10_000);
  expect(
    await executed(
      cluster,
      "inside",
      "mkdir -p /var/lib/kubelet; echo x > /var/lib/kubelet/config.yaml; kubeadm token list",
    ),
  ).toContain("not simulated");
});

test("the certificates of the control plane are real, and kubeadm knows when they expire and renews them", async () => {
  const cluster = settled();
  expect(
    await onNode(cluster, "node-1", "openssl x509 -in /etc/kubernetes/pki/apiserver.crt -noout -subject -issuer"),
  ).toBe("subject=CN=kube-apiserver\nissuer=CN=kubernetes\n");
  expect(await onNode(cluster, "node-1", "openssl x509 -in /etc/kubernetes/pki/etcd/server.crt -noout -text")).toMatch(
    /Issuer: CN ?= ?etcd-ca[^]*DNS:node-1, DNS:localhost/,
  );
  const before = await onNode(cluster, "node-1", "kubeadm certs check-expiration");
  expect(before).toMatch(
    /^\[check-expiration\] Reading configuration from[^]*\nCERTIFICATE +EXPIRES +RESIDUAL TIME +CERTIFICATE AUTHORITY +EXTERNALLY MANAGED\nadmin\.conf +\w{3} \d\d, \d{4} \d\d:\d\d UTC +364d +ca +no/m,
  );
  expect(before).toMatch(
    /etcd-healthcheck-client .* etcd-ca +no[^]*CERTIFICATE AUTHORITY +EXPIRES[^]*front-proxy-ca .* 9y +no/,
  );
  cluster.step(86_400_000 * 2);
  expect(await onNode(cluster, "node-1", "kubeadm certs renew apiserver")).toContain(
    "certificate for serving the Kubernetes API renewed",
  );
  expect(
    await onNode(cluster, "node-1", "kubeadm certs check-expiration | grep -E '^(apiserver|etcd-server) '"),
  ).toMatch(/apiserver .* 364d[^]*etcd-server .* 362d/);
});

test("kubeadm upgrades the control plane to a patch release once its package is upgraded, and kubelets follow theirs", async () => {
  const cluster = settled();
  expect(await onNode(cluster, "node-1", "apt-cache madison kubeadm")).toMatch(
    /^ +kubeadm \| 1\.36\.2-1\.1 \| https:\/\/pkgs\.k8s\.io\/core:\/stable:\/v1\.36\/deb +Packages\n/,
  );
  expect(await onNode(cluster, "node-1", "kubeadm upgrade plan")).toMatch(
    /kubelet +node-1 +v1\.36\.0 +v1\.36\.2[^]*kube-apiserver +node-1 +v1\.36\.0 +v1\.36\.2[^]*you have to update kubeadm to v1\.36\.2/,
  );
  expect(await onNode(cluster, "node-1", "kubeadm upgrade apply v1.36.1 -y")).toMatch(
    /is higher than the kubeadm version "v1\.36\.0"[^]*\[1\]$/,
  );
  expect(await onNode(cluster, "node-1", "apt-get install -y kubeadm=1.36.1-1.1")).toMatch(
    /Held packages were changed[^]*\[100\]$/,
  );
  expect(
    await onNode(
      cluster,
      "node-1",
      "apt-mark unhold kubeadm kubelet && apt-get update && apt-get install -y kubeadm=1.36.1-1.1 && apt-mark hold kubeadm && kubeadm version -o short",
    ),
  ).toMatch(
    /Canceled hold on kubeadm\.[^]*Setting up kubeadm \(1\.36\.1-1\.1\)[^]*kubeadm set on hold\.\nv1\.36\.1\n$/,
  );
  expect(await onNode(cluster, "node-1", "kubeadm upgrade apply v1.36.1 -y")).toMatch(
    /Component "kube-scheduler" upgraded successfully![^]*SUCCESS! A control plane node of your cluster was upgraded to "v1\.36\.1"/,
  );
  cluster.step(60_000);
  expect(cluster.get(pods, "kube-system", "kube-apiserver-node-1").spec.containers[0]?.image).toBe(
    "registry.k8s.io/kube-apiserver:v1.36.1",
  );
  expect(cluster.get(nodes, "", "node-1").status.nodeInfo?.kubeletVersion).toBe("v1.36.0");
  await onNode(
    cluster,
    "node-1",
    "apt-get install -y kubelet=1.36.1-1.1; systemctl daemon-reload; systemctl restart kubelet",
  );
  cluster.step(5_000);
  expect(cluster.get(nodes, "", "node-1").status.nodeInfo?.kubeletVersion).toBe("v1.36.1");
  expect(cluster.get(nodes, "", "node-2").status.nodeInfo?.kubeletVersion).toBe("v1.36.0");
});

const pki =
  "--endpoints=https://127.0.0.1:2379 --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key";

test("etcdctl saves a snapshot with etcd's certificates alone, and shows its status", async () => {
  const cluster = settled();
  expect(await onNode(cluster, "node-1", "etcdctl snapshot save /opt/b.db")).toMatch(
    /Error: context deadline exceeded\n\[1\]$/,
  );
  expect(await onNode(cluster, "node-1", `etcdctl ${pki} snapshot save /opt/b.db`)).toContain(
    "Snapshot saved at /opt/b.db\n",
  );
  expect(await onNode(cluster, "node-1", "etcdutl snapshot status /opt/b.db --write-out=table")).toMatch(
    /^\+-+[^]*\| +HASH +\| REVISION \| TOTAL KEYS \| TOTAL SIZE \|[^]*\| [0-9a-f]{8} \| +\d+ \| +\d+ \|/,
  );
  expect(await onNode(cluster, "node-1", `etcdctl ${pki} member list`)).toMatch(
    /^8e9e05c52164694d, started, node-1, https:\/\/172/,
  );
  expect(await onNode(cluster, "node-1", "etcdutl snapshot status /etc/hostname")).toMatch(/invalid database\n\[1\]$/);
});

test("iptables-save has kube-proxy's chains under their real names, and ip has the links and routes of the node", async () => {
  const cluster = settled();
  const rules = await onNode(cluster, "node-1", "iptables-save");
  expect(rules).toMatch(
    /-A KUBE-SERVICES -d 10\.96\.0\.1\/32 -p tcp -m comment --comment "default\/kubernetes:https cluster IP" -m tcp --dport 443 -j KUBE-SVC-NPX46M4PTMTKRN6Y\n/,
  );
  expect(await onNode(cluster, "node-1", "ip route")).toMatch(
    /^default via 172\.18\.0\.1 dev eth0 \n[^]*10\.244\.2\.0\/24 via 172\.18\.0\.\d+ dev eth0/,
  );
  expect(await onNode(cluster, "node-1", "ip addr show eth0")).toMatch(
    /inet 172\.18\.0\.\d+\/16 brd 172\.18\.255\.255 scope global eth0/,
  );
});

test("an etcd that starts with a restored folder has the cluster set to the moment of the snapshot, once", async () => {
  const moments: number[] = [];
  const cluster = settled((atMs) => moments.push(atMs));
  const savedMs = cluster.clock.nowMs();
  await onNode(cluster, "node-1", `etcdctl ${pki} snapshot save /opt/b.db`);
  cluster.step(60_000);
  expect(await onNode(cluster, "node-1", "etcdutl snapshot restore /opt/b.db --data-dir /var/lib/etcd")).toMatch(
    /data-dir "\/var\/lib\/etcd" not empty[^]*\[1\]$/,
  );
  await onNode(cluster, "node-1", "etcdutl snapshot restore /opt/b.db --data-dir /var/lib/etcd-new");
  cluster.step(10_000);
  expect(moments).toEqual([]);
  const manifest = "/etc/kubernetes/manifests/etcd.yaml";
  await onNode(cluster, "node-1", `sed -i 's#path: /var/lib/etcd$#path: /var/lib/etcd-new#' ${manifest}`);
  cluster.step(60_000);
  expect(moments.length).toBe(1);
  expect(Math.abs((moments[0] ?? 0) - savedMs)).toBeLessThan(1000);
  await onNode(cluster, "node-1", "touch /etc/kubernetes/x");
  cluster.step(60_000);
  expect(moments.length).toBe(1);
});
