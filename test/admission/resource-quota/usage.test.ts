// The usage of objects by kind, and arithmetic on amounts.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import {
  addTo,
  amountsOf,
  namesAboveLimit,
  listOf,
  only,
  print,
  subtractWithNonNegativeResult,
} from "../../../worker/kinds/core/resource-quota/amounts.ts";
import { evaluatorOf } from "../../../worker/kinds/core/resource-quota/evaluators.ts";
import { overdueMs } from "../../../worker/kinds/core/resource-quota/pod-evaluator.ts";
import { resourceQuotas } from "../../../worker/kinds/core/resource-quota/resource-quota.ts";
import { usageOfKind } from "../../../worker/kinds/core/resource-quota/usage.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import type { Kind } from "../../../worker/kinds/kind.ts";
import { podOf } from "../pods.ts";
import { objectOf } from "../request.ts";

const usage = <T extends KubeObject>(kind: Kind<T>, value: unknown, nowMs = 0) =>
  listOf(evaluatorOf(kind).usage(objectOf(kind, value), nowMs));
const counts = (kind: Kind, ...names: readonly string[]) => names.filter((name) => evaluatorOf(kind).counts(name));
const isAffected = <T extends KubeObject>(kind: Kind<T>, next: unknown, previous: unknown, nowMs = 0) =>
  evaluatorOf(kind).isAffected(objectOf(kind, next), objectOf(kind, previous), nowMs);

const sized = (requests: object, limits: object = {}) => ({ name: "c", image: "i", resources: { requests, limits } });

