// Loads that are measured or profiled: repeated requests of one verb, in JSON or protobuf.
import { encodeProtobuf, encodeEnvelope } from "../shared/schema/protobuf/protobuf.ts";
import { type Ask, ask, connections, inParallel } from "./http.ts";
import type { Sandbox } from "./sandbox.ts";

export const forms = ["json", "protobuf"] as const;
export type Form = (typeof forms)[number];
export const listForms = [...forms, "table"] as const;
export type ListForm = (typeof listForms)[number];

/** The subjects of requests: a kind without defaults, one with many, and a custom one, which has no protobuf form. */
export const subjects = ["configmap", "pod", "custom"] as const;
export type Subject = (typeof subjects)[number];

export const verbs = ["create", "get", "update", "patch", "apply", "delete", "list"] as const;
export type Verb = (typeof verbs)[number];

interface About {
  readonly path: string;
  readonly type: string;
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: object };
}

const abouts: Readonly<Record<Subject, About>> = {
  configmap: {
    path: "/api/v1/namespaces/default/configmaps",
    type: "io.k8s.api.core.v1.ConfigMap",
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { labels: { app: "bench" } },
      data: { "config.yaml": "level: info\n".repeat(30) },
    } as About["object"],
  },
  pod: {
    path: "/api/v1/namespaces/default/pods",
    type: "io.k8s.api.core.v1.Pod",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { labels: { app: "bench" } },
      // The scheduler and kubelets ignore these pods, because their work is no part of a request and measured elsewhere.
      spec: { schedulerName: "nobody", containers: [{ name: "web", image: "nginx", ports: [{ containerPort: 80 }] }] },
    } as About["object"],
  },
  custom: {
    path: "/apis/bench.example.org/v1/namespaces/default/gauges",
    type: "",
    object: {
      apiVersion: "bench.example.org/v1",
      kind: "Gauge",
      metadata: { labels: { app: "bench" } },
      spec: { text: "level: info\n".repeat(30) },
    } as About["object"],
  },
};

export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gauges.bench.example.org" },
  spec: {
    group: "bench.example.org",
    scope: "Namespaced",
    names: { plural: "gauges", kind: "Gauge" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { text: { type: "string" } } } },
          },
        },
      },
    ],
  },
};

const protobuf = "application/vnd.kubernetes.protobuf";
/** The `Accept` header of each form; JSON is the default. */
const accepts: Readonly<Record<ListForm, Readonly<Record<string, string>>>> = {
  json: {},
  protobuf: { accept: protobuf },
  table: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
};

export interface Load {
  /** Creates objects for requests that delete; does nothing for other verbs. */
  stock(count: number): Promise<void>;
  /** Sends one request. Rejects if the answer is not as expected. Resolves with the bytes of the answer. */
  once(): Promise<number>;
  end(): void;
}

/** Creates a load. The sandbox must have the definition, and the objects for `get`, `update`, `patch` and `list`: see `prepare`. */
export function newLoad(sandbox: Sandbox, verb: Verb, subject: Subject, form: ListForm, sockets = 8): Load {
  const { path, type, object } = abouts[subject];
  const agent = connections(sockets, sandbox.url);
  const stocked: string[] = [];
  let count = 0;
  // No two concurrent requests concern the same object, as with most clients.
  const free = Array.from({ length: sockets }, (_, index) => `bench-${index}`);
  const bodyOf = (metadata: object, form: ListForm, of = object): string | Uint8Array => {
    const merged = { ...of, metadata: { ...of.metadata, ...metadata } };
    if (form !== "protobuf") return JSON.stringify(merged);
    const { apiVersion, kind } = object;
    return encodeEnvelope({ apiVersion, kind, raw: encodeProtobuf(type, merged) });
  };
  const accept = accepts[form];
  const created = verb === "create" ? bodyOf({ generateName: "made-" }, form) : "";
  const typed = { ...accept, "content-type": form === "protobuf" ? protobuf : "application/json" };
  // An update sends what was read, because it must keep the defaults of a pod.
  const readObjects = new Map<string, About["object"]>();
  const read = async (name: string): Promise<About["object"]> => {
    const current = readObjects.get(name) ?? (JSON.parse(await sandbox.get(`${path}/${name}`)) as About["object"]);
    readObjects.set(name, current);
    return current;
  };
  const once = async (index: number, name: string): Promise<{ readonly path: string; readonly options: Ask }> => {
    const objectPath = `${path}/${name}`;
    const changed = { labels: { app: "bench", at: String(index) } };
    switch (verb) {
      case "create":
        return { path, options: { method: "POST", headers: typed, body: created } };
      case "get":
        return { path: objectPath, options: { headers: accept } };
      case "update": {
        // An answer in protobuf is not parsed here, so such an update has no resource version.
        const version = form === "json" ? {} : { resourceVersion: undefined };
        const body = bodyOf({ ...changed, ...version }, form, await read(name));
        return { path: objectPath, options: { method: "PUT", headers: typed, body } };
      }
      case "patch": {
        const headers = { ...accept, "content-type": "application/merge-patch+json" };
        return { path: objectPath, options: { method: "PATCH", headers, body: JSON.stringify({ metadata: changed }) } };
      }
      case "apply": {
        const headers = { ...accept, "content-type": "application/apply-patch+yaml" };
        const body = bodyOf({ name, ...changed }, "json");
        return { path: `${objectPath}?fieldManager=bench&force=true`, options: { method: "PATCH", headers, body } };
      }
      case "delete":
        return { path: `${path}/${stocked.pop() ?? ""}`, options: { method: "DELETE", headers: accept } };
      case "list":
        return { path, options: { headers: accept } };
    }
  };
  return {
    stock: async (count) => {
      if (verb !== "delete") return;
      await inParallel(sockets, count, async () => {
        const created = await sandbox.post(path, {
          ...object,
          metadata: { ...object.metadata, generateName: "gone-" },
        });
        stocked.push((JSON.parse(created) as { metadata: { name: string } }).metadata.name);
      });
    },
    once: async () => {
      const name = free.shift() ?? "";
      const { path, options } = await once(count++, name);
      const { status, text } = await ask(agent, sandbox.url + path, { ...options, token: sandbox.token });
      free.push(name);
      if (status >= 300) throw new Error(`${verb} of a ${subject} was answered ${status}: ${text.slice(0, 300)}`);
      if (verb === "update" && form === "json") readObjects.set(name, JSON.parse(text) as About["object"]);
      return text.length;
    },
    end: () => agent.destroy(),
  };
}

/** Returns the path of a subject's collection. */
export function collectionOf(subject: Subject): string {
  return abouts[subject].path;
}

/** Creates the definition and the objects of each subject, with `more` further ones for lists. */
export async function prepare(sandbox: Sandbox, more: number, chosen: readonly Subject[] = subjects): Promise<void> {
  if (chosen.includes("custom")) {
    await sandbox.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    await until(() => sandbox.get(abouts.custom.path));
  }
  for (const subject of chosen) {
    const { path, object } = abouts[subject];
    await inParallel(8, 8 + more, (index) =>
      sandbox.post(path, { ...object, metadata: { ...object.metadata, name: `bench-${index}` } }),
    );
  }
}

/** Waits until a definition is served, a moment after it was created. */
async function until(works: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const done = await works().then(
      () => true,
      () => false,
    );
    if (done) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("it never worked");
}
