// The sample API server of upstream's tests, which serves an API of its own behind an APIService. Its only resource is flunders.
import type { Task } from "../../../../shared/shell/task.ts";
import { stableUuid } from "../../../../shared/base/stable.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Edit } from "../../shell/files.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { listen, overTls } from "./serving.ts";

const group = "wardle.example.com";
const versions = ["v1alpha1", "v1beta1"] as const;
/** The store in place of etcd: a line for each write, with the key and the object, or null. */
const storePath = "/run/sample-apiserver/etcd";

interface Flunder {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export function* sampleApiServer(call: ProgramCall): Task<number> {
  return yield* listen(call, overTls(sampleApiAnswer), [{ port: 443 }]);
}

export function sampleApiAnswer(visit: Visit): Page {
  const [path = ""] = visit.path.split("?");
  if (/^\/(readyz|healthz|livez)$/.test(path))
    return { contentType: "text/plain; charset=utf-8", body: "ok", status: 200 };
  if (path === "/apis") return jsonAnswer({ kind: "APIGroupList", apiVersion: "v1", groups: [apiGroup()] });
  if (path === `/apis/${group}`) return jsonAnswer({ kind: "APIGroup", apiVersion: "v1", ...apiGroup() });
  const [, version = "", rest = ""] = /^\/apis\/wardle\.example\.com\/(v1alpha1|v1beta1)(?:\/(.*))?$/.exec(path) ?? [];
  if (version === "") return statusPage(404, "NotFound", "the server could not find the requested resource");
  if (rest === "") return jsonAnswer(resources(version));
  const [, namespace = "", name = ""] = /^(?:namespaces\/([^/]+)\/)?flunders(?:\/([^/]+))?$/.exec(rest) ?? [];
  if (!/(^|\/)flunders(\/|$)/.test(rest))
    return statusPage(404, "NotFound", "the server could not find the requested resource");
  return flunders(visit, version, namespace, name);
}

function apiGroup(): object {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update"];

function resources(version: string): object {
  const flunder = { name: "flunders", singularName: "flunder", namespaced: true, kind: "Flunder", verbs };
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/${version}`, resources: [flunder] };
}

function flunders(visit: Visit, version: string, namespace: string, name: string): Page {
  const { lines, flundersByKey } = readStore(visit);
  const key = `${namespace}/${name}`;
  const flunder = flundersByKey.get(key);
  const inVersion = (object: Flunder) => ({ ...object, kind: "Flunder", apiVersion: `${group}/${version}` });
  const missing = statusPage(404, "NotFound", `flunders.${group} ${JSON.stringify(name)} not found`);
  const selected = [...flundersByKey].filter(([of]) => namespace === "" || of.startsWith(`${namespace}/`));
  const metadata = { resourceVersion: String(lines + 1) };
  switch (visit.method) {
    case "GET":
      if (name !== "") return flunder ? jsonAnswer(inVersion(flunder)) : missing;
      return jsonAnswer({
        kind: "FlunderList",
        apiVersion: `${group}/${version}`,
        metadata,
        items: selected.map(([, each]) => inVersion(each)),
      });
    case "POST":
      return createFlunder(visit, namespace, flundersByKey, lines, inVersion);
    case "PUT":
    case "PATCH": {
      if (!flunder) return missing;
      const sent = parseFlunder(visit.body);
      if (!sent) return statusPage(400, "BadRequest", "the object provided is unrecognized");
      const updated =
        visit.method === "PUT"
          ? { ...sent, metadata: { ...flunder.metadata, ...sent.metadata } }
          : mergeFlunder(flunder, sent);
      const next = { ...updated, metadata: { ...updated.metadata, resourceVersion: String(lines + 2) } };
      return { ...jsonAnswer(inVersion(next)), edits: [storeEdit(key, next)] };
    }
    case "DELETE": {
      if (name !== "" && !flunder) return missing;
      const deletedKeys = name === "" ? selected.map(([of]) => of) : [key];
      return {
        ...jsonAnswer({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" }),
        edits: deletedKeys.map((of) => storeEdit(of, null)),
      };
    }
    default:
      return statusPage(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
  }
}

function createFlunder(
  { body, nowMs }: Visit,
  namespace: string,
  flundersByKey: ReadonlyMap<string, Flunder>,
  lines: number,
  inVersion: (object: Flunder) => Flunder,
): Page {
  const sent = parseFlunder(body);
  const name = sent?.metadata?.["name"];
  if (!sent || typeof name !== "string" || name === "")
    return statusPage(400, "BadRequest", "name or generateName is required");
  const key = `${namespace}/${name}`;
  if (flundersByKey.has(key))
    return statusPage(409, "AlreadyExists", `flunders.${group} ${JSON.stringify(name)} already exists`);
  const generatedMetadata = {
    namespace,
    uid: stableUuid(`${key}/${nowMs}`),
    resourceVersion: String(lines + 2),
    creationTimestamp: rfc3339(nowMs),
  };
  const object: Flunder = {
    ...sent,
    metadata: { ...sent.metadata, ...generatedMetadata },
    spec: sent["spec"] ?? {},
    status: {},
  };
  return { ...jsonAnswer(inVersion(object), 201), edits: [storeEdit(key, object)] };
}

/** Applies a JSON merge patch, like upstream. Other kinds of patches are treated as merge patches. */
function mergeFlunder(target: Flunder, patch: Flunder): Flunder {
  const next: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const before = next[name];
    if (value === null) delete next[name];
    else next[name] = isMap(value) && isMap(before) ? mergeFlunder(before, value) : value;
  }
  return next;
}

function isMap(value: unknown): value is Flunder {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readStore({ files }: Visit): { readonly lines: number; readonly flundersByKey: ReadonlyMap<string, Flunder> } {
  const lines = (files.get(storePath)?.text ?? "").split("\n").filter(Boolean);
  const flundersByKey = new Map<string, Flunder>();
  for (const line of lines) {
    // `storeEdit` wrote the line.
    const [key, object] = JSON.parse(line) as [string, Flunder | null];
    if (object === null) flundersByKey.delete(key);
    else flundersByKey.set(key, object);
  }
  return { lines: lines.length, flundersByKey };
}

function storeEdit(key: string, object: Flunder | null): Omit<Edit, "atMs"> {
  return { path: storePath, text: `${JSON.stringify([key, object])}\n`, appends: true };
}

function parseFlunder(body: string): Flunder | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function jsonAnswer(value: object, status = 200): Page {
  return { contentType: "application/json", body: `${JSON.stringify(value)}\n`, status };
}

function statusPage(code: number, reason: string, message: string): Page {
  return jsonAnswer({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code }, code);
}
