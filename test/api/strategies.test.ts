// The treatment of single fields of a write: wiped, kept, rejected, reported twice, and owned.
import { describe, expect, test } from "vitest";
import { type Answer, apps, configMap, core, deployment, newServer, pod, refusal, refused } from "./server.ts";

const server = newServer({ controllers: [], nodes: 1 });
const { ask } = server;
const dry = "?dryRun=All";
const pods = `${core}/pods`;
await ask("POST", `${core}/serviceaccounts`, { body: { metadata: { name: "default" } } });

const causes = ({ text }: Answer) =>
  (JSON.parse(text) as { details: { causes: { field: string; message: string }[] } }).details.causes;
const patch = (path: string, body: unknown) =>
  ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });

describe("a new object", () => {
  test("keeps its generation if its kind does not set one, and the generation is not negative", async () => {
    const withGeneration = (generation: number) => ({ body: configMap("a", {}, { generation }) });
    expect((await ask("POST", `${core}/configmaps${dry}`, withGeneration(7))).body.metadata.generation).toBe(7);
    expect(causes(await ask("POST", `${core}/configmaps${dry}`, withGeneration(-1)))).toEqual([
      {
        field: "metadata.generation",
        message: "Invalid value: -1: must be greater than or equal to 0",
        reason: "FieldValueInvalid",
      },
    ]);
  });

  test("with a resourceVersion is refused when it is stored, after all other checks", async () => {
    const versioned = (name: string) => ({ body: configMap(name, {}, { resourceVersion: "5" }) });
    const { code } = await ask("POST", `${core}/configmaps${dry}`, versioned("a"));
    expect(code).toBe(201);
    expect((await ask("POST", `${core}/configmaps`, versioned("Bad"))).code).toBe(422);
    expect(refusal(await ask("POST", `${core}/configmaps`, versioned("a")))).toEqual(
      refused(400, "BadRequest", "resourceVersion should not be set on objects to be created"),
    );
  });

  test("has no manager for fields that the server clears", async () => {
    const body = configMap(
      "a",
      { k: "v" },
      { deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 },
    );
    const { metadata } = (await ask("POST", `${core}/configmaps${dry}`, { body })).body;
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([{ "f:data": { ".": {}, "f:k": {} } }]);
  });

  test("loses fields behind disabled feature gates, and their manager still owns them", async () => {
    const body = deployment("d");
    Object.assign(body.spec.template.spec, { schedulingGroup: { podGroupName: "g" } });
    const { spec, metadata } = (await ask("POST", `${apps}/deployments${dry}`, { body })).body;
    expect(JSON.stringify(spec)).not.toContain("schedulingGroup");
    expect(JSON.stringify(metadata.managedFields)).toContain("f:schedulingGroup");
  });

  test("with a wrong type is refused with the type's name in Go", async () => {
    const body = configMap("a", {}, { uid: 5 as unknown as string });
    expect((await ask("POST", `${core}/configmaps`, { body })).body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID',
    );
  });
});

describe("an update", () => {
  test("with invalid metadata lists the error of each check", async () => {
    await ask("POST", `${core}/configmaps`, { body: configMap("labelled") });
    const answer = await patch(`${core}/configmaps/labelled${dry}`, { metadata: { labels: { a: "b c" } } });
    expect(causes(answer).map(({ field }) => field)).toEqual(Array(4).fill("metadata.labels"));
  });

  test("with another uid is a conflict that names the store's key, and a dry run's key has no root", async () => {
    const put = (query: string) =>
      ask("PUT", `/api/v1/nodes/node-1${query}`, { body: { metadata: { name: "node-1", uid: "x" } } });
    expect((await put(dry)).body.message).toContain("Key: /minions/node-1, ResourceVersion: 0");
    expect((await put("")).body.message).toContain("Key: /registry/minions/node-1, ResourceVersion: 0");
  });

  test("needs a numeric resource version", async () => {
    const body = configMap("labelled", {}, { resourceVersion: "abc" });
    expect(refusal(await ask("PUT", `${core}/configmaps/labelled`, { body }))).toEqual(
      refused(400, "BadRequest", 'strconv.ParseUint: parsing "abc": invalid syntax'),
    );
  });

  test("has a pod's spec compared, and shown, in the server's internal form", async () => {
    await ask("POST", pods, { body: pod("shown") });
    const answer = await patch(`${pods}/shown${dry}`, { spec: { hostPID: true } });
    const difference = causes(answer)[0]?.message.split("\n").slice(1);
    expect(difference?.slice(2, 6)).toEqual([
      '  "SecurityContext": {',
      '   "HostNetwork": false,',
      '-  "HostPID": false,',
      '+  "HostPID": true,',
    ]);
  });

  test("belongs to its manager also for a subresource", async () => {
    await ask("POST", pods, { body: pod("debugged") });
    const path = `${pods}/debugged/ephemeralcontainers?fieldManager=debugger`;
    const { body } = await ask("PATCH", path, {
      body: { spec: { ephemeralContainers: [{ name: "d", image: "busybox" }] } },
      headers: { "content-type": "application/strategic-merge-patch+json" },
    });
    const entry = body.metadata.managedFields?.find(({ manager }) => manager === "debugger");
    expect(entry?.subresource).toBe("ephemeralcontainers");
    expect(JSON.stringify(entry?.fieldsV1)).toContain('k:{\\"name\\":\\"d\\"}');
  });

  test("keeps the percentage of the older version in an autoscaler's status", async () => {
    const root = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
    const scaler = {
      metadata: { name: "h" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3 },
    };
    await ask("POST", root, { body: scaler });
    const status = { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 30 };
    const { body } = await ask("PUT", `${root}/h/status`, { body: { ...scaler, status } });
    expect(body.status).toEqual(status);
  });
});

test("deleting a job warns if its pods would be orphaned", async () => {
  const { headers } = await ask("DELETE", `/apis/batch/v1/namespaces/default/jobs/absent`);
  expect(headers.get("warning")).toContain("child pods are preserved by default when jobs are deleted");
  const chosen = await ask("DELETE", `/apis/batch/v1/namespaces/default/jobs/absent?propagationPolicy=Background`);
  expect(chosen.headers.get("warning")).toBeNull();
});

test("a dry-run deletion shows an object without grace period unchanged", async () => {
  const body = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
  await ask("POST", `${core}/services`, { body });
  expect((await ask("DELETE", `${core}/services/s${dry}`)).body.metadata.deletionTimestamp).toBeUndefined();
});

test("Tables of service accounts have only an age, and a node's kernel version is its architecture", async () => {
  const table = (path: string) =>
    ask("GET", path, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
  const accounts = await table(`${core}/serviceaccounts`);
  expect(accounts.body.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Age"]);
  const nodes = await table("/api/v1/nodes");
  const at = nodes.body.columnDefinitions.findIndex(({ name }) => name === "Kernel-Version");
  expect(nodes.body.rows[0]?.cells[at]).toMatch(/ \(amd64\)$/);
});