describe("R14: the usage of a pod", () => {
  test("has the sums of requests and limits by name", () => {
    const containers = [
      sized({ cpu: "1", memory: "1Gi", "hugepages-2Mi": "2Mi" }, { cpu: "2", "hugepages-2Mi": "2Mi" }),
      sized({ cpu: "500m", "ephemeral-storage": "1Gi", "example.com/gpu": "1" }, { "example.com/gpu": "1" }),
    ];
    expect(usage(pods, podOf({ containers }))).toEqual({
      "count/pods": "1",
      pods: "1",
      cpu: "1500m",
      memory: "1Gi",
      "ephemeral-storage": "1Gi",
      "requests.cpu": "1500m",
      "requests.memory": "1Gi",
      "requests.ephemeral-storage": "1Gi",
      "limits.cpu": "2",
      "hugepages-2Mi": "2Mi",
      "requests.hugepages-2Mi": "2Mi",
      "requests.example.com/gpu": "1",
    });
  });

  test("excludes native resources other than computed ones and huge pages", () => {
    expect(usage(pods, podOf({ containers: [sized({ "kubernetes.io/x": "1", storage: "1" })] }))).toEqual({
      "count/pods": "1",
      pods: "1",
    });
  });

  test("has pod-level resources in place of the sums, plus overhead", () => {
    const spec = {
      containers: [sized({ cpu: "1", memory: "1" }, { cpu: "1" })],
      resources: { requests: { cpu: "3" }, limits: {} },
      overhead: { cpu: "1", memory: "1" },
    };
    expect(usage(pods, podOf(spec))).toMatchObject({ "requests.cpu": "4", "requests.memory": "2", "limits.cpu": "2" });
    expect(usage(pods, podOf(spec))).not.toHaveProperty("limits.memory");
  });

  test("includes overhead even without other requests", () => {
    const spec = { containers: [sized({}, { cpu: "1" })], overhead: { memory: "1" } };
    expect(usage(pods, podOf(spec))).toMatchObject({ "requests.memory": "1", "limits.cpu": "1" });
    expect(usage(pods, podOf(spec))).not.toHaveProperty("limits.memory");
  });

  test("is the number only for an ended pod", () => {
    for (const phase of ["Succeeded", "Failed"]) {
      expect(usage(pods, { ...podOf(), status: { phase } })).toEqual({ "count/pods": "1" });
    }
    expect(usage(pods, { ...podOf(), status: { phase: "Running" } })).toEqual({ "count/pods": "1", pods: "1" });
  });

  test("is the number only for a pod whose deletion is overdue", () => {
    const ending = podOf({}, { deletionTimestamp: "2026-01-01T00:00:10Z", deletionGracePeriodSeconds: 5 });
    const endMs = Date.UTC(2026, 0, 1, 0, 0, 15);
    expect(overdueMs(ending.metadata)).toBe(endMs);
    expect(usage(pods, ending, endMs)).toHaveProperty("pods");
    expect(usage(pods, ending, endMs + 1)).toEqual({ "count/pods": "1" });
    expect(overdueMs({ deletionTimestamp: "2026-01-01T00:00:10Z" })).toBe(Number.POSITIVE_INFINITY);
    expect(overdueMs({ deletionGracePeriodSeconds: 5 })).toBe(Number.POSITIVE_INFINITY);
  });

  test("has the resource names that count pods", () => {
    const names = [
      ...["count/pods", "pods", "cpu", "requests.memory", "limits.ephemeral-storage", "hugepages-1Gi"],
      ...["requests.hugepages-1Gi", "requests.example.com/gpu"],
      "requests.deviceclass.resource.kubernetes.io/gpu",
    ];
    expect(counts(pods as Kind, ...names)).toEqual(names);
    const otherResources = [
      ...["services", "count/secrets", "limits.hugepages-1Gi", "requests.storage", "requests.kubernetes.io/x"],
      ...["example.com/gpu", "x-hugepages-1Gi", "deviceclass.resource.kubernetes.io/gpu"],
    ];
    expect(counts(pods as Kind, ...otherResources)).toEqual([]);
  });

  test("changes with relevant updates", () => {
    const pod = podOf({ initContainers: [sized({ cpu: "1" })] });
    const marked = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const overdue = { ...pod, metadata: { ...marked.metadata, deletionGracePeriodSeconds: 0 } };
    expect(isAffected(pods, pod, pod)).toBe(false);
    expect(isAffected(pods, podOf(), podOf({ hostname: "h" }))).toBe(false);
    expect(isAffected(pods, { ...pod, status: { phase: "Failed" } }, pod)).toBe(true);
    expect(isAffected(pods, { ...pod, status: { phase: "Running" } }, pod)).toBe(false);
    expect(isAffected(pods, { ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 3 } }, pod)).toBe(true);
    expect(isAffected(pods, { ...pod, spec: { ...pod.spec, initContainers: [sized({ cpu: "2" })] } }, pod)).toBe(true);
    expect(isAffected(pods, { ...pod, spec: { ...pod.spec, containers: [sized({ cpu: "2" })] } }, pod)).toBe(true);
    expect(isAffected(pods, { ...pod, spec: { ...pod.spec, resources: { limits: { cpu: "2" } } } }, pod)).toBe(true);
    expect(isAffected(pods, marked, pod)).toBe(true);
    expect(isAffected(pods, overdue, marked, Date.UTC(2027, 0, 1))).toBe(true);
  });
});

