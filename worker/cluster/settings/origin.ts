// Of what the cluster was made: what is needed to make it again. Nothing is written of a cluster that began with nothing.
import type { ClusterOrigin } from "../../../shared/contract/cluster/life.ts";
import type { InitializeOptions } from "../../../shared/contract/cluster-object.ts";
import type { KubernetesVersion } from "../../../shared/k8s/settings/release.ts";
import type { Sql } from "../../store/sql.ts";
import { metaRows, readMeta, writeMeta } from "../../store/tables.ts";
import { readSettings } from "./settings.ts";

const prefix = "origin:";
/** Characters of one row: four bytes each are below the platform's 2 MB. */
const pieceCharacters = 450_000;

export function keepOrigin(sql: Sql, { manifests, import: imported, machines }: InitializeOptions): void {
  if (manifests === "" && imported === undefined && machines === undefined) return;
  const contents = { ...(imported === undefined ? {} : { import: imported }), ...(machines ? { machines } : {}) };
  const text = JSON.stringify({ manifests, ...contents });
  for (let at = 0; at * pieceCharacters < text.length; at++) {
    const piece = text.slice(at * pieceCharacters, (at + 1) * pieceCharacters);
    // Rows are read in the order of their keys.
    writeMeta(sql, `${prefix}${String(at).padStart(4, "0")}`, piece);
  }
}

const nodesKey = "origin-nodes";

/** Keeps the number of nodes with which the cluster began, before it is changed for the first time. */
export function keepOriginNodes(sql: Sql, nodes: number): void {
  if (readMeta(sql, nodesKey) === undefined) writeMeta(sql, nodesKey, String(nodes));
}

const versionKey = "origin-version";

/** Stores the version with which the cluster began, before it is upgraded for the first time. */
export function keepOriginVersion(sql: Sql): void {
  if (readMeta(sql, versionKey) === undefined) writeMeta(sql, versionKey, readSettings(sql).version);
}

export function readOrigin(sql: Sql): ClusterOrigin {
  const text = metaRows(sql, prefix)
    .map(({ value }) => value)
    .join("");
  // As `keepOrigin` wrote it.
  const contents =
    text === "" ? { manifests: "" } : (JSON.parse(text) as Pick<ClusterOrigin, "manifests" | "import" | "machines">);
  const nodes = readMeta(sql, nodesKey);
  const settings = readSettings(sql);
  // `keepOriginVersion` wrote it.
  const version = (readMeta(sql, versionKey) ?? settings.version) as KubernetesVersion;
  return { ...contents, settings: { ...settings, version }, ...(nodes === undefined ? {} : { nodes: Number(nodes) }) };
}
