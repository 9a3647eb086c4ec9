// Disruption budgets in a whole cluster: allowed disruptions and evictions.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PodDisruptionBudget } from "../../../shared/k8s/api/policy-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { deploymentController } from "../../../worker/controllers/deployment/controller.ts";
import {
  disruptionController,
  severalBudgetsController,
  staleDisruptionController,
} from "../../../worker/controllers/disruption/controller.ts";
import { jobController } from "../../../worker/controllers/job/controller.ts";
import { replicaSetController } from "../../../worker/controllers/replica-set/controller.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { events } from "../../../worker/kinds/core/event/event.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import { podDisruptionBudgets } from "../../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import type { TestCluster } from "../../cluster.ts";
import { bed, finish, livePods, setReady } from "../bed.ts";

const controllers = [
  deploymentController,
  replicaSetController,
  jobController,
  disruptionController,
  staleDisruptionController,
  severalBudgetsController,
];
type Spec = Draft<PodDisruptionBudget["spec"]>;
const containers = [{ name: "c", image: "web:1" }];

function applyBudget(cluster: TestCluster, spec: Spec, name = "budget"): void {
  cluster.apply(podDisruptionBudgets, {
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  });
}
/** Creates a Deployment with ready pods, and a budget for them. */
function start(spec: Spec, replicas = 3) {
  const workloadBed = bed(controllers);
  const { cluster } = workloadBed;
  cluster.apply(deployments, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
    },
  });
  cluster.step(0);
  applyBudget(cluster, spec);
  cluster.step(0);
  return workloadBed;
}
const budget = (cluster: TestCluster) => cluster.get(podDisruptionBudgets, "default", "budget");
const condition = (cluster: TestCluster) => budget(cluster).status.conditions?.[0];

