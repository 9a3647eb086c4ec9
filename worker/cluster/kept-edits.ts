// What people changed in the files of containers while they ran, and what they typed to them. Nothing else remembers it, for what runs is worked out anew.
import { bytesOfText, textOfBytes } from "../../shared/base/byte-text.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { limits } from "../../shared/base/limits.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { TypedInput } from "../api/connect/containers.ts";
import type { PersonalEdits, RecordedLog } from "../containers/cri.ts";
import { visitorName } from "../containers/run/visits.ts";
import type { Edit } from "../containers/shell/files.ts";
import { unitStateFolder } from "../containers/node/units.ts";
import { streamOf } from "../containers/shell/outside-input.ts";
import type { Sql } from "../store/sql.ts";
import { base64Of, bytesOfBase64 } from "../../shared/base/base64.ts";
import { deleteMeta, deleteMetaRows, metaCharacters, metaRows, readMeta, writeMeta } from "../store/tables.ts";
import { logPrefix, RecordedLogs } from "./runs/recorded-logs.ts";
import { type LogLine, nodeLogPrefix, NodeLogs } from "./runs/node-logs.ts";
import { podOnNode } from "../machine/node-pod.ts";
import { type ClaimMount, claimMounts, insideOf, mountOf, pathIn } from "./runs/claim-mounts.ts";

/** The maximum of all texts of one container, in characters. A row holds two megabytes, and a character can take several bytes. */
const mostBytes = 1_000_000;
/** The maximum of the lines that visitors leave in a container's log, and the size of a line beside its text. */
const mostLogBytes = 64_000;
const lineBytes = 64;
const indexKey = "edits";
const volumePrefix = "volume:";
/** The prefixes of the stored keys. */
const prefixes = ["edits:", "typed:", volumePrefix];
/** Prefix of the rows of the timeline. */
export const timelinePrefix = "timeline:";
/** Rows that others read. */
const otherPrefixes = [timelinePrefix, logPrefix];

type EditRow = readonly [key: string, value: string];

/** All that is kept, for another cluster, or for this one later. `isThere`: of pods and claims that are not there, nothing is told. */
export function editRows(
  sql: Sql,
  isThere: { pod(uid: string): boolean; claim(name: string): boolean },
): readonly EditRow[] {
  return [...prefixes, ...otherPrefixes]
    .flatMap((prefix) => metaRows(sql, prefix))
    .filter(({ key }) => {
      const of = key.slice(key.indexOf(":") + 1);
      return key.startsWith(volumePrefix) ? isThere.claim(of) : isThere.pod(of.slice(0, of.indexOf("/")));
    })
    .map(({ key, value }) => [key, value]);
}

/** Replaces everything that is kept, before a `KeptEdits` is opened. The logs of nodes end: a state has none. */
export function replaceEditRows(sql: Sql, rows: readonly EditRow[]): void {
  deleteMeta(sql, indexKey);
  for (const prefix of [...prefixes, ...otherPrefixes, nodeLogPrefix]) deleteMetaRows(sql, prefix);
  const otherRows = rows.filter(([key]) => otherPrefixes.some((prefix) => key.startsWith(prefix)));
  for (const [key, value] of otherRows) writeMeta(sql, key, value);
  const keptRows = rows.filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)));
  for (const [key, value] of keptRows) writeMeta(sql, key, value);
  if (keptRows.length > 0) writeMeta(sql, indexKey, JSON.stringify(keptRows.map(([key]) => key)));
}

export class KeptEdits implements PersonalEdits {
  readonly #sql: Sql;
  readonly logs: RecordedLogs;
  /** The logs that services of nodes write. */
  readonly #nodeLogs: NodeLogs;
  /** Containers in which something was changed; nearly always none. */
  #keys: Set<string> | undefined;
  readonly #versions = new Map<string, number>();
  #onChange: (key: string, isLog: boolean) => void = () => undefined;
  /** Whether the set of known keys has one of a node. */
  #nodeKeys: { readonly of: Set<string>; readonly exist: boolean } | undefined;
  /** The number of changes of each volume since the cluster was opened. */
  readonly #volumeVersions = new Map<string, number>();
  /** Characters of all that is kept; counted at the first write. */
  #characters: number | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.logs = new RecordedLogs(sql);
    this.#nodeLogs = new NodeLogs(sql);
    this.logs.onChange((run) => this.#onChange(logKeyOf(run), true));
  }

