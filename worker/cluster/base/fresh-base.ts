// The base of a fresh cluster of three nodes: a version's template, filled with what is the cluster's own.
import { must } from "../../../shared/base/assert.ts";
import { rfc3339, rfc3339Micro } from "../../../shared/k8s/time.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import type { Base, BaseEntry } from "../../store/base.ts";
import type { BaseVersion } from "./base-version.ts";
import { type Hole, Template } from "./template.ts";
import { uidOf } from "./uid.ts";
import { version1 } from "./versions/1.ts";
import { version2 } from "./versions/2.ts";
import { version3 } from "./versions/3.ts";

/** The parameters that a sandbox stores about its base. */
export interface BaseParameters {
  readonly version: number;
  /** True if kube-system has only the pods of CoreDNS. */
  readonly isBare?: boolean;
  /** True if kube-system has no pods. */
  readonly isEmpty?: boolean;
  /** A UUID, of which the objects' follow. */
  readonly seed: string;
  readonly madeMs: number;
  /** PEM texts. */
  readonly certificates: StateCertificates;
}

/**
 * The versions of the base. A sandbox keeps the version with which it was created. So a version never changes, and is removed only when no
 * sandbox can have it.
 */
const versions: Readonly<Record<number, BaseVersion>> = {
  1: { lines: version1, bare: version1.length },
  2: version2,
  3: version3,
};
/** With this one new sandboxes are made. */
export const newestVersion = 3;
/** As many nodes are in it, `node-1` and so on. */
export const nodesOfBase = 3;

/** The templates by version and number of lines, shared by the process. */
const templates = new Map<string, Template>();

export function freshBase(parameters: BaseParameters): Base {
  const template = templateOf(parameters);
  const uids: string[] = [];
  const objects: KubeObject[] = [];
  const lists = new Map<string, readonly BaseEntry[]>();
  const values = (hole: Hole): string => {
    if (hole.what === "uid") return (uids[hole.revision] ??= uidOf(parameters.seed, hole.revision));
    return valueOf(hole, parameters);
  };
  const entries = Array.from({ length: template.revision }, (_, at) => template.entry(at + 1, values));
  const object = (revision: number) => (objects[revision] ??= template.object(revision, values));
  const entry = (revision: number) => must(entries[revision - 1], "an entry of the base");
  return {
    revision: template.revision,
    find: (key) => {
      const revision = template.find(key);
      return revision === undefined ? undefined : entry(revision);
    },
    list: (resource) => {
      const list = lists.get(resource) ?? template.list(resource).map(entry);
      lists.set(resource, list);
      return list;
    },
    entries: () => entries,
    indexed: () =>
      entries
        .map((entry) => ({ ...entry, owners: template.owners(entry.revision, values) }))
        .filter(({ owners, indexValue }) => owners.length > 0 || indexValue !== ""),
    // It is small, and mostly shared: all of it is at hand.
    atHand: object,
    object,
    text: (revision) => template.text(revision, values),
  };
}

function templateOf({ version, isBare = false, isEmpty = false }: BaseParameters): Template {
  const { lines, bare, empty = 0 } = must(versions[version], `version ${version} of the base`);
  const length = isEmpty ? empty : isBare ? bare : lines.length;
  const key = `${version}/${length}`;
  const cachedTemplate = templates.get(key);
  if (cachedTemplate) return cachedTemplate;
  const template = new Template(lines.slice(0, length));
  templates.set(key, template);
  return template;
}

function valueOf(hole: Exclude<Hole, { what: "uid" }>, { madeMs, certificates }: BaseParameters): string {
  if (hole.what === "certificate")
    return must(new Map<string, string>(Object.entries(certificates)).get(hole.name), hole.name);
  if (hole.what === "date") return rfc3339(madeMs).slice(0, "2026-01-01".length);
  const atMs = madeMs + hole.seconds * 1000;
  return hole.what === "microTime" ? rfc3339Micro(atMs) : rfc3339(atMs);
}
