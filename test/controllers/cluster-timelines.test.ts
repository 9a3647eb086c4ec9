// Common stories of a whole cluster, golden: what its controllers and kubelets do and tell, in order.
import { expect, test } from "vitest";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { leases } from "../../worker/kinds/coordination/lease.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../worker/kinds/apps/replica-set.ts";
import { resourceQuotas } from "../../worker/kinds/core/resource-quota/resource-quota.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { timeline } from "./timeline.ts";

const metadata = { name: "web", namespace: "default" };
const selector = { matchLabels: { app: "web" } };
const labelled = (spec: object) => ({ metadata: { labels: { app: "web" } }, spec });
const nginx = (tag: string) => labelled({ containers: [{ name: "web", image: `nginx:${tag}` }] });

/** Whole, at rest, and the revision from which the story is told. */
function atRest(): { readonly cluster: TestCluster; readonly from: number } {
  const cluster = newCluster({ nodes: 1 });
  cluster.runUntilQuiet();
  return { cluster, from: cluster.registry.store.revision };
}

test("a Deployment is made and rolled out", () => {
  const { cluster, from } = atRest();
  cluster.apply(deployments, { metadata, spec: { replicas: 1, selector, template: nginx("1.26") } });
  cluster.runUntilQuiet();
  cluster.edit(deployments, "default", "web", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = "nginx:1.27";
  });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Deployment web made",
      "ReplicaSet web-5f5794754f made",
      "Normal ScalingReplicaSet: Scaled up replica set web-5f5794754f from 0 to 1",
      "Deployment web: observedGeneration 1, unavailableReplicas 1, terminatingReplicas 0, conditions [Progressing=True/NewReplicaSetCreated Available=False/MinimumReplicasUnavailable]",
      "Pod web-5f5794754f-? made",
      "Normal SuccessfulCreate: Created pod: web-5f5794754f-?",
      "ReplicaSet web-5f5794754f: replicas 1, fullyLabeledReplicas 1, terminatingReplicas 0, observedGeneration 1",
      "Pod web-5f5794754f-? bound",
      "Normal Scheduled: Successfully assigned default/web-5f5794754f-? to a node",
      "Deployment web: conditions [Available=False/MinimumReplicasUnavailable Progressing=True/ReplicaSetUpdated], replicas 1, updatedReplicas 1",
      "Pod web-5f5794754f-? Running",
      "Normal Pulling: Pulling image "nginx:1.26"",
      "Normal Pulled: Successfully pulled image "nginx:1.26" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ReplicaSet web-5f5794754f: readyReplicas 1, availableReplicas 1",
      "Deployment web: -unavailableReplicas, conditions [Available=True/MinimumReplicasAvailable Progressing=True/NewReplicaSetAvailable], readyReplicas 1, availableReplicas 1",
      "ReplicaSet web-8448b6f544 made",
      "Normal ScalingReplicaSet: Scaled up replica set web-8448b6f544 from 0 to 1",
      "Deployment web: observedGeneration 2, -updatedReplicas, conditions [Available=True/MinimumReplicasAvailable Progressing=True/NewReplicaSetCreated], unavailableReplicas 1",
      "Pod web-8448b6f544-? made",
      "Normal SuccessfulCreate: Created pod: web-8448b6f544-?",
      "ReplicaSet web-8448b6f544: replicas 1, fullyLabeledReplicas 1, terminatingReplicas 0, observedGeneration 1",
      "Pod web-8448b6f544-? bound",
      "Normal Scheduled: Successfully assigned default/web-8448b6f544-? to a node",
      "Deployment web: replicas 2, conditions [Available=True/MinimumReplicasAvailable Progressing=True/ReplicaSetUpdated], updatedReplicas 1",
      "Pod web-8448b6f544-? Running",
      "Normal Pulling: Pulling image "nginx:1.27"",
      "Normal Pulled: Successfully pulled image "nginx:1.27" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ReplicaSet web-8448b6f544: readyReplicas 1, availableReplicas 1",
      "Normal ScalingReplicaSet: Scaled down replica set web-5f5794754f from 1 to 0",
      "Deployment web: readyReplicas 2, availableReplicas 2, -unavailableReplicas",
      "Pod web-5f5794754f-? terminating",
      "Normal SuccessfulDelete: Deleted pod: web-5f5794754f-?",
      "ReplicaSet web-5f5794754f: replicas 0, -fullyLabeledReplicas, -readyReplicas, -availableReplicas, terminatingReplicas 1, observedGeneration 2",
      "Pod web-5f5794754f-? Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web-5f5794754f-? gone",
      "Deployment web: replicas 1, readyReplicas 1, availableReplicas 1, terminatingReplicas 1, conditions [Available=True/MinimumReplicasAvailable Progressing=True/NewReplicaSetAvailable]",
      "ReplicaSet web-5f5794754f: terminatingReplicas 0",
      "Deployment web: terminatingReplicas 0",
    ]
  `);
});

test("a Job fails, and is gone when its time is up", () => {
  const { cluster, from } = atRest();
  const template = labelled({
    restartPolicy: "Never",
    containers: [{ name: "c", image: "busybox", command: ["false"] }],
  });
  cluster.apply(jobs, { metadata, spec: { backoffLimit: 0, ttlSecondsAfterFinished: 60, template } });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Job web made",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "Job web: startTime 2026-01-01T00:00:00Z, active 1, terminating 0, uncountedTerminatedPods {}, ready 0",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Failed",
      "Normal Pulling: Pulling image "busybox"",
      "Normal Pulled: Successfully pulled image "busybox" in 0s (0s including waiting). Image size: 2156518 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Job web: -active, uncountedTerminatedPods {failed 1}, conditions [FailureTarget=True/BackoffLimitExceeded]",
      "Pod web-? released",
      "Job web: conditions [FailureTarget=True/BackoffLimitExceeded Failed=True/BackoffLimitExceeded], uncountedTerminatedPods {}, failed 1",
      "Warning BackoffLimitExceeded: Job has reached the specified backoff limit",
      "Pod web-? gone",
      "Job web gone",
    ]
  `);
});

