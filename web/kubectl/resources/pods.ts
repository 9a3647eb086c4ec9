// Selects the pod and the container of a command, from a pod or from a workload.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { formatLabels, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import type { CommandCall } from "../command.ts";
import { listAll } from "../describe/describer.ts";
import { at, listAt, nameOf, namespaceOf, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { fetchObject, tupleOf } from "./select.ts";

const defaultContainer = "kubectl.kubernetes.io/default-container";

/** Fetches the object of `web-x`, `pod/web-x` or `deploy/web`. */
export async function objectNamed(call: CommandCall, argument: string): Promise<JsonObject> {
  const [type, name] = argument.includes("/") ? tupleOf(argument) : (["pods", argument] as const);
  const mapping = await call.cluster.resource(type);
  return fetchObject(call, { mapping, namespace: mapping.namespaced ? call.namespace : "", name });
}

/** Returns the pods of an object, the best for `purpose` first. Throws if the object has no selector. */
export async function podsOf(call: CommandCall, object: JsonObject, purpose: "logs" | "attach"): Promise<JsonObject[]> {
  if (object.kind === "Pod") return [object];
  const labelSelector = podSelector(object);
  const pods = await listAll(call, `/api/v1/namespaces/${namespaceOf(object)}/pods`, { labelSelector });
  const typed = pods.map((pod): JsonObject => ({ apiVersion: "v1", kind: "Pod", ...pod }));
  return typed.sort((a, b) => order(a, b, purpose));
}

function podSelector(object: JsonObject): string {
  const selector = at(object, "spec", "selector");
  const kind = textOf(object.kind);
  if (kind === "Service" || kind === "ReplicationController") {
    const labels = stringsAt(object, "spec", "selector");
    if (Object.keys(labels).length === 0)
      throw new Error("invalid service 'x': Service is defined without a selector".replace("x", nameOf(object)));
    return formatLabels(labels);
  }
  if (!["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"].includes(kind))
    throw new Error(`selector for *v1.${kind} not implemented`);
  // The selector of a workload is always a label selector.
  return labelSelectorAsSelector(isObject(selector) ? selector : undefined).toString();
}

/** Orders pods by usefulness: scheduled, running and ready ones first, then those with newer restarts. */
function order(a: JsonObject, b: JsonObject, purpose: "logs" | "attach"): number {
  const phases = ["Pending", "Unknown", "Running"];
  const unready = (pod: JsonObject) => !isReady(pod);
  const measures: ((pod: JsonObject) => number | string)[] = [
    (pod) => (stringAt(pod, "spec", "nodeName") ? 1 : 0),
    (pod) => phases.indexOf(stringAt(pod, "status", "phase")),
    (pod) => (unready(pod) ? 0 : 1),
  ];
  for (const measure of measures) {
    const [left, right] = [measure(a), measure(b)];
    if (left !== right) return left < right ? 1 : -1;
  }
  const readySince = (pod: JsonObject) =>
    textOf(listAt(pod, "status", "conditions").find(({ type }) => type === "Ready")?.lastTransitionTime);
  if (isReady(a) && readySince(a) !== readySince(b)) {
    const isLater = readySince(a) > readySince(b);
    return purpose === "logs" ? (isLater ? 1 : -1) : isLater ? 1 : -1;
  }
  const restarts = (pod: JsonObject) =>
    Math.max(0, ...listAt(pod, "status", "containerStatuses").map((status) => numberAt(status, "restartCount") ?? 0));
  if (restarts(a) !== restarts(b)) return purpose === "logs" ? restarts(b) - restarts(a) : restarts(a) - restarts(b);
  const created = (pod: JsonObject) => stringAt(pod, "metadata", "creationTimestamp");
  return created(a) > created(b) ? 1 : created(a) < created(b) ? -1 : 0;
}

export function isReady(pod: JsonObject): boolean {
  return listAt(pod, "status", "conditions").some(({ type, status }) => type === "Ready" && status === "True");
}

export function allContainers(pod: JsonObject): string {
  const spec = objectAt(pod, "spec");
  const named = (field: string, suffix: string) => listAt(spec, field).map(({ name }) => `${textOf(name)}${suffix}`);
  return [
    ...named("containers", ""),
    ...named("ephemeralContainers", " (ephem)"),
    ...named("initContainers", " (init)"),
  ].join(", ");
}

export function hasContainer(pod: JsonObject, name: string): boolean {
  const spec = objectAt(pod, "spec");
  return ["containers", "initContainers", "ephemeralContainers"].some((field) =>
    listAt(spec, field).some((container) => container.name === name),
  );
}

/** Returns the requested container or the pod's default one. If several are possible, prints which one was chosen. */
export function containerOf(
  { streams }: CommandCall,
  pod: JsonObject,
  requestedName: string,
  isQuiet: boolean,
): string {
  const name = requestedName || (stringsAt(pod, "metadata", "annotations")[defaultContainer] ?? "");
  if (name) {
    if (hasContainer(pod, name)) return name;
    throw new Error(`container ${name} is not valid for pod ${nameOf(pod)} out of: ${allContainers(pod)}`);
  }
  const spec = objectAt(pod, "spec");
  const first = textOf(listAt(spec, "containers")[0]?.name);
  const count = ["containers", "initContainers", "ephemeralContainers"].reduce(
    (sum, field) => sum + listAt(spec, field).length,
    0,
  );
  if (!isQuiet && count > 1)
    streams.err(`Defaulted container ${JSON.stringify(first)} out of: ${allContainers(pod)}\n`);
  return first;
}