  /** Receives each of `keysOf` that changed, and whether only a log grew. There is one listener. */
  onChange(listener: (key: string, isLog: boolean) => void): void {
    this.#onChange = listener;
  }

  /** Returns the keys of a container's changes and of the input typed into it, whether they exist yet or not. */
  keysOf(pod: Pod, container: string): readonly string[] {
    const { uid } = pod.metadata;
    const claimed = claimMounts(pod, container).map(({ claim }) => volumeKeyOf(claim));
    const log = logKeyOf(visitorName(pod, container, 0));
    return [keyOf(uid, container), typedKeyOf(uid, container), log, ...claimed];
  }

  of(pod: Pod, container: string): readonly Edit[] {
    const ownEdits = this.#read(keyOf(pod.metadata.uid, container));
    const claimed = claimMounts(pod, container).flatMap((mount) =>
      this.#withLogs(mount.claim, this.#read(volumeKeyOf(mount.claim))).flatMap((edit) => {
        const path = pathIn(mount, edit.path);
        return path === undefined ? [] : [{ ...edit, path }];
      }),
    );
    return [...ownEdits, ...claimed];
  }

  #read(key: string): Edit[] {
    const text = this.#known().has(key) ? readMeta(this.#sql, key) : undefined;
    // `#add` wrote it.
    return text === undefined ? [] : (JSON.parse(text) as Stored[]).map(fromStored);
  }

  /** Adds lines to a file of a node that a service writes. Its controllers do not look at the node because of it. */
  appendLog(node: string, lines: readonly LogLine[]): void {
    this.#nodeLogs.append(node, lines);
    const uid = podOnNode(node).metadata.uid ?? "";
    this.#versions.set(uid, this.versionOf(uid) + 1);
    this.#onChange(nodeKeyOf(node), true);
  }

  #withLogs(claim: string, edits: readonly Edit[]): readonly Edit[] {
    return claim.startsWith("/") ? this.#nodeLogs.among(claim.slice(1), edits) : edits;
  }

  recordedLog(pod: Pod, container: string, startMs: number): RecordedLog | undefined {
    return this.logs.of(visitorName(pod, container, startMs));
  }

  typed({ metadata }: Pod, container: string): Pick<TypedInput, "typed" | "hasEnded"> | undefined {
    const key = typedKeyOf(metadata.uid, container);
    const text = this.#known().has(key) ? readMeta(this.#sql, key) : undefined;
    // `type` wrote it.
    return text === undefined ? undefined : (JSON.parse(text) as Pick<TypedInput, "typed" | "hasEnded">);
  }

  /** Takes the place of what was typed since then; whether that is another. */
  type(pod: Pod, container: string, sinceMs: number, input: Pick<TypedInput, "typed" | "hasEnded">): boolean {
    const before = this.typed(pod, container);
    const typed = [...(before?.typed.filter((chunk) => chunk.atMs < sinceMs) ?? []), ...input.typed];
    const text = JSON.stringify({ typed, hasEnded: input.hasEnded });
    if (text === JSON.stringify(before ?? { typed: [], hasEnded: false })) return false;
    if (text.length > mostBytes) throw ApiError.badRequest("too much was typed to the container");
    if (this.#write(pod, typedKeyOf(pod.metadata.uid, container), text)) return true;
    throw ApiError.badRequest("too much was typed to the containers of this sandbox");
  }

  version({ metadata: { uid = "" } }: Pod): number {
    return this.versionOf(uid);
  }

  /** Returns a number that changes with the files of a node. */
  nodeVersion(node: string): number {
    return this.#volumeVersions.get(nodeKeyOf(node)) ?? 0;
  }

  hasAnyNodeEdits(): boolean {
    const keys = this.#known();
    if (this.#nodeKeys?.of !== keys)
      this.#nodeKeys = { of: keys, exist: [...keys].some((key) => nodeOfKey(key) !== undefined) };
    return this.#nodeKeys.exist;
  }

  /** Reports whether somebody started or stopped services of a node. */
  hasServiceEdits(node: string): boolean {
    return this.#read(nodeKeyOf(node)).some(({ path }) => path.startsWith(unitStateFolder));
  }

  hasNodeEdits(node: string): boolean {
    return this.#known().has(nodeKeyOf(node));
  }

  /** Deletes the changes of a node's files. */
  forgetNode(node: string): void {
    this.#nodeLogs.forget(node);
    this.#forgetVolume(nodeKeyOf(node));
  }

  versionOf(podUid: string): number {
    return this.#versions.get(podUid) ?? 0;
  }

  /**
   * Adds what is not there yet; whether there was something. What is too much for a container is forgotten, the oldest first; what is
   * too much for the sandbox is not kept.
   */
  keep(pod: Pod, container: string, edits: readonly Edit[]): boolean {
    const storedEdits = this.of(pod, container);
    const same = new Set(storedEdits.map((edit) => JSON.stringify(edit)));
    const added = edits
      .filter((edit) => !same.has(JSON.stringify(edit)))
      .flatMap((edit) => remainder(edit, storedEdits));
    return this.add(pod, container, added);
  }

  /** The same for what is told once: all of it is added. */
  add(pod: Pod, container: string, added: readonly Edit[]): boolean {
    if (added.length === 0) return false;
    const mounts = claimMounts(pod, container);
    const byKey = new Map<string, Edit[]>();
    for (const edit of added) {
      const mount: ClaimMount | undefined = mountOf(mounts, edit.path);
      const key = mount ? volumeKeyOf(mount.claim) : keyOf(pod.metadata.uid, container);
      byKey.set(key, [...(byKey.get(key) ?? []), mount ? { ...edit, path: insideOf(mount, edit.path) } : edit]);
    }
    return [...byKey].map(([key, more]) => this.#add(pod, key, more)).includes(true);
  }

  #add(pod: Pod, key: string, added: readonly Edit[]): boolean {
    const all = withoutOldLines([...this.#read(key), ...added]);
    let bytes = all.reduce((sum, edit) => sum + sizeOf(edit), 0);
    while (bytes > mostBytes) bytes -= sizeOf(all.shift());
    return this.#write(pod, key, JSON.stringify(all.map(toStored)));
  }

  /** Nor has a volume once its claim is gone. */
  forgetClaim({ metadata: { namespace = "", name = "" } }: Pick<Pod, "metadata">): void {
    this.#forgetVolume(volumeKeyOf(`${namespace}/${name}`));
  }

  #forgetVolume(key: string): void {
    if (!this.#known().has(key)) return;
    deleteMeta(this.#sql, key);
    this.#characters = undefined;
    this.#remember((keys) => keys.delete(key));
    this.#onChange(key, false);
  }

  /** A pod that is gone has no files. */
  forget({ metadata }: Pick<Pod, "metadata">): void {
    const { uid = "" } = metadata;
    this.#versions.delete(uid);
    this.logs.forget(`${uid}/`);
    const gone = [...this.#known()].filter(
      (key) => key.startsWith(keyOf(uid, "")) || key.startsWith(typedKeyOf(uid, "")),
    );
    if (gone.length === 0) return;
    for (const key of gone) deleteMeta(this.#sql, key);
    this.#characters = undefined;
    this.#remember((keys) => gone.forEach((key) => keys.delete(key)));
    gone.forEach((key) => this.#onChange(key, false));
  }

  /** False where the sandbox keeps as much as it may. */
  #write(pod: Pod, key: string, text: string): boolean {
    const before = this.#known().has(key) ? (readMeta(this.#sql, key)?.length ?? 0) : 0;
    const more = text.length - before;
    this.#characters ??= prefixes.reduce((sum, prefix) => sum + metaCharacters(this.#sql, prefix), 0);
    if (more > 0 && this.#characters + more > limits.keptEditsCharacters) return false;
    this.#characters += more;
    writeMeta(this.#sql, key, text);
    if (!this.#known().has(key)) this.#remember((keys) => keys.add(key));
    this.#versions.set(pod.metadata.uid ?? "", this.version(pod) + 1);
    if (key.startsWith(volumePrefix)) this.#volumeVersions.set(key, (this.#volumeVersions.get(key) ?? 0) + 1);
    this.#onChange(key, false);
    return true;
  }

  #known(): Set<string> {
    // `#remember` wrote it.
    this.#keys ??= new Set(JSON.parse(readMeta(this.#sql, indexKey) ?? "[]") as string[]);
    return this.#keys;
  }

  #remember(change: (keys: Set<string>) => void): void {
    const keys = new Set(this.#known());
    change(keys);
    writeMeta(this.#sql, indexKey, JSON.stringify([...keys]));
    this.#keys = keys;
  }
}

/** Every visit may leave a line in a log: of these the newest are kept, so that noting one more costs no more than that. */
function withoutOldLines(all: Edit[]): Edit[] {
  let bytes = all.reduce((sum, edit) => (streamOf(edit.path) ? sum + (edit.text?.length ?? 0) + lineBytes : sum), 0);
  if (bytes <= mostLogBytes) return all;
  return all.filter((edit) => {
    if (!streamOf(edit.path) || bytes <= mostLogBytes) return true;
    bytes -= (edit.text?.length ?? 0) + lineBytes;
    return false;
  });
}

/** Returns the part of an addition to a file that is not stored yet. A session repeats its edits from its start. */
function remainder(edit: Edit, storedEdits: readonly Edit[]): Edit[] {
  if (!edit.appends) return [edit];
  let { text = "" } = edit;
  for (const stored of storedEdits) {
    const isPart = stored.appends && stored.path === edit.path && stored.atMs === edit.atMs;
    if (isPart && stored.text !== undefined && text.startsWith(stored.text)) text = text.slice(stored.text.length);
  }
  return text === "" ? [] : [{ ...edit, text }];
}

function sizeOf(edit: Edit | undefined): number {
  return edit ? new TextEncoder().encode(JSON.stringify(toStored(edit))).length : 0;
}

/** An edit as it is stored: bytes that are no text take less space in base64. */
type Stored = Edit & { readonly base64?: string };

function toStored(edit: Edit): Stored {
  const { text, ...rest } = edit;
  if (text === undefined || text.isWellFormed()) return edit;
  return { ...rest, text: "", base64: base64Of(bytesOfText(text)) };
}

function fromStored({ base64, ...edit }: Stored): Edit {
  return base64 === undefined ? edit : { ...edit, text: textOfBytes(bytesOfBase64(base64)) };
}

/** Returns the key of the logs of a container: a run is named by its container and its start. */
function logKeyOf(run: string): string {
  return logPrefix + run.slice(0, run.lastIndexOf("/"));
}

function typedKeyOf(uid: string | undefined, container: string): string {
  return `typed:${uid ?? ""}/${container}`;
}

/** Returns the key of a volume. Its contents outlive the pods that use it. */
function volumeKeyOf(claim: string): string {
  return volumePrefix + claim;
}

function nodeKeyOf(node: string): string {
  return volumeKeyOf(`/${node}`);
}

/** Returns the node whose files a changed key names; undefined for other keys. */
export function nodeOfKey(key: string): string | undefined {
  const prefix = nodeKeyOf("");
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

function keyOf(uid: string | undefined, container: string): string {
  return `edits:${uid ?? ""}/${container}`;
}