test("a namespace is made, and deleted with what is in it", () => {
  const { cluster, from } = atRest();
  cluster.apply(namespaces, { metadata: { name: "team" } });
  cluster.runUntilQuiet();
  const held = { name: "held", namespace: "team", finalizers: ["example.com/hold"] };
  cluster.apply(configMaps, { metadata: held });
  cluster.apply(pods, { metadata: { name: "web", namespace: "team" }, spec: nginx("1.27").spec });
  cluster.runUntilQuiet();
  cluster.client.delete(namespaces, "", "team");
  cluster.step(20_000);
  cluster.edit(configMaps, "team", "held", (draft) => {
    delete draft.metadata.finalizers;
  });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from, ["", "team"])).toMatchInlineSnapshot(`
    [
      "Namespace team made",
      "ServiceAccount default made",
      "ConfigMap kube-root-ca.crt made",
      "ConfigMap held made",
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned team/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1.27"",
      "Normal Pulled: Successfully pulled image "nginx:1.27" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Namespace team: phase Terminating",
      "Pod web terminating",
      "Namespace team: conditions [NamespaceDeletionDiscoveryFailure=False/ResourcesDiscovered NamespaceDeletionGroupVersionParsingFailure=False/ParsedGroupVersions NamespaceDeletionContentFailure=False/ContentDeleted NamespaceContentRemaining=True/SomeResourcesRemain NamespaceFinalizersRemaining=False/ContentHasNoFinalizers]",
      "Pod web Succeeded",
      "Pod web gone",
      "ConfigMap kube-root-ca.crt gone",
      "Normal Scheduled: Successfully assigned team/web to a node",
      "Normal Pulling: Pulling image "nginx:1.27"",
      "Normal Pulled: Successfully pulled image "nginx:1.27" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ServiceAccount default gone",
      "Namespace team: conditions [NamespaceDeletionDiscoveryFailure=False/ResourcesDiscovered NamespaceDeletionGroupVersionParsingFailure=False/ParsedGroupVersions NamespaceDeletionContentFailure=False/ContentDeleted NamespaceContentRemaining=True/SomeResourcesRemain NamespaceFinalizersRemaining=True/SomeFinalizersRemain]",
      "ConfigMap held gone",
      "Namespace team: conditions [NamespaceDeletionDiscoveryFailure=False/ResourcesDiscovered NamespaceDeletionGroupVersionParsingFailure=False/ParsedGroupVersions NamespaceDeletionContentFailure=False/ContentDeleted NamespaceContentRemaining=False/ContentRemoved NamespaceFinalizersRemaining=False/ContentHasNoFinalizers]",
      "Namespace team gone",
    ]
  `);
});

