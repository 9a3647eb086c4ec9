// Secrets and ConfigMaps that software of an unknown image creates on a real cluster, and the pods that wait for them.
import { expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { roleBindings } from "../../worker/kinds/rbac/role-binding.ts";
import { roles } from "../../worker/kinds/rbac/role.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";

const namespace = "default";
const release = { "app.kubernetes.io/instance": "shop" };
const operatorImage = "my-company/operator:1";

function pod(name: string, spec: Partial<Pod["spec"]>, labels = release, annotations = {}): Draft<Pod> {
  const containers = [{ name: "main", image: "nginx:1.27", resources: {} }];
  return { metadata: { name, namespace, labels, annotations }, spec: { containers, ...spec } };
}

const waiting = (name = "web", labels = release, annotations = {}) =>
  pod(name, { volumes: [{ name: "certs", secret: { secretName: "shop-certs" } }] }, labels, annotations);

function operator(image = operatorImage, args: string[] = []): Draft<Pod> {
  return pod("operator", {
    serviceAccountName: "operator",
    containers: [{ name: "main", image, args, resources: {} }] as Pod["spec"]["containers"],
  });
}

/** A cluster where the operator's service account may use some verbs on Secrets and ConfigMaps. */
function clusterWith(verbs: string[]): TestCluster {
  const cluster = quietCluster({ base: "layered" });
  cluster.apply(serviceAccounts, { metadata: { name: "operator", namespace } });
  cluster.apply(roles, {
    metadata: { name: "operator", namespace },
    rules: [{ apiGroups: [""], resources: ["secrets", "configmaps"], verbs }],
  });
  cluster.apply(roleBindings, {
    metadata: { name: "operator", namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "operator" },
    subjects: [{ kind: "ServiceAccount", name: "operator", namespace }],
  });
  return cluster;
}

const phaseOf = (cluster: TestCluster, name = "web") => cluster.get(pods, namespace, name).status.phase;

test.each([
  ["before the operator", [waiting(), operator()]],
  ["after the operator", [operator(), waiting()]],
])("a pod that is created %s gets the Secret that it mounts, with a certificate, and an event", (_, drafts) => {
  const cluster = clusterWith(["create"]);
  for (const draft of drafts) {
    cluster.apply(pods, draft);
    cluster.step(1_000);
  }
  expect(phaseOf(cluster)).toBe("Pending");
  cluster.step(120_000);
  expect(phaseOf(cluster)).toBe("Running");
  expect(Object.keys(cluster.get(secrets, namespace, "shop-certs").data ?? {})).toEqual([
    "ca.crt",
    "tls.crt",
    "tls.key",
  ]);
  expect(cluster.eventsOf(cluster.get(pods, namespace, "web"))).toContain(
    "Simulated: Not simulated, assumed that a program of the same release creates it: Secret shop-certs",
  );
});

test("a Job of a release creates the object although a hook deletes the Job and its rights before the pod starts", () => {
  const cluster = clusterWith(["create"]);
  const { metadata, spec } = operator();
  cluster.apply(pods, { metadata, spec: { ...spec, restartPolicy: "Never" } });
  cluster.step(30_000);
  expect(phaseOf(cluster, "operator")).toBe("Succeeded");
  cluster.client.delete(pods, namespace, "operator");
  cluster.client.delete(roleBindings, namespace, "operator");
  cluster.apply(pods, waiting());
  cluster.step(60_000);
  expect(phaseOf(cluster)).toBe("Running");
  cluster.step(600_000);
  cluster.client.delete(secrets, namespace, "shop-certs");
  cluster.apply(pods, waiting("late"));
  cluster.step(60_000);
  expect(phaseOf(cluster, "late")).toBe("Pending");
});

test("an assumed object has the keys that the pod names", () => {
  const cluster = clusterWith(["create"]);
  cluster.apply(pods, operator());
  const env = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "shop-password", key: "password" } } }];
  const volumes = [{ name: "ca", configMap: { name: "shop-ca", items: [{ key: "root-cert.pem", path: "ca.pem" }] } }];
  const containers = [{ name: "main", image: "nginx:1.27", env, resources: {} }] as Pod["spec"]["containers"];
  cluster.apply(pods, pod("web", { volumes, containers }));
  cluster.step(120_000);
  expect(phaseOf(cluster)).toBe("Running");
  expect(Object.keys(cluster.get(secrets, namespace, "shop-password").data ?? {})).toEqual(["password"]);
  const { "root-cert.pem": pem = "" } = cluster.get(configMaps, namespace, "shop-ca").binaryData ?? {};
  expect(Buffer.from(pem, "base64").toString()).toMatch(/^-----BEGIN CERTIFICATE-----/);
});

test("an operator creates an object that its arguments name for a pod of another release", () => {
  const cluster = clusterWith(["create"]);
  cluster.apply(pods, operator(operatorImage, ["--cert-secret=shop-certs"]));
  cluster.apply(pods, waiting("web", { "app.kubernetes.io/instance": "other" }));
  cluster.step(120_000);
  expect(phaseOf(cluster)).toBe("Running");
});

test.each<[string, string[], Draft<Pod>, Draft<Pod>]>([
  ["if no program may create it", ["get", "update"], operator(), waiting()],
  ["if the program's image is known", ["create"], operator("nginx:1.27"), waiting()],
  [
    "if it belongs to another release",
    ["create"],
    operator(),
    waiting("web", { "app.kubernetes.io/instance": "other" }),
  ],
  [
    "if the pod forbids assumptions",
    ["create"],
    operator(),
    waiting("web", release, { "sandbar.dev/unknown": "fail" }),
  ],
])("a pod stays Pending %s", (_, verbs, creator, waiter) => {
  const cluster = clusterWith(verbs);
  cluster.apply(pods, creator);
  cluster.apply(pods, waiter);
  cluster.step(120_000);
  expect([phaseOf(cluster, "operator"), phaseOf(cluster)]).toEqual(["Running", "Pending"]);
  expect(cluster.client.get(secrets, namespace, "shop-certs")).toBeUndefined();
});
