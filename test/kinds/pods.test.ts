import { describe, expect, test } from "vitest";
import type { ContainerStatus, NodeStatus, Pod, PodTemplateSpec } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { path } from "../../shared/k8s/field.ts";
import { decode } from "../../shared/schema/decode.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { imageTag } from "../../worker/kinds/core/pod/image-reference.ts";
import {
  containerImages,
  containerNames,
  defaultPodTemplate,
  podTemplateWarnings,
  validatePodTemplateSpec,
} from "../../worker/kinds/core/pod/template.ts";
import { computePodQos } from "../../worker/kinds/core/pod/qos.ts";
import { restartsText, summarize } from "../../shared/k8s/pod-summary.ts";
import { validatePodStatusUpdate } from "../../worker/kinds/core/pod/validation/status.ts";

const nowMs = Date.UTC(2026, 0, 1);

/** Decodes a pod. */
function pod(draft: Draft<Pod> = {}): Pod {
  const podFields = { spec: { containers: [{ name: "web", image: "nginx" }] }, ...draft };
  // Decoding by the type of pods returns a pod.
  return decode(pods.type, { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, ...podFields }).object as Pod;
}

function status(draft: Draft<ContainerStatus>): Draft<ContainerStatus> {
  return { name: "web", ready: false, restartCount: 0, image: "", imageID: "", ...draft };
}

const cells = (draft: Draft<Pod>) => {
  const summary = summarize(pod(draft));
  return `${summary.ready}/${summary.total} ${summary.reason} ${restartsText(summary, nowMs)}`;
};

