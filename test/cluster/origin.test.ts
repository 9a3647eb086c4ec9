// The stored origin of a cluster: its settings, manifests and state.
import { expect, test } from "vitest";
import type { SandboxSettings } from "../../shared/contract/sandbox-settings.ts";
import { keepOrigin, readOrigin } from "../../worker/cluster/settings/origin.ts";
import { writeSettings } from "../../worker/cluster/settings/settings.ts";
import { createTables, metaRows } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

const settings: SandboxSettings = {
  admissionPlugins: [],
  anonymousAccess: false,
  oidcIssuers: [],
  jwtAuthenticators: [],
  controllerDelayMs: 10,
  images: "any",
  version: "1.36",
  expiresAtMs: 5,
};

test.each([
  ["nothing", { manifests: "" }, 0],
  ["manifests", { manifests: "kind: List" }, 1],
  ["something of another cluster's", { manifests: "", import: "kind: List" }, 1],
  ["manifests of more than a row holds", { manifests: `# ${"é\n".repeat(1_000_000)}` }, 7],
])("I6: the origin with %s is read as it was written", (_, origin, rows) => {
  const sql = nodeSql();
  createTables(sql);
  writeSettings(sql, settings);
  keepOrigin(sql, { ...origin, settings, nodes: 3, adminTokenHash: "" });
  expect(readOrigin(sql)).toEqual({ ...origin, settings });
  expect(metaRows(sql, "origin:")).toHaveLength(rows);
});
