// Security settings of nodes: AppArmor, seccomp, handlers of containerd, and access to the kubelet.
import { expect, test } from "vitest";
import type { PodSpec } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { runtimeClasses } from "../../worker/kinds/node/runtime-class.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { onNode } from "./on-node.ts";

function settled(): TestCluster {
  const cluster = newCluster({ base: "layered", systemPods: true });
  cluster.step(60_000);
  return cluster;
}

function run(cluster: TestCluster, name: string, spec: Partial<PodSpec>): void {
  const containers = [{ name: "c", image: "nginx:1.27" }];
  cluster.apply(pods, { metadata: { name, namespace: "default" }, spec: { nodeName: "node-2", containers, ...spec } });
  cluster.step(20_000);
}

function waitingOf(cluster: TestCluster, name: string) {
  const { status } = cluster.get(pods, "default", name);
  return status.containerStatuses?.[0]?.state.waiting ?? status.phase;
}

const profile = `#include <tunables/global>
profile k8s-deny-write flags=(attach_disconnected) {
  #include <abstractions/base>
  file,
  deny /** w,
}
`;

test("a pod with an AppArmor profile starts once the profile is loaded on its node", async () => {
  const cluster = settled();
  run(cluster, "locked", {
    securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "k8s-deny-write" } },
  });
  expect(waitingOf(cluster, "locked")).toEqual({
    reason: "CreateContainerError",
    message:
      "failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found k8s-deny-write",
  });
  await onNode(cluster, "node-2", `cat > /etc/apparmor.d/deny-write <<'END'\n${profile}END`);
  expect(await onNode(cluster, "node-2", "apparmor_parser -q /etc/apparmor.d/deny-write && aa-status")).toMatch(
    /2 profiles are loaded\.\n2 profiles are in enforce mode\.\n {3}cri-containerd\.apparmor\.d\n {3}k8s-deny-write\n0 profiles/,
  );
  cluster.step(30_000);
  expect(waitingOf(cluster, "locked")).toBe("Running");
  expect(await onNode(cluster, "node-2", "apparmor_parser /etc/apparmor.d/deny-write")).toContain("already exists");
  expect(await onNode(cluster, "node-2", "apparmor_parser -R /etc/apparmor.d/deny-write; aa-status")).toContain(
    "1 profiles are loaded.",
  );
  expect(await onNode(cluster, "node-1", "aa-status")).not.toContain("k8s-deny-write");
});

test.each([
  ["no closing brace", "profile a {\n file,\n", /unexpected end of file[^]*\[1\]$/],
  ["no profile", "hello\n", /syntax error, unexpected hello[^]*\[1\]$/],
])("apparmor_parser refuses a file with %s", async (_, text, error) => {
  const cluster = settled();
  expect(await onNode(cluster, "node-2", `cat > /root/p <<'END'\n${text}END\napparmor_parser /root/p`)).toMatch(error);
});

test("a pod with a seccomp profile starts once the file is in the kubelet's folder", async () => {
  const cluster = settled();
  run(cluster, "audited", {
    securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "profiles/audit.json" } },
  });
  const path = "/var/lib/kubelet/seccomp/profiles/audit.json";
  expect(waitingOf(cluster, "audited")).toEqual({
    reason: "CreateContainerError",
    message: `failed to create containerd container: cannot load seccomp profile "${path}": open ${path}: no such file or directory`,
  });
  await onNode(
    cluster,
    "node-2",
    `mkdir -p /var/lib/kubelet/seccomp/profiles; echo '{"defaultAction": "SCMP_ACT_LOG"}' > ${path}`,
  );
  cluster.step(30_000);
  expect(waitingOf(cluster, "audited")).toBe("Running");
});

test("a pod with a RuntimeClass starts once containerd was restarted with its handler", async () => {
  const cluster = settled();
  cluster.apply(runtimeClasses, { metadata: { name: "gvisor" }, handler: "runsc" });
  run(cluster, "sandboxed", { runtimeClassName: "gvisor" });
  const pod = () => cluster.get(pods, "default", "sandboxed");
  expect(cluster.eventsOf(pod()).at(-1)).toBe(
    'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "runsc" is configured',
  );
  await onNode(
    cluster,
    "node-2",
    `cat >> /etc/containerd/config.toml <<'END'
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runsc]
  runtime_type = "io.containerd.runsc.v1"
END`,
  );
  cluster.step(30_000);
  expect(pod().status.phase).toBe("Pending");
  await onNode(cluster, "node-2", "systemctl restart containerd");
  cluster.step(30_000);
  expect(pod().status.phase).toBe("Running");
});

test("a kubelet's configuration decides who reads its pods, after a restart", async () => {
  const cluster = settled();
  const ask = async (url: string) =>
    onNode(cluster, "node-1", `curl -sk -o /dev/null -w '%{http_code}' --connect-timeout 2 ${url}`);
  const address = (await onNode(cluster, "node-2", "hostname -i")).trim();
  expect(await ask(`https://${address}:10250/pods`)).toBe("401");
  const config = "/var/lib/kubelet/config.yaml";
  await onNode(
    cluster,
    "node-2",
    `sed -i '/anonymous:/{n;s/false/true/}; s/mode: Webhook/mode: AlwaysAllow/' ${config}; echo 'readOnlyPort: 10255' >> ${config}`,
  );
  expect(await ask(`https://${address}:10250/pods`)).toBe("401");
  await onNode(cluster, "node-2", "systemctl restart kubelet");
  expect(await ask(`https://${address}:10250/pods`)).toBe("200");
  expect(await ask(`http://${address}:10255/pods`)).toBe("200");
  await onNode(
    cluster,
    "node-2",
    `sed -i 's/mode: AlwaysAllow/mode: Webhook/; /readOnlyPort/d' ${config}; systemctl restart kubelet`,
  );
  expect(await ask(`https://${address}:10250/pods`)).toBe("403");
  expect(await ask(`http://${address}:10255/pods`)).toMatch(/^000/);
});
