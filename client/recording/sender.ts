// Sends recorded requests to another cluster. UIDs of the recording are replaced by those that the objects have there.
import type { RecordedRequest, RecordingHeader } from "../../shared/contract/cluster/recording.ts";
import { isFields, textOf } from "./recording.ts";

/** The Kubernetes API of the cluster that is driven. */
export type Target = (path: string, init: RequestInit) => Promise<Response>;

type Fields = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly object: Fields;
}

const uidShape = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const mergePatch = "application/merge-patch+json";

export class Sender {
  readonly #target: Target;
  /** The origin of the recording: objects of a cluster that were captured are imitated, requests of users are repeated. */
  readonly #source: RecordingHeader["of"];
  /** The paths of recorded objects by their UIDs, and their UIDs in the target. */
  readonly #paths: ReadonlyMap<string, string>;
  readonly #uids = new Map<string, string>();

  constructor(target: Target, { of }: Pick<RecordingHeader, "of">, requests: readonly RecordedRequest[]) {
    this.#target = target;
    this.#source = of;
    this.#paths = new Map(requests.flatMap((request) => (request.uid ? [[request.uid, pathOf(request)]] : [])));
  }

  /** Sends a request. Returns why it was refused; undefined if it was not. */
  async send(request: RecordedRequest): Promise<string | undefined> {
    const body = await this.#inTarget(request.body ?? {});
    const prepared = { ...request, body };
    const { status, object } = await (this.#source === "cluster" ? this.#imitate(prepared) : this.#repeat(prepared));
    const { uid } = metadataOf(object);
    if (request.uid && typeof uid === "string") this.#uids.set(request.uid, uid);
    if (status < 400) return undefined;
    return `${status} ${typeof object["message"] === "string" ? object["message"] : "without a reason"}`;
  }

  /** Repeats a request of a user as that user. Whether the user may was decided when it was recorded. */
  #repeat(request: RecordedRequest): Promise<Answer> {
    const { verb, path, user, body = {} } = request;
    // `exists` is not Kubernetes' verb: it records an object that was there when the recording began.
    const method = { exists: "POST", create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE" }[verb];
    return this.#ask(method, path, this.#withoutUnknownOwners(body), {
      ...(verb === "patch" ? { "content-type": mergePatch } : {}),
      ...(user === undefined || user === "kubernetes-admin"
        ? {}
        : { "impersonate-user": user, "impersonate-group": "system:masters" }),
    });
  }

  /** Brings an object of the target into the state that was captured. */
  async #imitate(request: RecordedRequest): Promise<Answer> {
    const { path, verb, body = {} } = request;
    if (verb === "delete") return this.#imitateDeletion(path, body as Fields);
    const object = { ...(body as Fields), metadata: withoutServerFields(metadataOf(body as Fields)) };
    const objectPath = pathOf(request);
    const isEnding = metadataOf(body as Fields)["deletionTimestamp"] !== undefined;
    // An object that was being deleted when it was captured, and never existed here, needs nothing.
    if (isEnding && (await this.#ask("GET", objectPath)).status === 404) return { status: 200, object: {} };
    const written =
      verb === "update" ? await this.#replace(objectPath, object) : await this.#create(objectPath, object);
    if (written.status >= 400 || !("status" in object)) return written;
    const answer = await this.#ask("PUT", `${objectPath}/status`, withCurrentVersion(written.object, object));
    // Kinds without the subresource have their status in the object.
    return answer.status === 404 || answer.status === 405 ? written : answer;
  }

  async #create(objectPath: string, object: Fields): Promise<Answer> {
    const collection = objectPath.slice(0, objectPath.lastIndexOf("/"));
    const answer = await this.#ask("POST", collection, object);
    if (answer.status === 409) return this.#replace(objectPath, object);
    const { spec } = object;
    if (answer.status !== 422 || !isFields(spec) || !("clusterIP" in spec)) return answer;
    // The address is of the range of the captured cluster.
    const { clusterIP: _, clusterIPs: __, ...rest } = spec;
    return this.#ask("POST", collection, { ...object, spec: rest });
  }

  async #replace(objectPath: string, object: Fields): Promise<Answer> {
    const answer = await this.#replaceOnce(objectPath, object);
    // A controller of the target wrote at the same time.
    return answer.status === 409 ? this.#replaceOnce(objectPath, object) : answer;
  }

  async #replaceOnce(objectPath: string, object: Fields): Promise<Answer> {
    const { spec } = object;
    let current = await this.#ask("GET", objectPath);
    if (current.status === 404) return this.#create(objectPath, object);
    const currentSpec = isFields(current.object["spec"]) ? current.object["spec"] : {};
    if (object["kind"] === "Pod" && isFields(spec) && spec["nodeName"] && !currentSpec["nodeName"]) {
      await this.#bind(objectPath, textOf(spec["nodeName"]));
      current = await this.#ask("GET", objectPath);
    }
    const assigned = isFields(spec) && object["kind"] === "Service" ? immutableFields(currentSpec) : {};
    const replaced = isFields(spec) ? { ...object, spec: { ...spec, ...assigned } } : object;
    return this.#ask("PUT", objectPath, withCurrentVersion(current.object, replaced));
  }

  #bind(objectPath: string, nodeName: string): Promise<Answer> {
    const name = decodeURIComponent(objectPath.slice(objectPath.lastIndexOf("/") + 1));
    const target = { apiVersion: "v1", kind: "Node", name: nodeName };
    return this.#ask("POST", `${objectPath}/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name },
      target,
    });
  }

  /** Deletes an object. Without a grace period it was gone at once when it was recorded, so remaining finalizers are removed. */
  async #imitateDeletion(path: string, options: Fields): Promise<Answer> {
    const answer = await this.#ask("DELETE", path, { ...options, propagationPolicy: "Background" });
    if (answer.status === 404) return { status: 200, object: {} };
    if (options["gracePeriodSeconds"] !== 0 || answer.status >= 400) return answer;
    const { finalizers } = metadataOf(answer.object);
    if (answer.object["kind"] === "Namespace")
      await this.#ask("PUT", `${path}/finalize`, { ...answer.object, spec: { finalizers: [] } });
    if (Array.isArray(finalizers))
      await this.#ask("PATCH", path, { metadata: { finalizers: null } }, { "content-type": mergePatch });
    return { ...answer, object: {} };
  }

  async #ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const json = { "content-type": "application/json", ...headers };
    const answer = await this.#target(path, {
      method,
      ...(body === undefined ? { headers } : { headers: json, body: JSON.stringify(body) }),
    });
    const value: unknown = await answer.json().catch(() => ({}));
    return { status: answer.status, object: isFields(value) ? { ...value } : {} };
  }

  /** Returns the body with the UIDs that the recorded objects have in the target. */
  async #inTarget(body: object): Promise<object> {
    const text = JSON.stringify(body);
    const recorded = new Set(text.match(uidShape) ?? []);
    for (const uid of recorded) {
      const path = this.#paths.get(uid);
      if (this.#uids.has(uid) || path === undefined) continue;
      const { uid: targetUid } = metadataOf((await this.#ask("GET", path)).object);
      this.#uids.set(uid, typeof targetUid === "string" ? targetUid : uid);
    }
    if (recorded.size === 0) return body;
    return JSON.parse(text.replace(uidShape, (uid) => this.#uids.get(uid) ?? uid)) as object;
  }

  /** The collector would delete an object whose owner is of another cluster. */
  #withoutUnknownOwners(body: object): object {
    const metadata = metadataOf(body as Fields);
    const { ownerReferences } = metadata;
    if (!Array.isArray(ownerReferences)) return body;
    const living = new Set(this.#uids.values());
    const mappedOwners = ownerReferences.filter((owner) => isFields(owner) && living.has(String(owner["uid"])));
    const { ownerReferences: _, ...rest } = metadata;
    return { ...body, metadata: mappedOwners.length > 0 ? { ...rest, ownerReferences: mappedOwners } : rest };
  }
}

/** Returns the request that brings an existing object into the state of a recorded one. */
export function replacing<Request extends RecordedRequest>(request: Request): Request {
  return { ...request, verb: "update", path: pathOf(request) };
}

/** Returns the path of the object itself. */
function pathOf({ verb, path, body = {} }: RecordedRequest): string {
  if (verb !== "create" && verb !== "exists") return path;
  return `${path}/${encodeURIComponent(textOf(metadataOf(body as Fields)["name"]))}`;
}

function metadataOf(object: Fields): Fields {
  return isFields(object["metadata"]) ? object["metadata"] : {};
}

/** Fields of the metadata that only a server sets. */
const serverFields = ["resourceVersion", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"];

function withoutServerFields(metadata: Fields): Fields {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !serverFields.includes(name)));
}

/** Adds the version that the object has in the target: some kinds are updated only with one. */
function withCurrentVersion(current: Fields, object: Fields): Fields {
  const { resourceVersion } = metadataOf(current);
  return resourceVersion === undefined ? object : { ...object, metadata: { ...metadataOf(object), resourceVersion } };
}

/** Returns the fields of a Service that the cluster sets and nobody may change. */
function immutableFields(spec: Fields): Fields {
  return Object.fromEntries(["clusterIP", "clusterIPs"].flatMap((name) => (name in spec ? [[name, spec[name]]] : [])));
}
