// Captures a real cluster: lists what may be read, then watches it, and writes each change as a line of a recording.
import type { IncomingMessage } from "node:http";
import type { RecordedRequest, RecordingCut, RecordingHeader } from "../../shared/contract/cluster/recording.ts";
import { isFields, textOf } from "./recording.ts";
import type { Cluster } from "./proxy.ts";

export interface CaptureOptions {
  readonly cluster: Cluster;
  /** The name of the server, for people. */
  readonly source: string;
  /** The namespace that is captured, beside objects without one. Undefined: all. */
  readonly namespace: string | undefined;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
  write(text: string): void;
  say(text: string): void;
}

export interface Captured {
  readonly objects: number;
  readonly changes: number;
  readonly isCut: boolean;
}

type Fields = Record<string, unknown>;

interface Resource {
  readonly path: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly isSecret: boolean;
  readonly apiVersion: string;
  readonly kind: string;
}

const pageObjects = 500;
const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
/** Groups and resources that a sandbox has of its own, or that repeat others. */
const leftGroups = new Set([
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "apiregistration.k8s.io",
  "metrics.k8s.io",
]);
const leftResources = new Set(["ipaddresses", "servicecidrs", "componentstatuses"]);
const leftNamespaces = new Set(["kube-node-lease"]);
/** Fields of the metadata that are not written. */
const unrecorded = ["managedFields", "selfLink"];
const retryMs = 1_000;

export async function capture(options: CaptureOptions): Promise<Captured> {
  const { signal } = options;
  const over = new AbortController();
  signal.addEventListener("abort", () => over.abort());
  const lines = new Lines(options, () => over.abort());
  const header: RecordingHeader = {
    recording: 1,
    of: "cluster",
    from: new Date().toISOString(),
    source: options.source,
  };
  lines.add(header);
  const resources = await resourcesOf(options);
  const followed = [];
  for (const resource of resources) {
    const state = new Followed(options, resource, lines, over.signal);
    if (await state.list("exists")) followed.push(state);
  }
  options.say(`${lines.objects} objects of ${followed.length} kinds; now their changes, until it is interrupted`);
  await Promise.all(followed.map((state) => state.watch()));
  return { objects: lines.objects, changes: lines.changes, isCut: lines.isCut };
}

/** The lines of the recording, up to the bound. */
class Lines {
  readonly #options: Pick<CaptureOptions, "write">;
  readonly #full: () => void;
  #left: number;
  objects = 0;
  changes = 0;
  isCut = false;

  constructor(options: Pick<CaptureOptions, "write" | "mostBytes">, full: () => void) {
    this.#options = options;
    this.#full = full;
    this.#left = options.mostBytes;
  }

  add(line: RecordingHeader | RecordedRequest | RecordingCut): void {
    if (this.isCut) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#left -= Buffer.byteLength(text);
    if (this.#left < 0) {
      this.isCut = true;
      this.#options.write(`${JSON.stringify({ truncated: true } satisfies RecordingCut)}\n`);
      return this.#full();
    }
    this.#options.write(text);
    if ("verb" in line) this[line.verb === "exists" ? "objects" : "changes"] += 1;
  }
}

/** A resource of the cluster, with the versions of its objects that were written. */
class Followed {
  readonly #options: CaptureOptions;
  readonly #resource: Resource;
  readonly #lines: Lines;
  readonly #signal: AbortSignal;
  /** By path: the version, and whether the deletion has begun. */
  readonly #versions = new Map<string, { readonly version: string; readonly isEnding: boolean }>();
  #version = "";

  constructor(options: CaptureOptions, resource: Resource, lines: Lines, signal: AbortSignal) {
    this.#options = options;
    this.#resource = resource;
    this.#lines = lines;
    this.#signal = signal;
  }

