// Nodes: cordoning, draining, taints, and nodes of one's own.
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";
import { eventually, rows } from "../kubectl.ts";
import { lonePod } from "../manifests.ts";

const drainFlags = "--ignore-daemonsets --delete-emptydir-data --timeout=60s";

newestKubectlTest("a cordoned node takes no pods, an uncordoned one does again", async ({ ok }) => {
  for (const node of ["node-1", "node-2"]) expect(await ok(`cordon ${node}`)).toBe(`node/${node} cordoned\n`);
  expect(await ok("cordon node-1")).toBe("node/node-1 already cordoned\n");
  expect(rows(await ok("get node node-1"))).toMatchObject([{ STATUS: "Ready,SchedulingDisabled" }]);
  await ok("create deployment web --image=nginx --replicas=4");
  await ok("rollout status deployment/web");
  const nodes = async () => new Set((await ok("get pods -o jsonpath='{.items[*].spec.nodeName}'")).split(" "));
  expect(await nodes()).toEqual(new Set(["node-3"]));
  expect(await ok("uncordon node-1")).toBe("node/node-1 uncordoned\n");
  await ok("scale deployment/web --replicas=8");
  await ok("rollout status deployment/web");
  expect(await nodes()).toEqual(new Set(["node-1", "node-3"]));
});

newestKubectlTest(
  "drain evicts what others bring back, and asks before what nobody would",
  async ({ ok, run, write }) => {
    await ok("create deployment web --image=nginx --replicas=3");
    await ok("rollout status deployment/web");
    write("pod.yaml", lonePod.replace("spec:", "spec:\n  nodeName: node-2"));
    await ok("create -f pod.yaml");
    await ok("wait --for=condition=Ready pod/alone --timeout=60s");
    const refused = await run(`drain node-2 ${drainFlags}`);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(
      /cannot delete .*[Pp]ods (that )?declare no controller.* \(use --force to override\): default\/alone/,
    );
    const drained = await run(`drain node-2 ${drainFlags} --force`);
    expect(drained).toMatchObject({ code: 0 });
    expect(drained.stdout + drained.stderr).toContain("evicting pod default/alone");
    expect(drained.stdout).toMatch(/pod\/alone evicted/);
    expect(drained.stdout).toMatch(/node\/node-2 drained\n$/);
    await ok("rollout status deployment/web");
    // What a DaemonSet has there stays.
    expect(await ok("get pods -A --field-selector spec.nodeName=node-2 -o name")).toMatch(
      /^pod\/kindnet-\w+\npod\/kube-proxy-\w+\n$/,
    );
    expect(rows(await ok("get pods -l app=web"))).toHaveLength(3);
  },
);

newestKubectlTest("a taint keeps pods away, and NoExecute sends them away", async ({ ok, fails }) => {
  for (const node of ["node-2", "node-3"]) {
    expect(await ok(`taint node ${node} team=a:NoSchedule`)).toBe(`node/${node} tainted\n`);
  }
  expect(await fails("taint node node-2 team=b:NoSchedule")).toContain("already has team taint(s) with same effect(s)");
  await ok("create deployment web --image=nginx --replicas=3");
  await ok("rollout status deployment/web");
  const nodes = async () =>
    [...new Set((await ok("get pods -o jsonpath='{.items[*].spec.nodeName}'")).split(" "))].join();
  expect(await nodes()).toBe("node-1");
  expect(await ok("taint node node-3 team-")).toBe("node/node-3 untainted\n");
  expect(await ok("taint node node-1 out=now:NoSchedule")).toBe("node/node-1 tainted\n");
  await ok("rollout restart deployment/web");
  await ok("rollout status deployment/web");
  await eventually(
    () => "all new pods are on the node without a taint",
    async () => (await nodes()) === "node-3",
  );
});

newestKubectlTest("a pod that fits nowhere says why", async ({ ok, write }) => {
  write(
    "big.yaml",
    lonePod.replace("image: nginx", "image: nginx\n    resources:\n      requests:\n        cpu: '9000'"),
  );
  await ok("create -f big.yaml");
  await ok("wait --for=condition=PodScheduled=False pod/alone --timeout=60s");
  expect(rows(await ok("get pod alone"))).toMatchObject([{ STATUS: "Pending", READY: "0/1" }]);
  expect(await ok("describe pod alone")).toMatch(
    /Warning +FailedScheduling .*default-scheduler +0\/3 nodes are available: 3 Insufficient cpu\./,
  );
});

newestKubectlTest("a simulated node of one's own becomes ready and takes pods", async ({ ok, write }) => {
  write(
    "node.yaml",
    "apiVersion: v1\nkind: Node\nmetadata:\n  name: mine\n  labels:\n    mine: 'yes'\n  annotations:\n    sandbar.dev/simulated: 'true'\n",
  );
  expect(await ok("create -f node.yaml")).toBe("node/mine created\n");
  expect(await ok("wait --for=condition=Ready node/mine --timeout=60s")).toBe("node/mine condition met\n");
  write("pod.yaml", lonePod.replace("spec:", "spec:\n  nodeSelector:\n    mine: 'yes'"));
  await ok("create -f pod.yaml");
  expect(await ok("wait --for=condition=Ready pod/alone --timeout=60s")).toBe("pod/alone condition met\n");
  expect(await ok("get pod alone -o jsonpath={.spec.nodeName}")).toBe("mine");
  expect(await ok("delete node mine")).toBe('node "mine" deleted\n');
});
