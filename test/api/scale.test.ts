// `/scale`: the written Scale is an object with its own metadata.
import { expect, test } from "vitest";
import { apps, deployment, newServer } from "./server.ts";

test("an updated Scale names the workload, and its metadata are checked", async () => {
  const { ask } = newServer({ nodes: 0, controllers: [] });
  expect((await ask("POST", `${apps}/deployments`, { body: deployment("web") })).code).toBe(201);
  const put = async (metadata: object) => {
    const { code, body } = await ask("PUT", `${apps}/deployments/web/scale`, { body: { metadata, spec: {} } });
    return [code, body.message ?? body.kind];
  };
  expect(await put({})).toEqual([
    400,
    "the name of the object (web based on URL) was undeterminable: name must be provided",
  ]);
  expect(await put({ name: "web", finalizers: ["x"] })).toEqual([
    422,
    'Scale.autoscaling "web" is invalid: metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ]);
  expect(await put({ name: "web", managedFields: [{ operation: "?" }] })).toEqual([200, "Scale"]);
});
