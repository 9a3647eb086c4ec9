// The actions on several selected objects, as kubectl lines. Independent of the page.
import { type Mapping, groupResource } from "../../kubectl/cluster/discovery.ts";
import { argumentOf } from "../../live/reference.ts";
import type { Row } from "./rows.ts";

export interface BulkAction {
  readonly id: "restart" | "scale" | "label" | "cordon" | "uncordon" | "delete";
  /** The field to fill in first. */
  readonly asks?: "replicas" | "label";
  readonly isDangerous: boolean;
}

const rolled = new Set(["deployments.apps", "statefulsets.apps", "daemonsets.apps"]);
const scaled = new Set(["deployments.apps", "statefulsets.apps", "replicasets.apps", "replicationcontrollers"]);
/** The objects of one line, so that it can be read and run elsewhere. */
const objectsOfLine = 100;

export function bulkActions(mapping: Mapping): readonly BulkAction[] {
  const resource = groupResource(mapping);
  const all: BulkAction[] = [];
  if (rolled.has(resource)) all.push({ id: "restart", isDangerous: false });
  if (scaled.has(resource)) all.push({ id: "scale", asks: "replicas", isDangerous: false });
  if (resource === "nodes") all.push({ id: "cordon", isDangerous: false }, { id: "uncordon", isDangerous: false });
  if (mapping.verbs.includes("patch")) all.push({ id: "label", asks: "label", isDangerous: false });
  if (mapping.verbs.includes("delete")) all.push({ id: "delete", isDangerous: true });
  return all;
}

/** Returns the lines, each as words: one for each namespace, or for each hundred of its objects. */
export function bulkLines(
  { id }: BulkAction,
  mapping: Mapping,
  rows: readonly Row[],
  answer: string,
): readonly (readonly string[])[] {
  const byNamespace = Map.groupBy(rows, ({ namespace }) => namespace);
  return [...byNamespace].flatMap(([namespace, some]) => {
    const within = namespace ? ["-n", namespace] : [];
    return chunks(some).map((chunk) => {
      const objects = chunk.map(({ name }) => argumentOf(mapping, name));
      switch (id) {
        case "restart":
          return ["rollout", "restart", ...objects, ...within];
        case "scale":
          return ["scale", ...objects, `--replicas=${answer}`, ...within];
        case "label":
          return ["label", ...objects, ...answer.split(/\s+/).filter(Boolean), "--overwrite", ...within];
        case "cordon":
        case "uncordon":
          return [id, ...chunk.map(({ name }) => name)];
        default:
          return ["delete", ...objects, "--wait=false", ...within];
      }
    });
  });
}

function chunks(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / objectsOfLine);
  return Array.from({ length: count }, (_, at) => rows.slice(at * objectsOfLine, (at + 1) * objectsOfLine));
}

/** Returns the selection after a click or key: with `toRow`, all rows from the last one. */
export function selected(
  before: ReadonlySet<string>,
  rows: readonly Row[],
  { at, from }: { readonly at: number; readonly from: number | undefined },
): ReadonlySet<string> {
  const next = new Set(before);
  const uid = rows[at]?.uid ?? "";
  if (from === undefined) {
    if (!next.delete(uid)) next.add(uid);
    return next;
  }
  for (const row of rows.slice(Math.min(at, from), Math.max(at, from) + 1)) next.add(row.uid);
  return next;
}
