// The base of a fresh cluster of three nodes: a version's template, filled with what is the cluster's own.
import { must } from "../../../shared/base/assert.ts";
import { rfc3339, rfc3339Micro } from "../../../shared/k8s/time.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import type { Base, BaseEntry } from "../../store/base.ts";
import { type Hole, Template } from "./template.ts";
import { uidOf } from "./uid.ts";
import { version1 } from "./versions/1.ts";

/** What a sandbox keeps of its base. */
export interface BaseParameters {
  readonly version: number;
  /** A UUID, of which the objects' follow. */
  readonly seed: string;
  readonly madeMs: number;
  /** PEM texts. */
  readonly certificates: StateCertificates;
}

/**
 * A sandbox's base is of the version with which it was made, as long as it lives: a version that sandboxes were made with never changes,
 * and goes when none of them can be left.
 */
const versions: Readonly<Record<number, readonly string[]>> = { 1: version1 };
/** With this one new sandboxes are made. */
export const newestVersion = 1;
/** As many nodes are in it, `node-1` and so on. */
export const nodesOfBase = 3;

/** One per version and process. */
const templates = new Map<number, Template>();

export function freshBase(parameters: BaseParameters): Base {
  const template = templateOf(parameters.version);
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
        .map((one) => ({ ...one, owners: template.owners(one.revision, values) }))
        .filter(({ owners, indexValue }) => owners.length > 0 || indexValue !== ""),
    // It is small, and mostly shared: all of it is at hand.
    atHand: object,
    object,
    text: (revision) => template.text(revision, values),
  };
}

function templateOf(version: number): Template {
  const known = templates.get(version);
  if (known) return known;
  const template = new Template(must(versions[version], `version ${version} of the base`));
  templates.set(version, template);
  return template;
}

function valueOf(hole: Exclude<Hole, { what: "uid" }>, { madeMs, certificates }: BaseParameters): string {
  if (hole.what === "certificate")
    return must(new Map<string, string>(Object.entries(certificates)).get(hole.name), hole.name);
  if (hole.what === "microTime") return rfc3339Micro(madeMs);
  const time = rfc3339(madeMs);
  return hole.what === "time" ? time : time.slice(0, "2026-01-01".length);
}