test("owners and what is theirs: in the background, in the foreground, left behind, in another namespace", () => {
  const { cluster, from } = atRest();
  cluster.apply(namespaces, { metadata: { name: "other" } });
  const made = (name: string, owner?: string, namespace = "default") => {
    const { uid = "" } = owner ? cluster.get(configMaps, "default", owner).metadata : {};
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: owner ?? "", uid, blockOwnerDeletion: true };
    cluster.apply(configMaps, { metadata: { name, namespace, ...(owner ? { ownerReferences: [reference] } : {}) } });
  };
  made("grandparent");
  made("parent", "grandparent");
  made("child", "parent");
  cluster.client.delete(configMaps, "default", "grandparent", { propagation: "Foreground" });
  cluster.runUntilQuiet();
  made("owner");
  made("kept", "owner");
  cluster.client.delete(configMaps, "default", "owner", { propagation: "Orphan" });
  cluster.runUntilQuiet();
  made("far");
  made("stranger", "far", "other");
  cluster.runUntilQuiet();
  const told = timeline(cluster, from, ["default", "other"]);
  expect(told.filter((line) => !/kube-root-ca|ServiceAccount/.test(line)).map(withoutUid)).toMatchInlineSnapshot(`
    [
      "ConfigMap grandparent made",
      "ConfigMap parent made",
      "ConfigMap child made",
      "ConfigMap child gone",
      "ConfigMap parent gone",
      "ConfigMap grandparent gone",
      "ConfigMap owner made",
      "ConfigMap kept made",
      "ConfigMap owner gone",
      "ConfigMap far made",
      "ConfigMap stranger made",
      "Warning OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: other, name: far, uid: <uid>] does not exist in namespace "other"",
      "ConfigMap stranger gone",
    ]
  `);
});

test("a node falls silent: its pods are not ready, then evicted, and forgotten with the node", () => {
  const { cluster } = atRest();
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady" }];
  cluster.apply(nodes, { metadata: { name: "mine" }, status: { conditions, allocatable } });
  cluster.apply(leases, {
    metadata: { name: "mine", namespace: "kube-node-lease" },
    spec: { holderIdentity: "mine", leaseDurationSeconds: 40 },
  });
  cluster.step(0);
  const from = cluster.registry.store.revision;
  const pod = cluster.apply(pods, { metadata, spec: { ...nginx("1.27").spec, nodeName: "mine" } });
  const ready = { type: "Ready", status: "True" };
  cluster.client.updateStatus(pods, { ...pod, status: { ...pod.status, phase: "Running", conditions: [ready] } });
  cluster.step(400_000);
  cluster.client.delete(nodes, "", "mine");
  cluster.step(60_000);
  expect(timeline(cluster, from, ["", "default"])).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Pod web Running",
      "Node mine: conditions [Ready=Unknown/NodeStatusUnknown MemoryPressure=Unknown/NodeStatusNeverUpdated DiskPressure=Unknown/NodeStatusNeverUpdated PIDPressure=Unknown/NodeStatusNeverUpdated]",
      "Normal NodeNotReady: Node mine status is now: NodeNotReady",
      "Warning NodeNotReady: Node is not ready",
      "Normal TaintManagerEviction: Marking for deletion Pod default/web",
      "Pod web terminating",
      "Node mine gone",
      "Normal RemovingNode: Node mine event: Removing Node mine from Controller",
      "Pod web Failed",
      "Pod web gone",
    ]
  `);
});

test("a quota refuses pods until there is room again", () => {
  const { cluster, from } = atRest();
  cluster.apply(resourceQuotas, { metadata: { name: "quota", namespace: "default" }, spec: { hard: { pods: "1" } } });
  cluster.step(0);
  cluster.apply(replicaSets, { metadata, spec: { replicas: 2, selector, template: nginx("1.27") } });
  cluster.step(0);
  cluster.edit(resourceQuotas, "default", "quota", ({ spec }) => {
    spec.hard = { pods: "2" };
  });
  cluster.runUntilQuiet();
  const told = timeline(cluster, from).filter((line) => !/Pull|Created|Started|Scheduled/.test(line));
  expect(told).toMatchInlineSnapshot(`
    [
      "ResourceQuota quota made",
      "ResourceQuota quota: hard {pods 1}, used {pods 1}",
      "ReplicaSet web made",
      "Pod web-? made",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "ReplicaSet web: replicas 1, fullyLabeledReplicas 1, terminatingReplicas 0, observedGeneration 1, conditions [ReplicaFailure=True/FailedCreate]",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "Pod web-? bound",
      "ResourceQuota quota: used {pods 1}",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "Pod web-? Running",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "ReplicaSet web: readyReplicas 1, availableReplicas 1",
      "Warning FailedCreate: Error creating: pods "web-?" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1",
      "ResourceQuota quota: hard {pods 1}",
      "Pod web-? made",
      "ReplicaSet web: replicas 2, fullyLabeledReplicas 2, -conditions",
      "Pod web-? bound",
      "ResourceQuota quota: used {pods 1}",
      "Pod web-? Running",
      "ReplicaSet web: readyReplicas 2, availableReplicas 2",
    ]
  `);
});

test("a role is aggregated from others, and follows them", () => {
  const { cluster } = atRest();
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const aggregate = { "example.com/aggregate": "true" };
  cluster.apply(clusterRoles, {
    metadata: { name: "all" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregate }] },
  });
  cluster.apply(clusterRoles, { metadata: { name: "part", labels: aggregate }, rules });
  cluster.runUntilQuiet();
  expect(cluster.get(clusterRoles, "", "all").rules).toEqual(rules);
  cluster.client.delete(clusterRoles, "", "part");
  cluster.runUntilQuiet();
  expect(cluster.get(clusterRoles, "", "all").rules).toEqual([]);
});

test("a program that fails its liveness probe is killed when its grace is over, and started again", () => {
  const { cluster, from } = atRest();
  const command = ["sh", "-c", "touch /tmp/ok; sleep 10; rm /tmp/ok; sleep 600"];
  const livenessProbe = { exec: { command: ["cat", "/tmp/ok"] }, periodSeconds: 5, failureThreshold: 2 };
  const containers = [{ name: "sick", image: "busybox:1.36", command, livenessProbe }];
  cluster.apply(pods, { metadata, spec: { terminationGracePeriodSeconds: 5, containers } });
  cluster.step(25_000);
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "busybox:1.36"",
      "Normal Pulled: Successfully pulled image "busybox:1.36" in 0s (0s including waiting). Image size: 2156518 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Warning Unhealthy: Liveness probe failed: cat: can't open '/tmp/ok': No such file or directory
    ",
      "Warning Unhealthy (x2): Liveness probe failed: cat: can't open '/tmp/ok': No such file or directory
    ",
      "Normal Killing: Container sick failed liveness probe, will be restarted",
      "Normal Pulled: Container image "busybox:1.36" already present on machine and can be accessed by the pod",
      "Normal Created (x2): Container created",
      "Normal Started (x2): Container started",
    ]
  `);
});

