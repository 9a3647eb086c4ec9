// The table columns and the events of each release, and fields of statuses that releases drop.
import { expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import type { Job } from "../../shared/k8s/api/batch-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type KubernetesVersion, supportedVersions } from "../../shared/k8s/settings/release.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { newServer } from "../api/server.ts";

const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const containers = ["first", "second"].map((name) => ({ name, image: "nginx" }));
const template = { metadata: { labels: { app: "a" } }, spec: { restartPolicy: "Never", containers } };

/** Creates an object and writes its status. Returns the status and the cells of its row. */
async function rowIn(version: KubernetesVersion, path: string, object: object, status: object = {}) {
  const { ask, bugs } = newServer({ version });
  const body = { metadata: { name: "a" }, ...object };
  expect((await ask("POST", path, { body })).code).toBe(201);
  const patch = { body: JSON.stringify({ status }), headers: { "content-type": "application/merge-patch+json" } };
  const written = Object.keys(status).length > 0 ? await ask("PATCH", `${path}/a/status`, patch) : undefined;
  const { body: table } = await ask("GET", `${path}/a`, { headers });
  const names: readonly { name: string }[] = table.columnDefinitions;
  const cells = must(table.rows[0], "the row").cells;
  expect(bugs).toEqual([]);
  return { written, cellOf: (column: string) => cells[names.findIndex(({ name }) => name === column)] };
}

/** Returns a value in each release, the oldest first. */
function inEach<T>(read: (version: KubernetesVersion) => Promise<T>): Promise<T[]> {
  return Promise.all(supportedVersions.map(read));
}

const podPath = "/api/v1/namespaces/default/pods";
const ended = (exitCode: number) => ({ terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error" } });
const statusOf = (name: string, state: object, more: object = {}) => ({
  ...{ name, state, image: "nginx", imageID: "", ready: false, restartCount: 0, ...more },
});

test("the status of a pod is the error of a container beside a completed one since 1.35", async () => {
  const containerStatuses = [statusOf("first", ended(0)), statusOf("second", ended(1))];
  const status = { phase: "Failed", containerStatuses };
  const texts = inEach(async (version) =>
    (await rowIn(version, podPath, { spec: template.spec }, status)).cellOf("Status"),
  );
  expect(await texts).toEqual(["Completed", "Completed", "Error", "Error"]);
});

test("the allocated resources of a container are stored in each release", async () => {
  const allocatedResources = { cpu: "20m" };
  const containerStatuses = containers.map(({ name }) => statusOf(name, ended(0), { allocatedResources }));
  const stored = inEach(async (version) => {
    const { written } = await rowIn(version, podPath, { spec: template.spec }, { containerStatuses });
    const statuses = written?.body.status.containerStatuses as readonly { readonly allocatedResources: unknown }[];
    return statuses[0]?.allocatedResources;
  });
  expect(await stored).toEqual(supportedVersions.map(() => allocatedResources));
});

test("the status of a Job is SuccessCriteriaMet since 1.34", () => {
  const condition = { type: "SuccessCriteriaMet", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" } as const;
  const job = { metadata: { name: "a" }, spec: { template, completions: 2 }, status: { conditions: [condition] } };
  const texts = [33, 34].map((minor) => {
    const { columns = jobs.columns } = jobs.inRelease?.({ minor, isEnabled: () => true }) ?? {};
    return columns?.find(({ name }) => name === "Status")?.cell(job as unknown as Job, 0);
  });
  expect(texts).toEqual(["Running", "SuccessCriteriaMet"]);
});

test("the kernel of a node has its architecture since 1.36", async () => {
  const status = { nodeInfo: { kernelVersion: "6.1", architecture: "arm64" } };
  const texts = inEach(async (version) => (await rowIn(version, "/api/v1/nodes", {}, status)).cellOf("Kernel-Version"));
  expect(await texts).toEqual(["6.1", "6.1", "6.1", "6.1 (arm64)"]);
});

test("the name of the default IngressClass is marked since 1.36", async () => {
  const metadata = { name: "a", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } };
  const path = "/apis/networking.k8s.io/v1/ingressclasses";
  const object = { metadata, spec: { controller: "example.com/a" } };
  const texts = inEach(async (version) => (await rowIn(version, path, object)).cellOf("Name"));
  expect(await texts).toEqual(["a", "a", "a", "a (default)"]);
});

test("kubelets before 1.35 name the container in its events", async () => {
  const messages = inEach(async (version) => {
    const server = newServer({ version });
    const body = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "nginx" }] } };
    expect((await server.ask("POST", podPath, { body })).code).toBe(201);
    server.cluster.step(10_000);
    const { body: list } = await server.ask("GET", "/api/v1/namespaces/default/events");
    const events = list.items as readonly (KubeObject & { readonly reason?: string; readonly message: string })[];
    return ["Created", "Started"].map((reason) => events.find((event) => event.reason === reason)?.message);
  });
  const named = ["Created container: c", "Started container c"];
  const unnamed = ["Container created", "Container started"];
  expect(await messages).toEqual([named, named, unnamed, unnamed]);
});