/** Evicts a pod. Returns the error, if any. */
function evict(cluster: TestCluster, pod: Pod | undefined, deleteOptions = {}): ApiError | undefined {
  const name = pod?.metadata.name ?? "";
  try {
    cluster.client.act(pods, "eviction", "default", name, { metadata: { name }, deleteOptions });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe("the status of a budget", () => {
  test.each([
    { spec: { minAvailable: 2 }, healthy: 2, allowed: 1 },
    { spec: { minAvailable: "50%" }, healthy: 2, allowed: 1 },
    { spec: { minAvailable: "100%" }, healthy: 3, allowed: 0 },
    { spec: { maxUnavailable: 1 }, healthy: 2, allowed: 1 },
    { spec: { maxUnavailable: "34%" }, healthy: 1, allowed: 2 },
    { spec: { maxUnavailable: 5 }, healthy: 0, allowed: 3 },
  ])("counts three pods: %o", ({ spec, healthy, allowed }) => {
    const { cluster } = start(spec);
    expect(budget(cluster).status).toMatchObject({
      currentHealthy: 3,
      desiredHealthy: healthy,
      expectedPods: 3,
      disruptionsAllowed: allowed,
      observedGeneration: 1,
    });
    expect(condition(cluster)).toEqual({
      type: "DisruptionAllowed",
      status: allowed > 0 ? "True" : "False",
      reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
      message: "",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
  });

  test("follows readiness and scale of the pods", () => {
    const { cluster } = start({ maxUnavailable: 1 });
    const [first] = livePods(cluster);
    if (first) setReady(cluster, first, false);
    cluster.step(0);
    expect(budget(cluster).status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
    cluster.edit(deployments, "default", "web", ({ spec }) => {
      spec.replicas = 5;
    });
    cluster.step(0);
    expect(budget(cluster).status).toMatchObject({ expectedPods: 5, desiredHealthy: 4, currentHealthy: 4 });
  });

  test("allows nothing without pods, with a condition", () => {
    const { cluster } = bed(controllers);
    applyBudget(cluster, { minAvailable: 0 });
    cluster.step(0);
    expect(budget(cluster).status.disruptionsAllowed).toBe(0);
    expect(cluster.eventsOf(budget(cluster))).toEqual(["NoPods: No matching pods found"]);
  });

  test("cannot use a percentage for pods without a controller, only a number", () => {
    const { cluster } = bed(controllers);
    cluster.apply(pods, {
      metadata: { name: "alone", namespace: "default", labels: { app: "web" } },
      spec: { containers },
    });
    cluster.step(0);
    applyBudget(cluster, { maxUnavailable: 1 });
    applyBudget(cluster, { minAvailable: 0 }, "number");
    cluster.step(0);
    expect(budget(cluster).status).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
    expect(cluster.eventsOf(budget(cluster))).toEqual([
      'UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
    expect(cluster.get(podDisruptionBudgets, "default", "number").status.disruptionsAllowed).toBe(1);
  });

  test("fails for pods whose controller has no scale, and allows nothing", () => {
    const { cluster } = bed(controllers);
    cluster.apply(jobs, {
      metadata: { name: "work", namespace: "default" },
      spec: { template: { metadata: { labels: { app: "web" } }, spec: { restartPolicy: "Never", containers } } },
    });
    applyBudget(cluster, { maxUnavailable: 1 });
    cluster.step(0);
    expect(condition(cluster)).toMatchObject({
      status: "False",
      reason: "SyncFailed",
      message: "jobs.batch does not implement the scale subresource",
    });
    expect(evict(cluster, livePods(cluster)[0])?.code).toBe(429);
  });
});

describe("an eviction", () => {
  test("uses the budget, marks the pod and deletes it", () => {
    const { cluster, kubelets } = start({ minAvailable: 2 });
    kubelets.lingers = () => true;
    const [pod] = livePods(cluster);
    expect(evict(cluster, pod)).toBeUndefined();
    // No controller has run yet.
    expect(budget(cluster).status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { [pod?.metadata.name ?? ""]: "2026-01-01T00:00:00Z" },
    });
    const going = cluster.get(pods, "default", pod?.metadata.name ?? "");
    expect(going.metadata.deletionTimestamp).toBeDefined();
    expect(going.status.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    });
    cluster.step(0);
    expect(budget(cluster).status.disruptedPods).toBeUndefined();
    expect(budget(cluster).status).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
  });

  test("beyond the budget is rejected with 429 and the cause DisruptionBudget", () => {
    const { cluster } = start({ minAvailable: 3 });
    expect(evict(cluster, livePods(cluster)[0])?.toStatus()).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      reason: "TooManyRequests",
      details: {
        causes: [
          {
            reason: "DisruptionBudget",
            message: "The disruption budget budget needs 3 healthy pods and has 3 currently",
          },
        ],
      },
      code: 429,
    });
    expect(livePods(cluster).length).toBe(3);
  });

  test("before the controller has processed the budget is rejected, to be retried", () => {
    const { cluster } = start({ minAvailable: 1 });
    cluster.edit(podDisruptionBudgets, "default", "budget", ({ spec }) => {
      spec.minAvailable = 2;
    });
    expect(evict(cluster, livePods(cluster)[0])?.details).toEqual({
      causes: [
        { reason: "DisruptionBudget", message: "The disruption budget budget is still being processed by the server." },
      ],
      retryAfterSeconds: 10,
    });
  });

  test("gets the last allowed disruption once among two concurrent ones", () => {
    const { cluster } = start({ maxUnavailable: 1 });
    const [first, second] = livePods(cluster);
    expect(evict(cluster, first)).toBeUndefined();
    expect(evict(cluster, second)?.code).toBe(429);
  });

  test("is rejected for a pod under two budgets", () => {
    const { cluster } = start({ minAvailable: 0 });
    applyBudget(cluster, { minAvailable: 0 }, "another");
    cluster.step(0);
    const [first] = livePods(cluster);
    expect(evict(cluster, first)).toMatchObject({
      code: 500,
      message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
    if (first) setReady(cluster, first, false);
    cluster.step(0);
    const warnings = cluster.client.list(events).filter(({ reason }) => reason === "MultiplePodDisruptionBudgets");
    expect(warnings.map(({ type, message }) => `${type ?? ""} ${message ?? ""}`)).toEqual([
      `Warning Pod "default"/"${first?.metadata.name ?? ""}" matches multiple PodDisruptionBudgets.  Chose "another" arbitrarily.`,
    ]);
  });

  test("needs no budget for an ended or pending pod", () => {
    const { cluster, kubelets } = start({ minAvailable: 3 });
    const [first] = livePods(cluster);
    if (first) finish(cluster, first, 1);
    expect(evict(cluster, first)).toBeUndefined();
    kubelets.starts = () => false;
    cluster.step(0);
    const pending = livePods(cluster).find(({ status }) => status.phase === "Pending");
    expect(evict(cluster, pending)).toBeUndefined();
  });

  test("is allowed for an unready pod if the others suffice, or by policy", () => {
    const { cluster } = start({ minAvailable: 2 });
    const [first, second] = livePods(cluster);
    if (first) setReady(cluster, first, false);
    cluster.step(0);
    expect(budget(cluster).status.disruptionsAllowed).toBe(0);
    expect(evict(cluster, first)).toBeUndefined();
    expect(evict(cluster, second)?.code).toBe(429);
    const strict = start({ minAvailable: 3 });
    const [bad] = livePods(strict.cluster);
    if (bad) setReady(strict.cluster, bad, false);
    strict.cluster.step(0);
    expect(evict(strict.cluster, bad)?.code).toBe(429);
    strict.cluster.edit(podDisruptionBudgets, "default", "budget", ({ spec }) => {
      spec.unhealthyPodEvictionPolicy = "AlwaysAllow";
    });
    expect(evict(strict.cluster, bad)).toBeUndefined();
  });

  test("with a failed precondition is a conflict, and uses no budget", () => {
    const { cluster } = start({ minAvailable: 2 });
    const [pod] = livePods(cluster);
    expect(evict(cluster, pod, { preconditions: { uid: "other" } })?.code).toBe(409);
    expect(evict(cluster, pod, { preconditions: { resourceVersion: "1" } })?.code).toBe(409);
    expect(budget(cluster).status.disruptionsAllowed).toBe(1);
  });
});

describe("disruptions that do not happen", () => {
  test("an evicted pod that is not deleted within two minutes counts again", () => {
    const { cluster } = start({ minAvailable: 2 });
    const name = livePods(cluster)[0]?.metadata.name ?? "";
    const { status } = budget(cluster);
    cluster.client.updateStatus(podDisruptionBudgets, {
      ...budget(cluster),
      status: { ...status, disruptionsAllowed: 0, disruptedPods: { [name]: "2026-01-01T00:00:00Z" } },
    });
    cluster.step(119_000);
    expect(budget(cluster).status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
    cluster.step(2_000);
    expect(budget(cluster).status).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
    expect(cluster.eventsOf(cluster.get(pods, "default", name))).toContain(
      "NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't",
    );
  });

  test("the condition is removed after two minutes", () => {
    const { cluster } = start({ minAvailable: 2 });
    const [pod] = livePods(cluster);
    if (!pod) throw new Error("no pod");
    const mark = { type: "DisruptionTarget", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
    cluster.client.updateStatus(pods, {
      ...pod,
      status: { ...pod.status, conditions: [...(pod.status.conditions ?? []), mark] },
    });
    const status = () =>
      cluster
        .get(pods, "default", pod.metadata.name ?? "")
        .status.conditions?.find(({ type }) => type === "DisruptionTarget")?.status;
    cluster.step(119_000);
    expect(status()).toBe("True");
    cluster.step(1_000);
    expect(status()).toBe("False");
  });
});
