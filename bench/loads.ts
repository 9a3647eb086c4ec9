// What a service is asked again and again, to be measured or profiled: one request of each verb, in JSON or protobuf.
import { encodeProtobuf, encodeEnvelope } from "../shared/schema/protobuf/protobuf.ts";
import { type Ask, ask, connections, inParallel } from "./http.ts";
import type { Sandbox } from "./sandbox.ts";

export const forms = ["json", "protobuf"] as const;
export type Form = (typeof forms)[number];
/** What a list is asked for in. */
export const listForms = [...forms, "table"] as const;
export type ListForm = (typeof listForms)[number];

/** What is asked about: a kind without defaults, one with many, and one of a definition, which has no protobuf form. */
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
      // Nobody's: what the scheduler and kubelets do about pods is no part of a request, and measured elsewhere.
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
/** What each form is asked for with; JSON is what is answered to who says nothing. */
const accepts: Readonly<Record<ListForm, Readonly<Record<string, string>>>> = {
  json: {},
  protobuf: { accept: protobuf },
  table: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
};

export interface Load {
  /** Makes what so many requests are to take away; nothing for verbs that take nothing away. */
  stock(count: number): Promise<void>;
  /** One request; rejects where it is not answered as it should be. Resolves the bytes of the answer. */
  once(): Promise<number>;
  end(): void;
}

/** Of a sandbox that has the definition, and for `get`, `update`, `patch` and `list` what they are about: see `prepare`. */
export function newLoad(sandbox: Sandbox, verb: Verb, subject: Subject, form: ListForm, sockets = 8): Load {
  const { path, type, object } = abouts[subject];
  const agent = connections(sockets, sandbox.url);
  const stocked: string[] = [];
  let count = 0;
  // No two requests are about the same object at a time, as clients have it.
  const free = Array.from({ length: sockets }, (_, index) => `bench-${index}`);
  const bodyOf = (metadata: object, form: ListForm, of = object): string | Uint8Array => {
    const whole = { ...of, metadata: { ...of.metadata, ...metadata } };
    if (form !== "protobuf") return JSON.stringify(whole);
    const { apiVersion, kind } = object;
    return encodeEnvelope({ apiVersion, kind, raw: encodeProtobuf(type, whole) });
  };
  const accept = accepts[form];
  const created = verb === "create" ? bodyOf({ generateName: "made-" }, form) : "";
  const typed = { ...accept, "content-type": form === "protobuf" ? protobuf : "application/json" };
  // An update is of what was read: of a pod much is filled in that it must keep.
  const known = new Map<string, About["object"]>();
  const read = async (name: string): Promise<About["object"]> => {
    const found = known.get(name) ?? (JSON.parse(await sandbox.get(`${path}/${name}`)) as About["object"]);
    known.set(name, found);
    return found;
  };
  const once = async (index: number, name: string): Promise<{ readonly path: string; readonly options: Ask }> => {
    const one = `${path}/${name}`;
    const changed = { labels: { app: "bench", at: String(index) } };
    switch (verb) {
      case "create":
        return { path, options: { method: "POST", headers: typed, body: created } };
      case "get":
        return { path: one, options: { headers: accept } };
      case "update": {
        // What is answered in protobuf is not read here: such an update says no version.
        const version = form === "json" ? {} : { resourceVersion: undefined };
        const body = bodyOf({ ...changed, ...version }, form, await read(name));
        return { path: one, options: { method: "PUT", headers: typed, body } };
      }
      case "patch": {
        const headers = { ...accept, "content-type": "application/merge-patch+json" };
        return { path: one, options: { method: "PATCH", headers, body: JSON.stringify({ metadata: changed }) } };
      }
      case "apply": {
        const headers = { ...accept, "content-type": "application/apply-patch+yaml" };
        const body = bodyOf({ name, ...changed }, "json");
        return { path: `${one}?fieldManager=bench&force=true`, options: { method: "PATCH", headers, body } };
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
        const made = await sandbox.post(path, { ...object, metadata: { ...object.metadata, generateName: "gone-" } });
        stocked.push((JSON.parse(made) as { metadata: { name: string } }).metadata.name);
      });
    },
    once: async () => {
      const name = free.shift() ?? "";
      const { path, options } = await once(count++, name);
      const { status, text } = await ask(agent, sandbox.url + path, { ...options, token: sandbox.token });
      free.push(name);
      if (status >= 300) throw new Error(`${verb} of a ${subject} was answered ${status}: ${text.slice(0, 300)}`);
      if (verb === "update" && form === "json") known.set(name, JSON.parse(text) as About["object"]);
      return text.length;
    },
    end: () => agent.destroy(),
  };
}

/** The path of the collection that a subject is in. */
export function collectionOf(subject: Subject): string {
  return abouts[subject].path;
}

/** The definition, and of each subject the objects that loads are about, with `more` beside them for lists. */
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

/** A definition is served a moment after it was made. */
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
