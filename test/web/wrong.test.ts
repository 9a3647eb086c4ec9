// The problem of an object in one sentence.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Event, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { DiagnosisContext } from "../../web/objects/wrong/finding.ts";
import { whyNoNode } from "../../web/objects/wrong/scheduling.ts";
import { wrongWith } from "../../web/objects/wrong/wrong.ts";

const nobody: DiagnosisContext = { events: [], pods: [], eventsOf: () => [], services: [], jobs: [] };

function object(kind: string, spec: object, status: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind,
    metadata: { name: "one", namespace: "default", ...metadata },
    spec,
    status,
  } as KubeObject;
}

function container(state: object, more: object = {}): object {
  return { name: "main", image: "nginx", imageID: "", ready: false, restartCount: 0, lastState: {}, state, ...more };
}

function pod(status: object, spec: object = {}, metadata: object = {}): Pod {
  const completeSpec = {
    nodeName: "node-1",
    containers: [{ name: "main", resources: { limits: { memory: "64Mi" } } }],
    ...spec,
  };
  return object("Pod", completeSpec, { phase: "Running", ...status }, metadata) as Pod;
}

function event(reason: string, message: string, type = "Warning"): Event {
  return { type, reason, message, involvedObject: {}, metadata: {} } as Event;
}

const ended = { terminated: { exitCode: 137, reason: "OOMKilled" } };
const unscheduled = { type: "PodScheduled", status: "False", reason: "Unschedulable" };
const record =
  "0/3 nodes are available: 1 node(s) had untolerated taint {gpu: }, 2 Insufficient cpu. preemption: none.";

