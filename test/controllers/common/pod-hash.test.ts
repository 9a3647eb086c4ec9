// Names of ReplicaSets and their pods are those that a real cluster gives: the values here are upstream's own for these templates.
import { expect, test } from "vitest";
import type { Container, PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import { computeHash } from "../../../worker/controllers/common/pod-hash.ts";

const container: Container = {
  name: "nginx",
  image: "nginx:1.27",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};
const spec: PodTemplateSpec["spec"] = {
  containers: [container],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
};
const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const rich: PodTemplateSpec = {
  metadata: { labels: { app: "web" }, annotations: { b: "ü", a: "1" } },
  spec: {
    ...spec,
    volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
    securityContext: { runAsNonRoot: true },
    containers: [
      {
        ...container,
        ports: [{ name: "http", containerPort: 80, protocol: "TCP" }],
        env: [{ name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } }],
        resources: { limits: { memory: "100Ti", cpu: "1500m" }, requests: { cpu: "0", memory: "128Mi" } },
        readinessProbe: { httpGet: { path: "/", port: "http", scheme: "HTTP" }, ...probe },
        livenessProbe: { tcpSocket: { port: 80 }, ...probe },
      },
    ],
  },
};

test.each<[string, PodTemplateSpec, string]>([
  ["a plain template", { metadata: { labels: { app: "web" } }, spec }, "7d876db474"],
  ["every form of value", rich, "8996f94cf"],
])("the pod-template-hash is upstream's: %s", (_, template, hash) => {
  expect(computeHash(template, undefined)).toBe(hash);
});