test("an image that does not exist is tried again, and a program that ends is started again, after ever longer waits", () => {
  const { cluster, from } = atRest();
  const containers = [
    { name: "crash", image: "busybox:1.36", command: ["sh", "-c", "echo no; exit 1"] },
    { name: "absent", image: "nginx:1.161" },
  ];
  cluster.apply(pods, { metadata, spec: { containers } });
  cluster.step(25_000);
  expect(timeline(cluster, from).map(withoutUid)).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Normal Pulling: Pulling image "busybox:1.36"",
      "Normal Pulled: Successfully pulled image "busybox:1.36" in 0s (0s including waiting). Image size: 2156518 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Normal Pulling: Pulling image "nginx:1.161"",
      "Warning Failed: Failed to pull image "nginx:1.161": rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:1.161": failed to resolve reference "docker.io/library/nginx:1.161": docker.io/library/nginx:1.161: not found",
      "Warning Failed: Error: ErrImagePull",
      "Normal Pulled: Container image "busybox:1.36" already present on machine and can be accessed by the pod",
      "Normal Created (x2): Container created",
      "Normal Started (x2): Container started",
      "Normal BackOff: Back-off pulling image "nginx:1.161"",
      "Warning Failed: Error: ImagePullBackOff",
      "Warning BackOff: Back-off restarting failed container crash in pod web_default(<uid>)",
      "Normal Pulled (x2): Container image "busybox:1.36" already present on machine and can be accessed by the pod",
      "Normal Created (x3): Container created",
      "Normal Started (x3): Container started",
      "Normal Pulling (x2): Pulling image "nginx:1.161"",
      "Warning Failed (x2): Failed to pull image "nginx:1.161": rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:1.161": failed to resolve reference "docker.io/library/nginx:1.161": docker.io/library/nginx:1.161: not found",
      "Warning Failed (x2): Error: ErrImagePull",
      "Normal BackOff (x2): Back-off pulling image "nginx:1.161"",
      "Warning Failed (x2): Error: ImagePullBackOff",
      "Warning BackOff (x2): Back-off restarting failed container crash in pod web_default(<uid>)",
    ]
  `);
});

function withoutUid(line: string): string {
  return line.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>");
}
