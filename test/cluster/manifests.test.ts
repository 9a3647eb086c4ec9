// The manifests a sandbox starts with: any version of a kind, and refused contents.
import { describe, expect, test } from "vitest";
import { applyManifests, someSteps } from "../../worker/cluster/manifests/manifests.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { horizontalPodAutoscalers } from "../../worker/kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { limits } from "../../shared/base/limits.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster, quietCluster } from "../cluster.ts";

const autoscaler = (percent: number) => `apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: web
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 3
  targetCPUUtilizationPercentage: ${percent}
`;

function fresh() {
  const cluster = newCluster({ nodes: 0, controllers: [] });
  return { ...cluster, give: (manifests: string) => [...applyManifests(cluster.registry, manifests)] };
}

describe("a version other than the stored one", () => {
  test("is converted to the stored one, and its managed fields name its own version", () => {
    const { give, get } = fresh();
    give(autoscaler(50));
    const stored = get(horizontalPodAutoscalers, "default", "web");
    expect(stored.apiVersion).toBe("autoscaling/v2");
    expect(stored.spec.metrics?.[0]?.resource?.target.averageUtilization).toBe(50);
    expect(stored.metadata.managedFields).toMatchObject([{ apiVersion: "autoscaling/v1", manager: "sandbar" }]);
  });

  test("updates an existing object", () => {
    const { give, get } = fresh();
    give(`${autoscaler(50)}---\n${autoscaler(60)}`);
    const { spec } = get(horizontalPodAutoscalers, "default", "web");
    expect(spec.metrics?.[0]?.resource?.target.averageUtilization).toBe(60);
  });

  test("is validated by its own rules", () => {
    const { give, get } = fresh();
    const event = `apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: e}
regarding: {kind: Pod, name: p, namespace: default}
reason: Tested
action: Test
note: it was
type: Normal
eventTime: "2026-01-02T03:04:05.000000Z"
reportingController: example.com/tester
reportingInstance: tester-1
`;
    give(event);
    expect(get(events, "default", "e")).toMatchObject({ apiVersion: "v1", message: "it was", reason: "Tested" });
    expect(() => give(event.replace("name: e}", "name: f}").replace("reason: Tested\n", ""))).toThrow(
      'document 1, line 1: Event "f" is invalid: reason: Required value',
    );
  });
});

describe("refusals", () => {
  test.for([
    ["authentication.k8s.io/v1", "TokenReview"],
    ["authorization.k8s.io/v1", "SubjectAccessReview"],
    ["v1", "Binding"],
    ["v1", "ComponentStatus"],
  ] as const)("%s %s, which is not stored", ([apiVersion, kind]) => {
    const manifest = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n`;
    expect(() => fresh().give(manifest)).toThrow(
      `document 1, line 2: objects of kind "${kind}" in version "${apiVersion}" are not stored`,
    );
  });

  test("R6: aliases that expand too far, and too many documents, are refused", () => {
    const bomb = Array.from(
      { length: 12 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join()}]\n`,
    );
    expect(() => fresh().give(`a0: &a0 [x]\n${bomb.join("")}`)).toThrow(
      "error converting YAML to JSON: yaml: document contains excessive aliasing",
    );
    expect(() => fresh().give("---\n".repeat(20_000))).toThrow("there are more than 10000 documents");
  });

  test("an unknown kind is refused", () => {
    expect(() => fresh().give("apiVersion: example.org/v1\nkind: Thing\n")).toThrow(
      'document 1, line 2: no matches for kind "Thing" in version "example.org/v1"',
    );
  });
});

test("I5: a pod can follow its namespace, because controllers run between the two", () => {
  const { registry, runtime, get } = quietCluster({ nodes: 0 });
  const steps = applyManifests(
    registry,
    `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: a, image: nginx}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}
`,
  );
  let turns = 1;
  for (; !someSteps(steps); turns++) runtime.drain(limits.drainPerRequest);
  expect([turns, get(pods, "shop", "web").spec.serviceAccountName]).toEqual([2, "default"]);
});