  /** Reads all objects. `verb` is how new ones are written. Returns false if the resource may not be read. */
  async list(verb: "exists" | "create"): Promise<boolean> {
    const paths = new Set<string>();
    for (let next = ""; ; ) {
      const { status, value } = await this.#ask(
        `limit=${pageObjects}${next && `&continue=${encodeURIComponent(next)}`}`,
      );
      if (status !== 200) {
        if (verb === "exists") this.#options.say(`${this.#resource.path} is left out: ${status} ${messageOf(value)}`);
        return false;
      }
      for (const item of Array.isArray(value["items"]) ? value["items"] : [])
        if (isFields(item)) paths.add(this.#saw(verb, { ...item }) ?? "");
      const metadata = metadataOf(value);
      next = textOf(metadata["continue"]);
      this.#version = textOf(metadata["resourceVersion"]);
      if (next === "") break;
    }
    for (const path of this.#versions.keys()) if (!paths.has(path)) this.#gone(path);
    return true;
  }

  /** Writes changes until the capture is over. */
  async watch(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        if (!(await this.#watchOnce())) await this.list("create");
      } catch {
        // The connection broke off, or the capture is over.
      }
      if (!this.#signal.aborted) await new Promise((done) => setTimeout(done, retryMs));
    }
  }

  /** Returns false if the cluster no longer has the changes since the last version. */
  async #watchOnce(): Promise<boolean> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${encodeURIComponent(this.#version)}`;
    const { isSecret } = this.#resource;
    const accept = isSecret ? metadataOnly : "application/json";
    const answer = await this.#options.cluster.get(this.#path(query), { accept, signal: this.#signal });
    if (answer.statusCode !== 200) {
      answer.resume();
      return answer.statusCode !== 410;
    }
    for await (const line of linesOf(answer)) {
      const event: unknown = JSON.parse(line);
      if (!isFields(event) || !isFields(event["object"])) continue;
      const { type, object } = event;
      if (type === "ERROR") return false;
      const version = metadataOf({ ...object })["resourceVersion"];
      if (typeof version === "string") this.#version = version;
      if (type === "ADDED" || type === "MODIFIED") this.#saw("create", { ...object });
      if (type === "DELETED") this.#gone(this.#pathOf(metadataOf({ ...object })));
    }
    return true;
  }

  /** Writes an object if it is new or has changed. Returns its path. */
  #saw(verb: "exists" | "create", object: Fields): string | undefined {
    const metadata = metadataOf(object);
    const { namespace = "", resourceVersion = "", deletionTimestamp, deletionGracePeriodSeconds } = metadata;
    if (leftNamespaces.has(String(namespace))) return undefined;
    if (this.#options.namespace !== undefined && this.#resource.isNamespaced && namespace !== this.#options.namespace)
      return;
    const path = this.#pathOf(metadata);
    const previous = this.#versions.get(path);
    const isEnding = deletionTimestamp !== undefined;
    if (previous?.version === resourceVersion) return path;
    this.#versions.set(path, { version: String(resourceVersion), isEnding });
    const { apiVersion, kind } = this.#resource;
    const body = { ...cleaned(object, this.#resource.isSecret), apiVersion, kind };
    const at = new Date().toISOString();
    const isEnd = isEnding && previous && !previous.isEnding;
    // A pod that is being deleted can no longer be bound to its node.
    if (isEnd && kind === "Pod") this.#lines.add({ at, verb: "update", path, body: withoutDeletion(body) });
    if (isEnd) this.#lines.add({ at, verb: "delete", path, body: { gracePeriodSeconds: deletionGracePeriodSeconds } });
    if (previous) this.#lines.add({ at, verb: "update", path, body });
    else {
      const collection = path.slice(0, path.lastIndexOf("/"));
      this.#lines.add({ at, verb, path: collection, uid: textOf(metadata["uid"]), body });
    }
    return path;
  }

  #gone(path: string): void {
    if (!this.#versions.delete(path)) return;
    this.#lines.add({ at: new Date().toISOString(), verb: "delete", path, body: { gracePeriodSeconds: 0 } });
  }

  async #ask(query: string): Promise<{ readonly status: number; readonly value: Fields }> {
    const accept = this.#resource.isSecret ? metadataList : "application/json";
    const answer = await this.#options.cluster.get(this.#path(query), { accept, signal: this.#signal });
    return { status: answer.statusCode ?? 0, value: await jsonOf(answer) };
  }

  #path(query: string): string {
    const { path, plural, isNamespaced } = this.#resource;
    const { namespace } = this.#options;
    const inNamespace = isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    return `${path}${inNamespace}/${plural}?${query}`;
  }

  #pathOf({ namespace, name }: Fields): string {
    const { path, plural, isNamespaced } = this.#resource;
    const inNamespace = isNamespaced ? `/namespaces/${encodeURIComponent(String(namespace))}` : "";
    return `${path}${inNamespace}/${plural}/${encodeURIComponent(String(name))}`;
  }
}

/** Returns the resources that can be listed and watched, each in the version that the cluster prefers. */
async function resourcesOf({ cluster, say }: CaptureOptions): Promise<readonly Resource[]> {
  const groups = await jsonOf(await cluster.get("/apis"));
  if (!Array.isArray(groups["groups"])) throw new Error(`the cluster's API cannot be read: ${messageOf(groups)}`);
  const versions = groups["groups"].flatMap((group) => {
    const preferred = isFields(group) && isFields(group["preferredVersion"]) ? group["preferredVersion"] : {};
    return isFields(group) && !leftGroups.has(String(group["name"])) ? [String(preferred["groupVersion"])] : [];
  });
  const resources: Resource[] = [];
  for (const apiVersion of ["v1", ...versions]) {
    const path = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    const list = await jsonOf(await cluster.get(path));
    if (!Array.isArray(list["resources"])) {
      say(`${path} is left out: ${messageOf(list)}`);
      continue;
    }
    for (const resource of list["resources"])
      if (isFields(resource)) resources.push(...readable(path, apiVersion, resource));
  }
  return resources;
}

function readable(path: string, apiVersion: string, { name, namespaced, verbs, kind }: Readonly<Fields>): Resource[] {
  const plural = String(name);
  const can = (verb: string) => Array.isArray(verbs) && verbs.includes(verb);
  if (plural.includes("/") || leftResources.has(plural) || !can("list") || !can("watch")) return [];
  const isSecret = apiVersion === "v1" && plural === "secrets";
  return [{ path, plural, isNamespaced: namespaced === true, isSecret, apiVersion, kind: String(kind) }];
}

/** Returns what is written of an object. Of a Secret only metadata was read, and kubectl's copy of the values in it is dropped. */
function cleaned(object: Fields, isSecret: boolean): Fields {
  const metadata = metadataOf(object);
  for (const field of unrecorded) delete metadata[field];
  if (!isSecret) return { ...object, metadata };
  const annotations = isFields(metadata["annotations"]) ? { ...metadata["annotations"] } : {};
  delete annotations["kubectl.kubernetes.io/last-applied-configuration"];
  return { metadata: { ...metadata, annotations } };
}

function withoutDeletion(object: Fields): Fields {
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = metadataOf(object);
  return { ...object, metadata };
}

async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of answer as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
  }
}

async function jsonOf(answer: IncomingMessage): Promise<Fields> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of answer as AsyncIterable<Uint8Array>) pieces.push(bytes);
  const text = Buffer.concat(pieces).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? { ...value } : {};
  } catch {
    return { message: text.slice(0, 200) };
  }
}

function metadataOf(object: Fields): Fields {
  return isFields(object["metadata"]) ? { ...object["metadata"] } : {};
}

function messageOf({ message }: Fields): string {
  return typeof message === "string" ? message : "the answer is none of the Kubernetes API";
}
