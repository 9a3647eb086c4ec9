// The actions on an object, each as the words of its kubectl line. Independent of the page.
import { type JsonObject, isObject } from "../../shared/schema/json-values.ts";
import { type Mapping, groupResource } from "../kubectl/cluster/discovery.ts";
import { at, listAt, nameOf, namespaceOf, numberAt } from "../kubectl/object.ts";
import { argumentOf } from "../live/reference.ts";

export interface Action {
  readonly id:
    | "scale"
    | "image"
    | "restart"
    | "undo"
    | "pause"
    | "resume"
    | "suspend"
    | "run"
    | "cordon"
    | "uncordon"
    | "drain"
    | "delete";
  /** The fields to fill in first. Empty if the line needs none. */
  readonly asks: readonly ActionField[];
  readonly isDangerous: boolean;
  /** Returns the words of the line. `answers` are in the order of `asks`. */
  words(answers: readonly string[]): readonly string[];
}

export interface ActionField {
  readonly id: "replicas" | "container" | "image" | "revision" | "name";
  readonly beginning: string;
  /** The allowed values. Absent if any value is allowed. */
  readonly among?: readonly string[];
}

const scaled = new Set(["deployments.apps", "statefulsets.apps", "replicasets.apps", "replicationcontrollers"]);
const rolled = new Set(["deployments.apps", "statefulsets.apps", "daemonsets.apps"]);

/** Returns the actions for an object. `revisions` are those of its rollouts, the newest first. */
export function actionsFor(mapping: Mapping, object: JsonObject, revisions: readonly string[] = []): Action[] {
  const resource = groupResource(mapping);
  const what = argumentOf(mapping, nameOf(object));
  const namespace = namespaceOf(object);
  const within = namespace ? ["-n", namespace] : [];
  const plain = (id: Action["id"], ...words: readonly string[]): Action => ({
    id,
    asks: [],
    isDangerous: false,
    words: () => [...words, ...within],
  });
  const all: Action[] = [];
  if (scaled.has(resource) || mapping.subresources.includes("scale")) all.push(scale(what, object, within));
  if (rolled.has(resource)) {
    all.push(setImage(what, object, within));
    all.push(plain("restart", "rollout", "restart", what));
    all.push(undo(what, revisions, within));
  }
  if (resource === "deployments.apps") {
    const isPaused = at(object, "spec", "paused") === true;
    all.push(isPaused ? plain("resume", "rollout", "resume", what) : plain("pause", "rollout", "pause", what));
  }
  if (resource === "cronjobs.batch" || resource === "jobs.batch") all.push(suspend(what, object, within));
  if (resource === "cronjobs.batch") all.push(runNow(what, object, within));
  if (resource === "nodes") all.push(...nodeActions(object));
  if (mapping.verbs.includes("delete")) {
    all.push({ ...plain("delete", "delete", what, "--wait=false"), isDangerous: true });
  }
  return all;
}

function scale(what: string, object: JsonObject, within: readonly string[]): Action {
  const replicas = String(numberAt(object, "spec", "replicas") ?? 1);
  return {
    id: "scale",
    asks: [{ id: "replicas", beginning: replicas }],
    isDangerous: false,
    words: ([count = replicas]) => ["scale", what, `--replicas=${count}`, ...within],
  };
}

function setImage(what: string, object: JsonObject, within: readonly string[]): Action {
  const containers = listAt(object, "spec", "template", "spec", "containers");
  const names = containers.map(nameOfContainer);
  const image = typeof containers[0]?.image === "string" ? containers[0].image : "";
  return {
    id: "image",
    asks: [
      { id: "container", beginning: names[0] ?? "", among: names },
      { id: "image", beginning: image },
    ],
    isDangerous: false,
    words: ([container = "", to = ""]) => ["set", "image", what, `${container}=${to}`, ...within],
  };
}

function nameOfContainer({ name }: JsonObject): string {
  return typeof name === "string" ? name : "";
}

function undo(what: string, revisions: readonly string[], within: readonly string[]): Action {
  // The newest revision is the current one.
  const earlier = revisions.slice(1);
  return {
    id: "undo",
    asks: earlier.length > 0 ? [{ id: "revision", beginning: earlier[0] ?? "", among: earlier }] : [],
    isDangerous: false,
    words: ([revision]) => ["rollout", "undo", what, ...(revision ? [`--to-revision=${revision}`] : []), ...within],
  };
}

function suspend(what: string, object: JsonObject, within: readonly string[]): Action {
  const isSuspended = at(object, "spec", "suspend") === true;
  const patch = JSON.stringify({ spec: { suspend: !isSuspended } });
  return {
    id: isSuspended ? "resume" : "suspend",
    asks: [],
    isDangerous: false,
    words: () => ["patch", what, "-p", patch, ...within],
  };
}

function runNow(what: string, object: JsonObject, within: readonly string[]): Action {
  return {
    id: "run",
    asks: [{ id: "name", beginning: `${nameOf(object)}-now` }],
    isDangerous: false,
    words: ([name = ""]) => ["create", "job", name, `--from=${what}`, ...within],
  };
}

function nodeActions(object: JsonObject): Action[] {
  const name = nameOf(object);
  const isCordoned = isObject(object.spec) && object.spec.unschedulable === true;
  const line = (id: Action["id"], isDangerous: boolean, ...words: readonly string[]): Action => ({
    id,
    asks: [],
    isDangerous,
    words: () => words,
  });
  return [
    isCordoned ? line("uncordon", false, "uncordon", name) : line("cordon", false, "cordon", name),
    line("drain", true, "drain", name, "--ignore-daemonsets", "--delete-emptydir-data"),
  ];
}
