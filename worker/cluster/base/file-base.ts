// The base of a cluster that began with a state from a file, or was set to one. Its objects are read on demand from the cluster's copy of
// the file. Objects that are equal in all clusters of one file are held once in a process.
import { must } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import { Holes } from "../../../shared/state/holes.ts";
import { type ReadBytes, readBlock, readIndex, type StateLayout, textIn } from "../../../shared/state/read-state.ts";
import { type StateIndex, type StateRow } from "../../../shared/state/state-index.ts";
import type { Base, BaseEntry } from "../../store/base.ts";
import { ObjectCache } from "../../store/cache.ts";
import { freezeAlways } from "../../store/freeze.ts";
import { Newest } from "./newest.ts";

/** The parameters that a cluster stores about its base, in addition to the file. */
export interface FileParameters {
  readonly file: StateLayout;
  /** The revision at which the log begins, at least that of the file. */
  readonly revision: number;
  /** Its own, which stand in place of those of the file's cluster. */
  readonly certificates: StateCertificates;
}

interface Shared {
  readonly index: StateIndex;
  readonly byRevision: ReadonlyMap<number, StateRow>;
  readonly byResource: ReadonlyMap<string, readonly StateRow[]>;
  /** Some have owners or an index value. */
  readonly indexed: readonly StateRow[];
}

/** By the digest of the file: indexes, texts of blocks, and objects in which no cluster's own certificates stand. */
const indexes = new Newest<Shared>(limits.baseIndexObjects);
const blocks = new Newest<string>(limits.baseBlockCharacters);
const objects = new ObjectCache(limits.objectCacheBytes);

/** `read` reads the cluster's copy, which was checked when it was made. */
export function fileBase({ file, revision, certificates }: FileParameters, read: ReadBytes): Base {
  const { digest } = file.lead;
  const holes = new Holes(certificates);
  const shared = indexes.get(
    digest,
    () => sharedOf(readIndex(file, read)),
    ({ index }) => index.rows.length,
  );
  const ownObjects = new ObjectCache(limits.baseOwnBytes);
  const rowOf = (revision: number) => must(shared.byRevision.get(revision), "an object of the base");
  const cacheOf = ({ holes }: StateRow) => (holes === "" ? objects : ownObjects);
  const keyOf = (revision: number) => `${digest}/${revision}`;
  const textOf = (row: StateRow): string => {
    const cachedText = cacheOf(row).textOf(keyOf(row.revision));
    if (cachedText !== undefined) return cachedText;
    const load = () => readBlock(shared.index, row.block, read);
    const block = blocks.get(keyOf(row.block), load, (text) => text.length);
    return holes.fill(textIn(block, row));
  };
  const withBytes = (row: StateRow): StateRow =>
    row.holes === "" ? row : { ...row, characters: row.characters + holes.growth(row.holes) };
  const lists = new Map<string, readonly StateRow[]>();
  const listOf = (resource: string): readonly BaseEntry[] => {
    const cachedList = lists.get(resource);
    if (cachedList) return cachedList;
    const rows = shared.byResource.get(resource) ?? [];
    const list = rows.some((row) => row.holes !== "") ? rows.map(withBytes) : rows;
    lists.set(resource, list);
    return list;
  };
  return {
    revision,
    find: (key) => {
      // Neither has a slash but these.
      const [resource = "", namespace = "", name = ""] = key.split("/");
      const row = shared.index.find({ resource, namespace, name });
      return row && withBytes(row);
    },
    list: listOf,
    entries: () => shared.index.rows.map(withBytes),
    indexed: () => shared.indexed,
    atHand: (revision) => cacheOf(rowOf(revision)).get(keyOf(revision)),
    object: (revision) => {
      const row = rowOf(revision);
      const cachedObject = cacheOf(row).get(keyOf(revision));
      if (cachedObject) return cachedObject;
      const text = textOf(row);
      // A cluster wrote it.
      const object = freezeAlways(JSON.parse(text) as KubeObject);
      cacheOf(row).set(keyOf(revision), object, text);
      return object;
    },
    text: (revision) => textOf(rowOf(revision)),
  };
}

function sharedOf(index: StateIndex): Shared {
  const byRevision = new Map<number, StateRow>();
  const byResource = new Map<string, StateRow[]>();
  for (const row of index.rows) {
    byRevision.set(row.revision, row);
    const list = byResource.get(row.resource);
    if (list) list.push(row);
    else byResource.set(row.resource, [row]);
  }
  const indexed = index.rows.filter(({ owners, indexValue }) => owners.length > 0 || indexValue !== "");
  return { index, byRevision, byResource, indexed };
}
