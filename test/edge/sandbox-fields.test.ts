// Fields that describe a sandbox: every way to create one stores them, and every response has them.
import { describe, expect, test } from "vitest";
import { createSandbox, patchSandbox, sandbox, sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { sandboxFieldNames } from "../../shared/contract/sandbox-fields.ts";
import { sandboxSettings } from "../../shared/contract/sandbox-settings.ts";
import { forkSandbox, stateMediaType } from "../../shared/contract/snapshot.ts";
import { newService } from "./service.ts";

/** A value of each field that no default has. */
const fields = { name: "shop", description: "The shop before the sale", labels: { team: "web" } };

type Harness = Awaited<ReturnType<typeof newService>>;

async function create({ send }: Harness, path: string, body: object | Uint8Array, headers = {}) {
  const response = await send("POST", path, { body, headers });
  expect(response.status).toBe(201);
  return sandboxWithToken.parse(await response.json());
}

describe("fields of a sandbox", () => {
  test("I2: are declared in every body and response, and none of them is a setting of the cluster", () => {
    expect(Object.keys(fields)).toEqual(sandboxFieldNames);
    for (const schema of [createSandbox, patchSandbox, forkSandbox, sandbox])
      expect(Object.keys(schema.shape)).toEqual(expect.arrayContaining(sandboxFieldNames));
    expect(sandboxFieldNames.filter((field) => Object.hasOwn(sandboxSettings.shape, field))).toEqual([]);
  });

  test("I2: are stored by a new sandbox, a fork, and a sandbox of a snapshot or a template", async () => {
    const harness = await newService();
    const { id } = await create(harness, "/v1/sandboxes", {});
    const snapshot = await (await harness.send("POST", `/v1/sandboxes/${id}/snapshots`)).json<{ id: string }>();
    expect((await harness.send("POST", "/v1/templates", { body: { name: "shop" } })).status).toBe(201);
    const ids: string[] = [];
    for (const [path, source] of [
      ["/v1/sandboxes", {}],
      ["/v1/sandboxes", { snapshot: snapshot.id }],
      ["/v1/sandboxes", { template: "shop" }],
      [`/v1/sandboxes/${id}/fork`, {}],
      [`/v1/sandboxes/${id}/fork`, { snapshot: snapshot.id }],
    ] as const) {
      const created = await create(harness, path, { ...fields, ...source });
      expect(created).toMatchObject(fields);
      ids.push(created.id);
    }
    const { sandboxes } = sandboxList.parse(await (await harness.send("GET", "/v1/sandboxes?name=shop")).json());
    expect(new Set(sandboxes.map((listed) => listed.id))).toEqual(new Set(ids));
    for (const listed of sandboxes) expect(listed).toMatchObject(fields);
  });

  test("I2: are read from the query for a sandbox of a state file", async () => {
    const harness = await newService();
    const { id } = await create(harness, "/v1/sandboxes", {});
    const state = await harness.send("GET", `/v1/sandboxes/${id}/export?format=state`);
    const body = new Uint8Array(await state.arrayBuffer());
    const query = new URLSearchParams({ name: fields.name, description: fields.description });
    const created = await create(harness, `/v1/sandboxes?${query}`, body, { "content-type": stateMediaType });
    expect(created).toMatchObject({ name: fields.name, description: fields.description, labels: {} });
  });

  test("I4: are set by a change, and an empty description removes it", async () => {
    const harness = await newService();
    const { id } = await create(harness, "/v1/sandboxes", {});
    const change = async (body: object) => (await harness.send("PATCH", `/v1/sandboxes/${id}`, { body })).json();
    expect(await change(fields)).toMatchObject(fields);
    expect(await change({ description: "" })).toMatchObject({ ...fields, description: "" });
    expect(await (await harness.send("GET", `/v1/sandboxes/${id}`)).json()).toMatchObject({ description: "" });
  });

  test.each(["two\nlines", "\u001b[31mred"])(
    "I2: the description %j is refused, because it is not one line",
    async (description) => {
      const harness = await newService();
      const response = await harness.send("POST", "/v1/sandboxes", { body: { description } });
      expect([response.status, await response.json()]).toMatchObject([400, { error: { field: "description" } }]);
    },
  );
});
