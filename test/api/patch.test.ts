// PATCH: its three types, on objects and on subresources, and errors.
import { describe, expect, test } from "vitest";
import { type Ask, apps, configMap, core, deployment, newServer, refusal, refused } from "./server.ts";

function patched(form: "json-patch" | "merge-patch" | "strategic-merge-patch", body: unknown): Ask {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { body: text, headers: { "content-type": `application/${form}+json` } };
}

async function withDeployment() {
  const server = newServer({ controllers: [] });
  await server.ask("POST", `${apps}/deployments`, { body: deployment("web", 2) });
  return { ...server, path: `${apps}/deployments/web` };
}

describe("patches", () => {
  test("apply a JSON patch", async () => {
    const { ask, path } = await withDeployment();
    const { code, body } = await ask(
      "PATCH",
      path,
      patched("json-patch", [
        { op: "test", path: "/spec/replicas", value: 2 },
        { op: "replace", path: "/spec/replicas", value: 5 },
        { op: "add", path: "/metadata/labels", value: { a: "b" } },
      ]),
    );
    expect([code, body.spec["replicas"], body.metadata.labels, body.metadata.generation]).toEqual([
      200,
      5,
      { a: "b" },
      2,
    ]);
  });

  test("apply a merge patch, which replaces lists and removes nulls", async () => {
    const { ask } = newServer();
    await ask("POST", `${core}/configmaps`, { body: configMap("c", { a: "1", b: "2" }) });
    const { body } = await ask("PATCH", `${core}/configmaps/c`, patched("merge-patch", { data: { a: null, c: "3" } }));
    expect(body.data).toEqual({ b: "2", c: "3" });
  });

  test("apply a strategic merge patch, which merges containers by name", async () => {
    const { ask, path } = await withDeployment();
    const containers = [
      { name: "main", image: "nginx:2" },
      { name: "side", image: "redis" },
    ];
    const { body } = await ask(
      "PATCH",
      path,
      patched("strategic-merge-patch", { spec: { template: { spec: { containers } } } }),
    );
    expect(body.spec).toMatchObject({
      template: {
        spec: {
          containers: [
            { name: "main", image: "nginx:2", imagePullPolicy: "Always" },
            { name: "side", image: "redis" },
          ],
        },
      },
    });
  });

  test("R3: write nothing without changes, and conflict with a stale resourceVersion", async () => {
    const { ask, path, cluster } = await withDeployment();
    const { revision } = cluster.registry.store;
    expect((await ask("PATCH", path, patched("merge-patch", {}))).code).toBe(200);
    expect((await ask("PATCH", path, patched("merge-patch", { spec: { replicas: 2 } }))).code).toBe(200);
    expect(cluster.registry.store.revision).toBe(revision);
    const stale = await ask(
      "PATCH",
      path,
      patched("merge-patch", { metadata: { resourceVersion: "1" }, spec: { replicas: 3 } }),
    );
    expect(refusal(stale)).toMatchObject({ code: 409, reason: "Conflict" });
  });

  test("R5: change only the status with the status subresource, and everything but it otherwise", async () => {
    const { ask, path } = await withDeployment();
    const both = { spec: { replicas: 9 }, status: { replicas: 4 } };
    const status = await ask("PATCH", `${path}/status`, patched("merge-patch", both));
    expect([status.body.spec["replicas"], status.body.status, status.body.metadata.generation]).toEqual([
      2,
      { replicas: 4 },
      1,
    ]);
    const object = await ask("PATCH", path, patched("merge-patch", { spec: { replicas: 9 }, status: { replicas: 7 } }));
    expect([object.body.spec["replicas"], object.body.status, object.body.metadata.generation]).toEqual([
      9,
      { replicas: 4 },
      2,
    ]);
  });

  test("change the replicas with the scale subresource", async () => {
    const { ask, path } = await withDeployment();
    const scaled = await ask("PATCH", `${path}/scale`, patched("merge-patch", { spec: { replicas: 6 } }));
    expect([scaled.code, scaled.body.kind, scaled.body.spec]).toEqual([200, "Scale", { replicas: 6 }]);
    expect((await ask("GET", path)).body.spec["replicas"]).toBe(6);
  });

  test("R2: answer a dry run without writing", async () => {
    const { ask, path, cluster } = await withDeployment();
    const { revision } = cluster.registry.store;
    const { body } = await ask("PATCH", `${path}?dryRun=All`, patched("merge-patch", { spec: { replicas: 9 } }));
    expect(body.spec["replicas"]).toBe(9);
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test("are 404 for an absent object", async () => {
    const { ask } = newServer();
    expect(refusal(await ask("PATCH", `${core}/configmaps/x`, patched("merge-patch", {})))).toEqual(
      refused(404, "NotFound", 'configmaps "x" not found'),
    );
  });
});

describe("refused patches", () => {
  test("are 415 for an unknown kind of patch, and 400 for a malformed one", async () => {
    const { ask, path } = await withDeployment();
    const unknown = await ask("PATCH", path, { body: "{}", headers: { "content-type": "application/json" } });
    expect(refusal(unknown)).toEqual(refused(415, "UnsupportedMediaType", "415: Unsupported Media Type"));
    const broken = await ask("PATCH", path, patched("merge-patch", "{"));
    expect(refusal(broken)).toEqual(refused(400, "BadRequest", "error decoding patch: unexpected end of JSON input"));
    expect((await ask("PATCH", path, patched("json-patch", "{}"))).code).toBe(400);
    expect((await ask("PATCH", path, patched("strategic-merge-patch", "[]"))).code).toBe(400);
  });

  test("are 422 for a JSON patch that does not apply", async () => {
    const { ask, path } = await withDeployment();
    const answer = await ask("PATCH", path, patched("json-patch", [{ op: "test", path: "/spec/replicas", value: 7 }]));
    expect(refusal(answer)).toEqual(
      refused(422, "Invalid", "the server rejected our request due to an error in our request"),
    );
  });

  test("are 400 if they rename or move, and 422 if they break a rule", async () => {
    const { ask, path } = await withDeployment();
    const merge = async (body: unknown) => refusal(await ask("PATCH", path, patched("merge-patch", body)));
    expect(await merge({ metadata: { name: "other" } })).toEqual(
      refused(400, "BadRequest", "the name of the object (other) does not match the name on the URL (web)"),
    );
    expect(await merge({ metadata: { namespace: "other" } })).toEqual(
      refused(
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
      ),
    );
    expect(await merge({ spec: { replicas: -1 } })).toEqual(
      refused(
        422,
        "Invalid",
        'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      ),
    );
    expect((await merge({ spec: { selector: { matchLabels: { app: "x" } } } })).message).toContain(
      "field is immutable",
    );
  });

  test("are 422 for an unknown field with Strict, and warn with Warn", async () => {
    const { ask, path } = await withDeployment();
    const strict = await ask(
      "PATCH",
      `${path}?fieldValidation=Strict`,
      patched("merge-patch", { spec: { colour: "red" } }),
    );
    expect(strict.code).toBe(422);
    expect(strict.body.message).toContain('strict decoding error: unknown field "spec.colour"');
    const warned = await ask("PATCH", path, patched("merge-patch", { spec: { colour: "red" } }));
    expect(warned.headers.get("warning")).toBe('299 - "unknown field \\"spec.colour\\""');
  });

  test("are invalid with force unless they apply", async () => {
    const { ask, path } = await withDeployment();
    expect(refusal(await ask("PATCH", `${path}?force=true`, patched("merge-patch", {}))).message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  });
});
