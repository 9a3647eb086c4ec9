// Tables and partial objects, as `kubectl get` reads them.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import {
  checkTransform,
  parseIncludeObject,
  partialObjectMetadata,
  partialObjectMetadataList,
  tableOf,
} from "../../worker/api/present/table.ts";
import { defineKind } from "../../worker/kinds/kind.ts";
import { plainConfigMaps } from "./kinds.ts";
import { apps, deployment, newServer } from "./server.ts";

const meter = new WorkMeter();
const object: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "b", creationTimestamp: "2026-01-01T00:00:00Z", resourceVersion: "7" },
};
const configMaps = defineKind<KubeObject>("", "v1", "configmaps", {
  columns: [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "d",
      cell: (configMap) => configMap.metadata.name ?? "",
    },
    { name: "Age", type: "string", description: "e", cell: (_, nowMs) => `${nowMs}ms` },
    { name: "Wide", type: "integer", description: "f", priority: 1, cell: () => 3 },
  ],
});

describe("a Table", () => {
  test("has the kind's columns in order, and rows with metadata", () => {
    expect(
      tableOf(configMaps, [object], { meter, nowMs: 5, metadata: { resourceVersion: "9", continue: "" } }),
    ).toEqual({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9" },
      columnDefinitions: [
        { name: "Name", type: "string", format: "name", description: "d", priority: 0 },
        { name: "Age", type: "string", format: "", description: "e", priority: 0 },
        { name: "Wide", type: "integer", format: "", description: "f", priority: 1 },
      ],
      rows: [
        {
          cells: ["a", "5ms", 3],
          object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata },
        },
      ],
    });
  });

  test("has Name and Created At for a kind without columns", () => {
    const table = tableOf(plainConfigMaps, [object], { meter, nowMs: 0 });
    expect(table.columnDefinitions?.map((column) => [column.name, column.type, column.format])).toEqual([
      ["Name", "string", "name"],
      ["Created At", "date", ""],
    ]);
    expect(table.rows[0]?.cells).toEqual(["a", "2026-01-01T00:00:00Z"]);
  });

  test("has desired and available replicas for a Scale", async () => {
    const { ask } = newServer({ controllers: [] });
    await ask("POST", `${apps}/deployments`, { body: deployment("web", 2) });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body } = await ask("GET", `${apps}/deployments/web/scale`, { headers: { accept } });
    expect(body.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Desired", "Available", "Age"]);
    expect(body.rows.map(({ cells }) => cells.slice(0, 3))).toEqual([["web", 2, 0]]);
  });

  test("may have a cell without a column: the age of an IPAddress", async () => {
    const { ask } = newServer({ nodes: 0 });
    const accept = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const { body } = await ask("GET", "/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1", { headers: accept });
    expect(body.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "ParentRef"]);
    expect(body.rows[0]?.cells).toEqual(["10.96.0.1", "services/default/kubernetes", expect.any(String)]);
  });

  test("contains the object, its metadata or nothing", () => {
    const row = (includeObject: "None" | "Object") =>
      tableOf(configMaps, [object], { meter, nowMs: 0, includeObject }).rows[0]?.object;
    expect(row("Object")).toBe(object);
    expect(row("None")).toBeNull();
  });

  test("omits its columns after a watch's first event, and an empty list has an empty array of rows", () => {
    expect(tableOf(configMaps, [object], { meter, nowMs: 0, headers: false }).columnDefinitions).toBeNull();
    expect(tableOf(configMaps, [], { meter, nowMs: 0 }).rows).toEqual([]);
  });

  test("has partial objects of v1beta1 in v1beta1", () => {
    const table = tableOf(configMaps, [object], { meter, nowMs: 0, version: "v1beta1" });
    expect(table.apiVersion).toBe("meta.k8s.io/v1beta1");
    expect(table.rows[0]?.object).toMatchObject({ apiVersion: "meta.k8s.io/v1beta1" });
  });

  test("with an unknown includeObject is 400 in upstream's words", () => {
    expect(parseIncludeObject(null)).toBe("Metadata");
    expect(() => parseIncludeObject("All")).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});

describe("PartialObjectMetadata", () => {
  test("has nothing but metadata", () => {
    expect(partialObjectMetadata({ ...object, data: { x: "y" } } as KubeObject)).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: object.metadata,
    });
    const list = partialObjectMetadataList([object], { resourceVersion: "9", continue: "c", remainingItemCount: 0 });
    expect(list.metadata).toEqual({ resourceVersion: "9", continue: "c", remainingItemCount: 0 });
    expect(list.items).toHaveLength(1);
  });

  test("is 406 unless the single or list form fits", () => {
    expect(() => checkTransform("PartialObjectMetadata", false, "*v1.Pod")).not.toThrow();
    expect(() => checkTransform("PartialObjectMetadata", true, "*v1.PodList")).toThrow(
      "you requested PartialObjectMetadata, but the requested object is a list (*v1.PodList)",
    );
    expect(() => checkTransform("PartialObjectMetadataList", false, "*v1.Pod")).toThrow("is not a list (*v1.Pod)");
  });
});
