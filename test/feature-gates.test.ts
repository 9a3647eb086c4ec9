// Feature gates of a sandbox: which may be set, and their effect if they are off.
import { describe, expect, test } from "vitest";
import { createSandbox } from "../shared/contract/sandbox.ts";
import { sandboxSettings } from "../shared/contract/sandbox-settings.ts";
import { switchableGates } from "../shared/k8s/settings/feature-gates.ts";
import { metricsOf } from "../worker/api/non-resource/metrics.ts";
import { isOfBase } from "../worker/cluster/base/new-base.ts";
import { deployments } from "../worker/kinds/apps/deployment.ts";
import { replicaSets } from "../worker/kinds/apps/replica-set.ts";
import { horizontalPodAutoscalers } from "../worker/kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { nodes } from "../worker/kinds/core/node/node.ts";
import { pods } from "../worker/kinds/core/pod/pod.ts";
import { newServer, refusal, refused } from "./api/server.ts";
import { quietCluster } from "./cluster.ts";

const namespace = "default";
const zone = "topology.kubernetes.io/zone";

describe("A14 configured feature gates", () => {
  const refused: readonly (readonly [string, boolean, string])[] = [
    ["NoSuchGate", true, "unrecognized feature gate: NoSuchGate"],
    ["SidecarContainers", false, "cannot set feature gate SidecarContainers to false, feature is locked to true"],
    ["DRAAdminAccess", false, "cannot set feature gate DRAAdminAccess to false, feature is locked to true"],
    [
      "GangScheduling",
      true,
      `feature gate GangScheduling cannot be switched in a sandbox; those that can: ${switchableGates.join(", ")}`,
    ],
  ];
  test.each(refused)("A14 %s=%s is refused", (name, value, message) => {
    const { error } = createSandbox.safeParse({ featureGates: { [name]: value } });
    expect(error?.issues).toMatchObject([{ path: ["featureGates", name], message }]);
  });

  test("A14 switchable gates are accepted, and other gates with their default value", () => {
    const all = Object.fromEntries(switchableGates.map((name) => [name, false]));
    const gates = {
      ...all,
      DRAAdminAccess: true,
      MutatingAdmissionPolicy: true,
      GangScheduling: false,
      AllAlpha: false,
    };
    expect(createSandbox.parse({ featureGates: gates }).featureGates).toEqual(gates);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`G${at}`, true]));
    expect(createSandbox.safeParse({ featureGates: many }).error?.issues).toMatchObject([
      { path: ["featureGates"], message: "must have at most 100 entries" },
    ]);
  });

  test("C5 only sandboxes with the default gates start from the base", () => {
    const of = (featureGates: object) =>
      isOfBase({ nodes: 3, settings: sandboxSettings.parse({ featureGates, expiresAtMs: 0 }) });
    expect([of({}), of({ WatchList: true, GangScheduling: false }), of({ WatchList: false })]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

/** Returns the results of a check in a cluster with a gate on and in one with the gate off. */
function both<T>(
  gate: (typeof switchableGates)[number],
  look: (cluster: ReturnType<typeof quietCluster>) => T,
): [T, T] {
  return [look(quietCluster()), look(quietCluster({ featureGates: { [gate]: false } }))];
}

const spec = { containers: [{ name: "c", image: "nginx" }] };

describe("A14 a disabled feature gate", () => {
  test("A14 HostnameOverride drops the field from pods and templates", () => {
    const [on, off] = both("HostnameOverride", ({ apply }) => {
      const template = { metadata: { labels: { app: "a" } }, spec: { ...spec, hostnameOverride: "other" } };
      const selector = { matchLabels: { app: "a" } };
      return [
        apply(pods, { metadata: { namespace, name: "p" }, spec: template.spec }).spec.hostnameOverride,
        apply(deployments, { metadata: { namespace, name: "d" }, spec: { selector, template } }).spec.template.spec
          .hostnameOverride,
      ];
    });
    expect([on, off]).toEqual([
      ["other", "other"],
      [undefined, undefined],
    ]);
  });

  test("A14 HPAConfigurableTolerance drops the field from autoscalers", () => {
    const [on, off] = both("HPAConfigurableTolerance", ({ apply }) => {
      const { behavior } = apply(horizontalPodAutoscalers, {
        metadata: { namespace, name: "h" },
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
          behavior: { scaleUp: { tolerance: "0.05" } },
        },
      }).spec;
      return behavior?.scaleUp?.tolerance;
    });
    expect([on, off]).toEqual(["50m", undefined]);
  });

  test("A14 DeploymentReplicaSetTerminatingReplicas omits the number from every status", () => {
    const [on, off] = both("DeploymentReplicaSetTerminatingReplicas", ({ client }) =>
      [...client.list(deployments), ...client.list(replicaSets)].map(({ status }) => status.terminatingReplicas),
    );
    expect([on, off]).toEqual([
      [0, 0],
      [undefined, undefined],
    ]);
  });

  test("A14 PodTopologyLabelsAdmission does not copy the node's zone to pods", () => {
    const [on, off] = both("PodTopologyLabelsAdmission", (cluster) => {
      for (const { metadata } of cluster.client.list(nodes))
        cluster.edit(
          nodes,
          "",
          metadata.name ?? "",
          (draft) => (draft.metadata.labels = { ...metadata.labels, [zone]: "a" }),
        );
      cluster.apply(pods, { metadata: { namespace, name: "p" }, spec });
      cluster.runUntilQuiet();
      return cluster.get(pods, namespace, "p").metadata.labels?.[zone];
    });
    expect([on, off]).toEqual(["a", undefined]);
  });

  test("A14 WatchList refuses initial events of a watch", async () => {
    const path = "/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
    const answer = await newServer({ featureGates: { WatchList: false } }).ask("GET", path);
    expect(refusal(answer)).toEqual(
      refused(
        422,
        "Invalid",
        'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      ),
    );
  });

  test("A14 is reported in the metrics", () => {
    const [on, off] = both("WatchList", ({ registry }) => metricsOf({ registry, nowMs: () => 0 }).text(registry));
    const line = 'kubernetes_feature_enabled{name="WatchList",stage="BETA"}';
    expect(on).toContain(`${line} 1\n`);
    expect(off).toContain(`${line} 0\n`);
  });
});
