// Decoded objects for unit tests of the controllers.
import type { Deployment, ReplicaSet, ReplicaSetStatus } from "../../shared/k8s/api/apps-v1.ts";
import type { Pod, PodStatus, PodTemplateSpec } from "../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta } from "../../shared/k8s/api/meta-v1.ts";

export const startMs = Date.UTC(2026, 0, 1);

export function template(image = "nginx:1"): PodTemplateSpec {
  return {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image, resources: {} }] },
  };
}

export interface DeploymentOptions {
  readonly replicas?: number;
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly recreate?: boolean;
  readonly spec?: Partial<Deployment["spec"]>;
  readonly status?: Deployment["status"];
  readonly metadata?: ObjectMeta;
}

export function deployment(options: DeploymentOptions = {}): Deployment {
  const { maxSurge = "25%", maxUnavailable = "25%" } = options;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", uid: "d", generation: 1, ...options.metadata },
    spec: {
      replicas: options.replicas ?? 1,
      selector: { matchLabels: { app: "web" } },
      template: template(),
      strategy: options.recreate
        ? { type: "Recreate" }
        : { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
      progressDeadlineSeconds: 600,
      ...options.spec,
    },
    status: options.status ?? {},
  };
}

export function replicaSet(
  name: string,
  replicas: number,
  status: Partial<ReplicaSetStatus> = {},
  metadata: ObjectMeta = {},
): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default", uid: name, creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template() },
    status: { replicas, ...status },
  };
}

export interface PodOptions {
  readonly metadata?: ObjectMeta;
  readonly spec?: Partial<Pod["spec"]>;
  readonly status?: PodStatus;
  /** The time since which the pod is ready. */
  readonly ready?: string;
}

export function pod(name: string, options: PodOptions = {}): Pod {
  const conditions = options.ready ? [{ type: "Ready", status: "True", lastTransitionTime: options.ready }] : [];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: "web" },
      ...options.metadata,
    },
    spec: { containers: [], nodeName: "node-1", ...options.spec },
    status: { phase: "Running", conditions, ...options.status },
  };
}