describe("R14: the usage of a Service", () => {
  const spec = (type: string, more: object = {}) => ({
    type,
    ports: [{ port: 80 }, { port: 81, nodePort: 30_081 }],
    ...more,
  });
  const noPorts = { allocateLoadBalancerNodePorts: false };

  test.for<[string, object, string, string]>([
    ["ClusterIP", spec("ClusterIP"), "0", "0"],
    ["NodePort", spec("NodePort"), "2", "0"],
    ["LoadBalancer", spec("LoadBalancer"), "2", "1"],
    ["LoadBalancer without ports of its own", spec("LoadBalancer", noPorts), "1", "1"],
    ["NodePort with fields of load balancers", spec("NodePort", noPorts), "2", "0"],
    ["a Service without ports", { type: "NodePort" }, "0", "0"],
  ])("has number, node ports and load balancer: %s", ([, value, nodePorts, balancers]) => {
    expect(usage(services, { metadata: { name: "s" }, spec: value })).toEqual({
      "count/services": "1",
      services: "1",
      "services.nodeports": nodePorts,
      "services.loadbalancers": balancers,
    });
  });

  test("has the resource names that count Services, and changes with relevant updates", () => {
    const names = ["count/services", "services", "services.nodeports", "services.loadbalancers"];
    expect(counts(services as Kind, ...names, "pods", "services.x")).toEqual(names);
    const of = (type: string, more: object = {}) => ({ metadata: { name: "s" }, spec: spec(type, more) });
    expect(isAffected(services, of("ClusterIP"), of("ClusterIP"))).toBe(false);
    expect(isAffected(services, of("ClusterIP"), of("ExternalName"))).toBe(true);
    expect(isAffected(services, of("NodePort", { ports: [{ port: 1 }] }), of("NodePort"))).toBe(true);
  });
});

describe("R14: the usage of a claim", () => {
  const claim = (storage: string | undefined, spec: object = {}, status: object = {}) => ({
    metadata: { name: "c" },
    spec: { resources: storage === undefined ? {} : { requests: { storage } }, ...spec },
    status,
  });

  test("has number and size, in total and by class", () => {
    expect(usage(persistentVolumeClaims, claim("5Gi", { storageClassName: "fast" }))).toEqual({
      "count/persistentvolumeclaims": "1",
      persistentvolumeclaims: "1",
      "requests.storage": "5Gi",
      "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      "fast.storageclass.storage.k8s.io/requests.storage": "5Gi",
    });
  });

  test.for<[string, unknown, string | undefined]>([
    ["no class", claim("5Gi"), "5Gi"],
    ["without a size", claim(undefined), undefined],
    ["a fraction of a byte", claim("1500m"), "2"],
    ["a fraction of zero bytes", claim("2000m"), "2"],
    ["an infeasible expansion", claim("5", {}, { allocatedResources: { storage: "8" } }), "8"],
    ["an allocation below the request", claim("5", {}, { allocatedResources: { storage: "3" } }), "5"],
    ["an allocation without a request", claim(undefined, {}, { allocatedResources: { storage: "8" } }), undefined],
  ])("has the names and amounts of case %s", ([, value, size]) => {
    const amounts = usage(persistentVolumeClaims, value);
    expect(amounts).toEqual({
      "count/persistentvolumeclaims": "1",
      persistentvolumeclaims: "1",
      ...(size === undefined ? {} : { "requests.storage": size }),
    });
  });

  test("has the resource names that count claims", () => {
    const names = [
      ...["count/persistentvolumeclaims", "persistentvolumeclaims", "requests.storage"],
      ...["a.storageclass.storage.k8s.io/requests.storage", "a.storageclass.storage.k8s.io/persistentvolumeclaims"],
    ];
    expect(counts(persistentVolumeClaims as Kind, ...names)).toEqual(names);
    expect(counts(persistentVolumeClaims as Kind, "a.storageclass.storage.k8s.io/x", "storage", "pods")).toEqual([]);
  });

  test("changes only with updates of size or classes", () => {
    const before = claim("5");
    expect(isAffected(persistentVolumeClaims, claim("6"), before)).toBe(true);
    expect(isAffected(persistentVolumeClaims, claim(undefined), claim(undefined))).toBe(false);
    expect(isAffected(persistentVolumeClaims, claim("5", { storageClassName: "x" }), before)).toBe(true);
    expect(isAffected(persistentVolumeClaims, claim("5", { volumeAttributesClassName: "x" }), before)).toBe(true);
    expect(isAffected(persistentVolumeClaims, claim("5", {}, { allocatedResources: { storage: "8" } }), before)).toBe(
      true,
    );
    expect(isAffected(persistentVolumeClaims, claim("5", { volumeName: "v" }), before)).toBe(false);
    const [specClass, statusClass] = [{ volumeAttributesClassName: "a" }, { currentVolumeAttributesClassName: "a" }];
    expect(isAffected(persistentVolumeClaims, claim("5", specClass), claim("5", {}, statusClass))).toBe(false);
    const swapped = { volumeAttributesClassName: "b" };
    expect(
      isAffected(
        persistentVolumeClaims,
        claim("5", swapped, statusClass),
        claim("5", specClass, { currentVolumeAttributesClassName: "b" }),
      ),
    ).toBe(false);
  });
});