describe("a pod's table row", () => {
  const deleted = { metadata: { name: "web", deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const two = { containers: [{ name: "web" }, { name: "log" }] };
  const init = { containers: [{ name: "web" }], initContainers: [{ name: "a" }, { name: "b" }] };
  test.each<[string, Draft<Pod>]>([
    ["0/1 Pending 0", { status: { phase: "Pending" } }],
    ["0/1 Evicted 0", { status: { phase: "Failed", reason: "Evicted" } }],
    [
      "0/1 ContainerCreating 0",
      {
        status: {
          phase: "Pending",
          containerStatuses: [status({ state: { waiting: { reason: "ContainerCreating" } } })],
        },
      },
    ],
    [
      "1/1 Running 0",
      { status: { phase: "Running", containerStatuses: [status({ ready: true, state: { running: {} } })] } },
    ],
    ["0/1 Running 0", { status: { phase: "Running", containerStatuses: [status({ state: { running: {} } })] } }],
    [
      "0/1 CrashLoopBackOff 3 (61s ago)",
      {
        status: {
          phase: "Running",
          containerStatuses: [
            status({
              restartCount: 3,
              state: { waiting: { reason: "CrashLoopBackOff" } },
              lastState: { terminated: { exitCode: 1, finishedAt: "2025-12-31T23:58:59Z" } },
            }),
          ],
        },
      },
    ],
    [
      "0/1 ExitCode:3 0",
      { status: { phase: "Failed", containerStatuses: [status({ state: { terminated: { exitCode: 3 } } })] } },
    ],
    [
      "0/1 Signal:9 0",
      {
        status: {
          phase: "Failed",
          containerStatuses: [status({ state: { terminated: { exitCode: 137, signal: 9 } } })],
        },
      },
    ],
    [
      "0/1 Completed 0",
      {
        status: {
          phase: "Succeeded",
          containerStatuses: [status({ state: { terminated: { exitCode: 0, reason: "Completed" } } })],
        },
      },
    ],
    [
      "1/2 NotReady 0",
      {
        spec: two,
        status: {
          phase: "Running",
          containerStatuses: [
            status({ state: { terminated: { exitCode: 0, reason: "Completed" } } }),
            status({ name: "log", ready: true, state: { running: {} } }),
          ],
        },
      },
    ],
    ["0/1 Terminating 0", { ...deleted, status: { phase: "Running" } }],
    ["0/1 Unknown 0", { ...deleted, status: { phase: "Running", reason: "NodeLost" } }],
    ["0/1 Succeeded 0", { ...deleted, status: { phase: "Succeeded" } }],
    [
      "0/1 Init:1/2 0",
      {
        spec: init,
        status: {
          phase: "Pending",
          initContainerStatuses: [
            status({ name: "a", state: { terminated: { exitCode: 0 } } }),
            status({ name: "b", state: { waiting: { reason: "PodInitializing" } } }),
          ],
        },
      },
    ],
    [
      "0/1 Init:Error 2",
      {
        spec: init,
        status: {
          phase: "Pending",
          initContainerStatuses: [
            status({ name: "a", restartCount: 2, state: { terminated: { exitCode: 1, reason: "Error" } } }),
          ],
        },
      },
    ],
    [
      "2/2 Running 1",
      {
        spec: { containers: [{ name: "web" }], initContainers: [{ name: "proxy", restartPolicy: "Always" }] },
        status: {
          phase: "Running",
          initContainerStatuses: [
            status({ name: "proxy", started: true, ready: true, restartCount: 1, state: { running: {} } }),
          ],
          containerStatuses: [status({ ready: true, state: { running: {} } })],
        },
      },
    ],
  ])("matches upstream for %s", (line, draft) => {
    expect(cells(draft)).toBe(line);
  });
});

describe("the grace period of a deletion", () => {
  const grace = (draft: Draft<Pod>, requested?: number) => pods.deletion?.gracePeriodSeconds?.(pod(draft), requested);
  const spec = { nodeName: "n1", containers: [], terminationGracePeriodSeconds: 30 };
  test("is the client's, otherwise the pod's", () => {
    expect([grace({ spec }), grace({ spec }, 5), grace({ spec }, 0)]).toEqual([30, 5, 0]);
  });
  test("is 0 if nothing runs", () => {
    expect(grace({ spec: { ...spec, nodeName: "" } })).toBe(0);
    expect(grace({ spec, status: { phase: "Failed" } }, 5)).toBe(0);
  });
  test("is a second if it is negative", () => {
    expect(grace({ spec }, -3)).toBe(1);
    expect(grace({ spec: { ...spec, terminationGracePeriodSeconds: -1 } })).toBe(1);
  });
});

describe("field selectors", () => {
  test("include upstream's fields of a pod", () => {
    const fields = pods.selectableFields?.(
      pod({ spec: { nodeName: "n1", hostNetwork: true, containers: [] }, status: { phase: "Running" } }),
    );
    expect(fields).toMatchObject({
      "spec.nodeName": "n1",
      "spec.hostNetwork": "true",
      "status.phase": "Running",
      "status.podIP": "",
    });
  });
  test("include whether a node is unschedulable", () => {
    expect(nodes.selectableFields?.({ ...pod(), spec: {}, status: decodeNodeStatus() })).toEqual({
      "spec.unschedulable": "false",
    });
  });
});

function decodeNodeStatus() {
  // Decoding by the type of nodes returns a node.
  return (decode(nodes.type, { metadata: {} }).object as { status: NodeStatus }).status;
}

describe("the quality of service class", () => {
  const qos = (...resources: object[]) =>
    computePodQos(
      pod({
        spec: {
          containers: resources.map((containerResources, at) => ({ name: `c${at}`, resources: containerResources })),
        },
      }).spec,
    );
  test("follows from requests and limits of all containers", () => {
    const full = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1000m", memory: "1Gi" } };
    expect(qos({})).toBe("BestEffort");
    expect(qos({ requests: { "example.com/gpu": "1" } })).toBe("BestEffort");
    expect(qos(full)).toBe("Guaranteed");
    expect(qos(full, {})).toBe("Burstable");
    expect(qos({ ...full, requests: { cpu: "1", memory: "1G" } })).toBe("Burstable");
  });
});

describe("a pod template", () => {
  function template(draft: Draft<PodTemplateSpec>): PodTemplateSpec {
    const { metadata, spec } = pod({ metadata: { ...draft.metadata }, ...(draft.spec ? { spec: draft.spec } : {}) });
    return { metadata, spec };
  }
  test("gets the defaults of pod specs, not those of pods", () => {
    const defaulted = template({
      spec: {
        hostNetwork: true,
        containers: [{ name: "a", image: "b", ports: [{ containerPort: 1 }], resources: { limits: { cpu: "1" } } }],
      },
    });
    defaultPodTemplate(defaulted);
    expect(defaulted.spec.enableServiceLinks).toBeUndefined();
    expect(defaulted.spec.containers[0]?.resources).toEqual({ limits: { cpu: "1" } });
    expect(defaulted.spec.containers[0]?.ports).toEqual([{ containerPort: 1, protocol: "TCP" }]);
    expect(defaulted.spec.schedulerName).toBe("default-scheduler");
    expect(validatePodTemplateSpec(defaulted, path("spec", "template"))).toEqual([]);
  });
  test("is rejected at its own path", () => {
    const invalidTemplate = template({
      metadata: { labels: { "a b": "c" } },
      spec: { containers: [], ephemeralContainers: [{ name: "x", image: "y" }] },
    });
    defaultPodTemplate(invalidTemplate);
    expect(validatePodTemplateSpec(invalidTemplate, path("spec", "template")).map(({ field }) => field)).toEqual([
      "spec.template.labels",
      "spec.template.spec.containers",
      "spec.template.spec.ephemeralContainers",
    ]);
  });
  test("has warnings at its own path", () => {
    const { spec, metadata } = template({ spec: { containers: [], terminationGracePeriodSeconds: -1 } });
    expect(podTemplateWarnings(spec, metadata, path("spec", "template"))).toEqual([
      "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
    ]);
  });
  test("provides names and images for the wide columns", () => {
    const { spec } = template({
      spec: {
        containers: [
          { name: "a", image: "x:1" },
          { name: "b", image: "y" },
        ],
      },
    });
    expect([containerNames(spec), containerImages(spec)]).toEqual(["a,b", "x:1,y"]);
  });
});

describe("the tag of an image", () => {
  test.each([
    ["nginx", "latest"],
    ["nginx:1.27", "1.27"],
    ["localhost:5000/a", "latest"],
    ["Registry.example.com/team/app:v1", "v1"],
    [`nginx:1@sha256:${"a".repeat(64)}`, "1"],
    [`nginx@sha256:${"a".repeat(64)}`, ""],
    ["NGINX", ""],
    ["", ""],
    [" ", ""],
    ["a:b:c", ""],
  ])("%j is %j", (image, tag) => {
    expect(imageTag(image)).toBe(tag);
  });
});

describe("a status update", () => {
  const ended = (restartPolicy: "Always" | "Never" | "OnFailure", exitCode: number) => ({
    spec: { restartPolicy, containers: [{ name: "web" }] },
    status: { containerStatuses: [status({ state: { terminated: { exitCode } } })] },
  });
  const running = { status: { containerStatuses: [status({ state: { running: {} } })] } };
  const errors = (restartPolicy: "Always" | "Never" | "OnFailure", exitCode: number) =>
    validatePodStatusUpdate(pod(running), pod(ended(restartPolicy, exitCode))).map(({ field }) => field);
  test("a container that cannot restart stays terminated", () => {
    expect(errors("Never", 1)).toEqual(["status.containerStatuses[0].state"]);
    expect(errors("OnFailure", 0)).toEqual(["status.containerStatuses[0].state"]);
    expect(errors("OnFailure", 1)).toEqual([]);
    expect(errors("Always", 0)).toEqual([]);
  });
});