describe("D10: the problem of an object", () => {
  test.each<readonly [string, string, RegExp | undefined, Pod, readonly Event[]]>([
    ["a pod that runs", "", undefined, pod({ containerStatuses: [container({ running: {} }, { ready: true })] }), []],
    ["a finished pod", "", undefined, pod({ phase: "Succeeded" }), []],
    [
      "an unschedulable pod",
      "bad",
      /Of 3 nodes, 1 has a taint \{gpu: \} .*, 2 have not enough cpu left\.$/,
      pod({ phase: "Pending", conditions: [{ ...unscheduled, message: record }] }, { nodeName: undefined }),
      [],
    ],
    [
      "a gated pod",
      "idle",
      /waits at wait\.example/,
      pod(
        { phase: "Pending", conditions: [{ ...unscheduled, reason: "SchedulingGated" }] },
        { nodeName: undefined, schedulingGates: [{ name: "wait.example" }] },
      ),
      [],
    ],
    [
      "a pod killed for its memory",
      "bad",
      /restarted twice|restarted 2 times: it used more memory than its limit of 64Mi/,
      pod({
        containerStatuses: [
          container({ waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 2, lastState: ended }),
        ],
      }),
      [],
    ],
    [
      "a pod with a missing command",
      "bad",
      /exit code 127: the command was not found/,
      pod({
        containerStatuses: [
          container(
            { waiting: { reason: "CrashLoopBackOff" } },
            { restartCount: 1, lastState: { terminated: { exitCode: 127 } } },
          ),
        ],
      }),
      [],
    ],
    [
      "a pod with a failing probe",
      "bad",
      /because its probe failed: Liveness probe failed: 500/,
      pod({ containerStatuses: [container({ waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 1 })] }),
      [
        event("Unhealthy", "Liveness probe failed: 500"),
        event("Killing", "Container main failed liveness probe, will be restarted", "Normal"),
      ],
    ],
    [
      "a pod without its image",
      "bad",
      /nginx cannot be pulled \(not found\)/,
      pod({ phase: "Pending", containerStatuses: [container({ waiting: { reason: "ImagePullBackOff" } })] }),
      [event("Failed", "Error: ImagePullBackOff"), event("Failed", 'Failed to pull image "nginx": nginx: not found')],
    ],
    [
      "a pod without its ConfigMap",
      "bad",
      /cannot be configured: configmap "x" not found/,
      pod({
        phase: "Pending",
        containerStatuses: [
          container({ waiting: { reason: "CreateContainerConfigError", message: 'configmap "x" not found' } }),
        ],
      }),
      [],
    ],
    [
      "a pod without its volume",
      "bad",
      /A volume cannot be mounted: secret "s" not found/,
      pod({ phase: "Pending", containerStatuses: [container({ waiting: { reason: "ContainerCreating" } })] }),
      [event("FailedMount", 'secret "s" not found')],
    ],
    [
      "an unready pod",
      "bad",
      /runs and is not ready: Readiness probe failed/,
      pod({ containerStatuses: [container({ running: {} })] }),
      [event("Unhealthy", "Readiness probe failed: 404")],
    ],
    [
      "a pod with a finalizer",
      "bad",
      /remains until a\.example\/b is removed/,
      pod({}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a.example/b"] }),
      [],
    ],
    [
      "an evicted pod",
      "bad",
      /It was evicted: low on memory\./,
      pod({ phase: "Failed", reason: "Evicted", message: "low on memory" }),
      [],
    ],
  ])("is stated for %s", (_, tone, text, pod, events) => {
    const finding = wrongWith("pods", pod, { ...nobody, events });
    expect(finding?.tone ?? "").toBe(tone);
    if (text) expect(finding?.text).toMatch(text);
  });

  test("is stated for a workload by the worst of its pods", () => {
    const worst = pod({
      containerStatuses: [container({ waiting: { reason: "InvalidImageName" } }, { image: "A B" })],
    });
    const around = { ...nobody, pods: [pod({ phase: "Pending" }), worst] };
    const deployment = object("Deployment", { replicas: 3 }, { replicas: 3, updatedReplicas: 3, readyReplicas: 1 });
    expect(wrongWith("deployments.apps", deployment, around)).toMatchObject({
      tone: "bad",
      text: "2 of 3 pods are not ready. one: Container main names an image that can be none: A B.",
    });
    const stuck = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" };
    const late = object("Deployment", { replicas: 1, progressDeadlineSeconds: 60 }, { conditions: [stuck] });
    expect(wrongWith("deployments.apps", late, around)?.text).toContain(
      "has not come on for 60 s. one: Container main",
    );
    const quota = { type: "ReplicaFailure", status: "True", message: "exceeded quota: small" };
    const refused = object("Deployment", { replicas: 1 }, { conditions: [quota] });
    expect(wrongWith("deployments.apps", refused, nobody)?.text).toBe(
      "It cannot make its pods: exceeded quota: small.",
    );
    const fine = object(
      "Deployment",
      { replicas: 1 },
      { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
    );
    expect(wrongWith("deployments.apps", fine, nobody)).toBeUndefined();
  });

  test("is stated for Services, nodes, claims, and objects with conditions", () => {
    const service = (spec: object) => object("Service", spec, {});
    const to = { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] };
    expect(wrongWith("services", service(to), nobody)?.text).toContain(
      "no pod of its namespace has the labels app=web",
    );
    const ready = {
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [container({ running: {} }, { ready: true })],
    };
    const finding = wrongWith("services", service(to), { ...nobody, pods: [pod(ready)] });
    expect(finding?.text).toBe("Port 80 leads to the port http, and no container of its pods has one of that name.");
    const node = (status: string, unschedulable = false) =>
      object("Node", { unschedulable }, { conditions: [{ type: "Ready", status, message: "kubelet stopped" }] });
    expect(wrongWith("nodes", node("Unknown"), nobody)?.text).toBe("It is not ready: kubelet stopped.");
    expect(wrongWith("nodes", node("True", true), nobody)?.tone).toBe("idle");
    const claim = object("PersistentVolumeClaim", {}, { phase: "Pending" });
    const waiting = event("WaitForFirstConsumer", "waiting for first consumer", "Normal");
    expect(wrongWith("persistentvolumeclaims", claim, { ...nobody, events: [waiting] })?.tone).toBe("idle");
    const widget = object("Widget", {}, { conditions: [{ type: "Ready", status: "False", message: "no colour" }] });
    expect(wrongWith("widgets.example.com", widget, nobody)?.text).toBe("Ready is False: no colour.");
  });

  test.each([
    ["0/1 nodes are available: 1 node(s) were unschedulable.", "No node takes it. Of one node, 1 has been cordoned"],
    [
      "0/2 nodes are available: 2 Too many pods. preemption: x.",
      "No node takes it. Of 2 nodes, 2 have as many pods as they may have",
    ],
    ["0/2 nodes are available: 2 something new.", "No node takes it. Of 2 nodes, 2: something new"],
    ["no nodes available to schedule pods", "no nodes available to schedule pods"],
  ])("is the scheduler's message %j in words", (message, expected) => {
    expect(whyNoNode(message)).toBe(expected);
  });
});