describe("R14: the usage of other kinds", () => {
  test("has `count/` names, and legacy names for some", () => {
    expect(usage(secrets, { metadata: { name: "s" } })).toEqual({ "count/secrets": "1", secrets: "1" });
    expect(usage(configMaps, { metadata: { name: "s" } })).toEqual({ "count/configmaps": "1", configmaps: "1" });
    const lease = { ...configMaps, resource: "leases.coordination.k8s.io" } as Kind;
    expect(listOf(evaluatorOf(lease).usage(objectOf(configMaps, { metadata: { name: "l" } }), 0))).toEqual({
      "count/leases.coordination.k8s.io": "1",
    });
    expect(counts(secrets as Kind, "secrets", "count/secrets", "count/pods")).toEqual(["secrets", "count/secrets"]);
    expect(isAffected(secrets, { metadata: { name: "s" } }, { metadata: { name: "s" }, type: "x" })).toBe(false);
  });
});

describe("R14: the usage of existing objects", () => {
  test("is the sum for the names that count the kind, also if there are none", () => {
    const quota = objectOf(resourceQuotas, { metadata: { name: "q" } });
    const evaluator = evaluatorOf(secrets);
    const some = ["a", "b"].map((name) => objectOf(secrets, { metadata: { name } }));
    const used = (objects: readonly KubeObject[]) =>
      listOf(usageOfKind(quota, evaluator, objects, ["secrets", "pods"], 0));
    expect(used(some)).toEqual({ secrets: "2" });
    expect(used(some)).toEqual({ secrets: "2" });
    expect(used([])).toEqual({ secrets: "0" });
  });

  test("counts terminating objects by the clock, for any number of reads", () => {
    const quota = objectOf(resourceQuotas, { metadata: { name: "q" } });
    const ending = podOf({}, { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 });
    const used = (nowMs: number) => listOf(usageOfKind(quota, evaluatorOf(pods), [ending], ["pods"], nowMs));
    expect(used(0)).toEqual({ pods: "1" });
    expect(used(Date.UTC(2027, 0, 1))).toEqual({ pods: "0" });
  });

  test("has amounts that are subtracted, compared, selected and formatted", () => {
    const next = amountsOf({ cpu: "3", memory: "1", pods: "2" });
    const more = subtractWithNonNegativeResult(next, amountsOf({ cpu: "1", memory: "4", pods: "2" }));
    expect(listOf(more)).toEqual({ cpu: "2" });
    expect(listOf(subtractWithNonNegativeResult(next, new Map()))).toEqual({ cpu: "3", memory: "1", pods: "2" });
    expect([...namesAboveLimit(next, amountsOf({ cpu: "2", pods: "2" }))]).toEqual(["cpu"]);
    expect(listOf(only(next, (name) => name === "pods"))).toEqual({ pods: "2" });
    expect(print(amountsOf({ pods: "2", cpu: "500m" }))).toBe("cpu=500m,pods=2");
    expect(Object.keys(listOf(amountsOf({ pods: "2", cpu: "1" })))).toEqual(["cpu", "pods"]);
    const sum = new Map([["cpu", parseQuantity("1") as never]]);
    addTo(sum, amountsOf({ cpu: "2", pods: "1" }));
    expect(listOf(sum)).toEqual({ cpu: "3", pods: "1" });
    expect(amountsOf(undefined).size).toBe(0);
    expect(listOf(amountsOf({ cpu: "nonsense" }))).toEqual({ cpu: "0" });
  });
});
