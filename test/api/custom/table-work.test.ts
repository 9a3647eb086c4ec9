// Tables of custom resources with expensive columns: rows are rendered in several turns, and the work of cells is bounded.
import { expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { newServer } from "../server.ts";

const thingsPath = "/apis/example.com/v1/namespaces/default/things";
const asTable = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };

/** Returns a cluster with a kind of these columns and objects of these lists, and the work of each turn of its requests. */
async function withColumns(jsonPaths: readonly string[], lists: readonly unknown[]) {
  const turns: number[] = [];
  let before = 0;
  const endTurn = () => {
    turns.push(server.cluster.registry.store.meter.spent - before);
    before = server.cluster.registry.store.meter.spent;
  };
  const server = newServer({
    service: () => ({
      pause: () => {
        endTurn();
        return Promise.resolve();
      },
    }),
  });
  const additionalPrinterColumns = jsonPaths.map((jsonPath, at) => ({ name: `C${at}`, type: "string", jsonPath }));
  const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema, additionalPrinterColumns }],
    },
  };
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  expect((await server.ask("POST", crds, { body: definition })).code).toBe(201);
  server.cluster.step(5_000);
  for (const [at, l] of lists.entries()) {
    const body = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: `t${at}` }, spec: { l } };
    expect((await server.ask("POST", thingsPath, { body })).code).toBe(201);
  }
  const cells = async (path = thingsPath) => {
    turns.length = 0;
    before = server.cluster.registry.store.meter.spent;
    const { code, body } = await server.ask("GET", path, asTable);
    endTurn();
    expect(code).toBe(200);
    return body.rows.map((row) => row.cells.slice(1));
  };
  return { cells, turns };
}

const entries = (length: number) => Array.from({ length }, (_one, at) => ({ a: `${at}`, b: `value ${at}` }));

test("B2: filters over long lists are evaluated in several turns, and every cell is filled", async () => {
  const paths = Array.from({ length: 20 }, (_one, at) => `.spec.l[?(@.a=="${at * 70}")].b`);
  const { cells, turns } = await withColumns(
    paths,
    Array.from({ length: 12 }, () => entries(1500)),
  );
  const row = paths.map((_path, at) => `value ${at * 70}`);
  expect(await cells()).toEqual(Array.from({ length: 12 }, () => row));
  expect(turns.length).toBeGreaterThan(1);
  expect(Math.max(...turns)).toBeLessThan(limits.requestWork);
});

test("B2: a recursive path ends with its row's bound, and other columns are filled", async () => {
  const deep = "..*..*..*..*..*..*.none";
  let tree: unknown = "leaf";
  for (let depth = 0; depth < 40; depth++) tree = { x: tree, y: depth };
  const { cells, turns } = await withColumns([".spec.l.y", deep, ".spec.l.x.y"], [tree, tree]);
  expect(await cells()).toEqual([
    ["39", null, null],
    ["39", null, null],
  ]);
  expect(Math.max(...turns)).toBeLessThan(limits.requestWork);
  expect(await cells(`${thingsPath}/t1`)).toEqual([["39", null, null]]);
});

test("B2: the rows of a request share a bound, past which their own columns are null", async () => {
  const deep = "..*..*..*..*..*..*.none";
  let tree: unknown = "leaf";
  for (let depth = 0; depth < 40; depth++) tree = { x: tree, y: depth };
  const count = Math.ceil(limits.tableWork / limits.rowWork) + 5;
  const { cells, turns } = await withColumns(
    [".spec.l.y", deep],
    Array.from({ length: count }, () => tree),
  );
  const rows = await cells();
  expect(rows[0]).toEqual(["39", null]);
  expect(rows.at(-1)).toEqual([null, null]);
  expect(turns.reduce((sum, turnWork) => sum + turnWork, 0)).toBeLessThan(limits.tableWork * 1.1);
});
