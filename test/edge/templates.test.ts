// Templates in the control API: versions, sandboxes, and refusals.
import { describe, expect, test } from "vitest";
import { errorBody } from "../../shared/contract/error.ts";
import { sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { type CreateTemplate, template, templateList } from "../../shared/contract/template.ts";
import { finishLeftovers } from "../../worker/edge/control-api/leftovers.ts";
import { removeUnknownFiles } from "../../worker/edge/control-api/snapshot-leftovers.ts";
import { keys, newService } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

async function make({ send }: Harness, body: CreateTemplate) {
  const answer = await send("POST", "/v1/templates", { body });
  expect(answer.status).toBe(201);
  return template.parse(await answer.json());
}

async function errorOf(answer: Response) {
  return { status: answer.status, ...errorBody.parse(await answer.json()).error };
}

const listed = async ({ send }: Harness, query = "", key = keys.ada) =>
  templateList.parse(await (await send("GET", `/v1/templates${query}`, { key })).json()).templates;

describe("versions of a template", () => {
  test("X1: are numbered, never change, and a number is never reused", async () => {
    const harness = await newService();
    expect(await make(harness, { name: "shop", description: "one" })).toMatchObject({ ref: "shop@1", version: 1 });
    expect(await make(harness, { name: "shop", description: "two" })).toMatchObject({ ref: "shop@2" });
    expect((await harness.send("DELETE", "/v1/templates/shop@2")).status).toBe(204);
    expect(await make(harness, { name: "shop", description: "three" })).toMatchObject({ ref: "shop@3" });
    expect((await listed(harness, "?name=shop")).map(({ ref, description }) => [ref, description])).toEqual([
      ["shop@3", "three"],
      ["shop@1", "one"],
    ]);
    // A number is kept only where no higher one is.
    const rows = () => harness.service.templates.count("ada");
    expect(await rows()).toEqual({ versions: 2, rows: 2 });
    const first = await harness.send("GET", "/v1/templates/shop@1");
    expect(await first.json()).toMatchObject({ description: "one", parts: { nodes: 3 } });
    expect((await harness.send("DELETE", "/v1/templates/shop")).status).toBe(204);
    expect(await errorOf(await harness.send("GET", "/v1/templates/shop"))).toMatchObject({ status: 404 });
    expect(harness.files.stored.size).toBe(0);
    expect(await rows()).toEqual({ versions: 0, rows: 1 });
    await harness.service.templates.forgetNumbers(harness.time.nowMs + 1);
    expect(await rows()).toEqual({ versions: 0, rows: 0 });
  });

  test("X1: the newest of each template is listed, then the built-in ones, and none of another tenant", async () => {
    const harness = await newService();
    await make(harness, { name: "shop" });
    await make(harness, { name: "shop" });
    const all = await listed(harness);
    expect(all.slice(0, 3).map(({ ref }) => ref)).toEqual(["shop@2", "empty@1", "three-nodes@1"]);
    expect((await listed(harness, "", keys.bob)).every(({ builtIn }) => builtIn)).toBe(true);
    const foreign = await harness.send("POST", "/v1/sandboxes", { key: keys.bob, body: { template: "shop" } });
    expect(await errorOf(foreign)).toMatchObject({ status: 404, field: "template" });
    expect((await harness.send("DELETE", "/v1/templates/shop", { key: keys.bob })).status).toBe(404);
  });

  test("X1: a tenant has as many templates as its plan allows", async () => {
    const harness = await newService();
    await harness.service.plans.set("ada", { overrides: { templates: 1 } });
    await make(harness, { name: "shop" });
    const refused = await harness.send("POST", "/v1/templates", { body: { name: "other" } });
    expect(await errorOf(refused)).toMatchObject({ status: 429, limit: { name: "templates", limited: 1, used: 1 } });
  });

  test("X1: a tenant cannot create more after a thousand deleted versions", async () => {
    const harness = await newService();
    await make(harness, { name: "shop" });
    const row = harness.database.prepare("SELECT * FROM templates").get() as Record<string, string | number | null>;
    const add = harness.database.prepare(
      `INSERT INTO templates VALUES (${Object.keys(row)
        .map(() => "?")
        .join()})`,
    );
    const gone = (at: number) => ({ ...row, id: `gone-${at}`, name: "gone", version: at, state: "deleted" });
    for (let at = 1; at < 1500; at++) add.run(...Object.values(gone(at)));
    const refused = await harness.send("POST", "/v1/templates", { body: { name: "other" } });
    expect(await errorOf(refused)).toMatchObject({ status: 429, limit: { name: "templates", limited: 1500 } });
  });

  test("X2: a version is applied to a temporary cluster: users become bindings, and incidents are injected", async () => {
    const harness = await newService();
    await make(harness, {
      name: "shop",
      nodes: [{ labels: { disk: "ssd" }, taints: [{ key: "a", effect: "NoSchedule" }], capacity: { cpu: "16" } }],
      manifests: "kind: List",
      users: [{ user: "dev", role: "edit", namespace: "shop" }],
      incidents: [
        { type: "bad_image", name: "web" },
        { type: "deleted", path: "/api/v1/namespaces/default/services/web" },
      ],
      kubeletSpeed: 10,
    });
    const [[, cluster] = []] = [...harness.clusters];
    expect(cluster?.destroyed).toBe(true);
    expect(cluster?.initializeOptions).toMatchObject({
      nodes: 1,
      machines: [{ labels: { disk: "ssd" }, taints: [{ key: "a", effect: "NoSchedule" }], capacity: { cpu: "16" } }],
      settings: { kubeletSpeed: "zero" },
    });
    expect(cluster?.initializeOptions?.manifests).toMatch(/^kind: List\n---\n[^]*kind: RoleBinding[^]*name: edit/);
    expect(harness.asked.map(({ path, init }) => `${init.method} ${path}`)).toEqual([
      "PATCH /apis/apps/v1/namespaces/default/deployments/web",
      "DELETE /api/v1/namespaces/default/services/web",
    ]);
  });

  test.each<[object, string]>([
    [{ name: "guestbook" }, "name"],
    [{ name: "a", incidents: [{ type: "cordoned_node", node: "missing" }] }, "incidents.0"],
    [{ name: "a", sandbox: "x", snapshot: "y" }, "snapshot"],
    [{ name: "a", nodes: [{ name: "node-2" }, {}] }, "nodes"],
    [{ name: "a", manifests: "x".repeat(1024 * 1024 + 1) }, "manifests"],
  ])("X2: %# is refused with the invalid field, and nothing is left", async (body, field) => {
    const harness = await newService();
    const refused = await errorOf(await harness.send("POST", "/v1/templates", { body }));
    expect(refused).toMatchObject({ status: 400, code: "invalid_field", field });
    expect([...harness.clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
    expect([harness.files.stored.size, (await listed(harness, "?name=a")).length]).toEqual([0, 0]);
  });
});

describe("sandboxes of a template", () => {
  test("X3: start with the version's state and settings, are reset to it, and have a token for each user", async () => {
    const harness = await newService();
    await make(harness, { name: "shop", kubeletSpeed: 10, users: [{ user: "dev", groups: ["team"] }] });
    const body = { template: "shop@1", name: "mine", labels: { a: "b" } };
    const sandbox = sandboxWithToken.parse(await (await harness.send("POST", "/v1/sandboxes", { body })).json());
    expect(sandbox).toMatchObject({
      name: "mine",
      labels: { a: "b" },
      users: [{ user: "dev", groups: ["team", "system:authenticated"] }],
    });
    const cluster = harness.clusters.get(sandbox.id);
    expect(cluster?.initializeOptions?.settings).toMatchObject({
      kubeletSpeed: 10,
      reportsTo: { tenant: "ada", sandbox: sandbox.id },
    });
    expect(cluster?.tokens).toMatchObject([{ user: "dev" }]);
    expect((await harness.send("POST", `/v1/sandboxes/${sandbox.id}/reset`)).status).toBe(200);
    const [stored] = [...harness.files.stored.values()];
    expect(cluster?.restored).toEqual([{ file: stored?.bytes }]);
    await harness.send("DELETE", "/v1/templates/shop");
    expect(await errorOf(await harness.send("POST", `/v1/sandboxes/${sandbox.id}/reset`))).toMatchObject({
      status: 409,
      code: "no_beginning",
    });
  });

  test("X3: have everything but the users from the sandbox or snapshot of the template", async () => {
    const harness = await newService();
    const { id } = sandboxWithToken.parse(await (await harness.send("POST", "/v1/sandboxes")).json());
    expect(await make(harness, { name: "of-sandbox", sandbox: id })).toMatchObject({ ref: "of-sandbox@1" });
    const snapshot = await (await harness.send("POST", `/v1/sandboxes/${id}/snapshots`)).json<{ id: string }>();
    expect(await make(harness, { name: "of-snapshot", snapshot: snapshot.id })).toMatchObject({ version: 1 });
    const beside = await harness.send("POST", "/v1/templates", { body: { name: "a", sandbox: id, nodes: 1 } });
    expect(await errorOf(beside)).toMatchObject({ status: 400, field: "nodes" });
    const foreign = await harness.send("POST", "/v1/templates", { key: keys.bob, body: { name: "a", sandbox: id } });
    expect(await errorOf(foreign)).toMatchObject({ status: 404, field: "sandbox" });
  });

  test("X4: share one stored state for a built-in template until the scheduled run, and can still be reset after it", async () => {
    const harness = await newService();
    const create = async (key: string) => {
      const answer = await harness.send("POST", "/v1/sandboxes", { key, body: { template: "guestbook" } });
      expect(answer.status).toBe(201);
      return sandboxWithToken.parse(await answer.json());
    };
    const createdTemplate = await create(keys.ada);
    await create(keys.bob);
    expect(harness.clusters.size).toBe(3);
    const { service, files } = harness;
    harness.time.nowMs += 3_600_000;
    await finishLeftovers(service);
    await removeUnknownFiles(service);
    expect([...files.stored.keys()].some((key) => key.startsWith("_built-in/"))).toBe(false);
    expect((await harness.send("POST", `/v1/sandboxes/${createdTemplate.id}/reset`)).status).toBe(200);
    await create(keys.ada);
    expect(harness.clusters.size).toBe(5);
  });

  test.each(["nodes", "manifests", "kubeletSpeed"])("X3: %s is refused together with a template", async (field) => {
    const { send } = await newService();
    const fieldValue = { nodes: 1, manifests: "", kubeletSpeed: 2 }[field];
    const refused = await send("POST", "/v1/sandboxes", { body: { template: "empty", [field]: fieldValue } });
    expect(await errorOf(refused)).toMatchObject({ status: 400, field });
  });

  test.each(["Shop", "shop@", "shop@x", "../shop", "none"])("X1: %j names no template", async (name) => {
    const { send } = await newService();
    const refused = await send("POST", "/v1/sandboxes", { body: { template: name } });
    expect(await errorOf(refused)).toMatchObject({ status: 404, field: "template" });
  });
});

test("X1: a version whose creation was interrupted is hidden", async () => {
  const harness = await newService();
  harness.files.put = () => Promise.reject(new Error("cut off"));
  expect((await harness.send("POST", "/v1/templates", { body: { name: "shop" } })).status).toBe(500);
  expect(await listed(harness, "?name=shop")).toEqual([]);
});
