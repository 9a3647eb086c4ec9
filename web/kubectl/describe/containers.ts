// Descriptions of the containers of pods and pod templates.
import { quantityMilliValue, quantityValue } from "../../../shared/k8s/quantity.ts";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { at, listAt, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { goValue } from "../print/go-value.ts";
import { amount } from "./amount.ts";
import { type Description, longTime, orNone, trueOrFalse } from "./writer.ts";

/** Returns the value of a pod's field, for variables that refer to one. */
export type FieldReader = (path: string) => string;

export function describeContainers(
  label: string,
  containers: readonly JsonObject[],
  statuses: readonly JsonObject[],
  fields: FieldReader,
  into: Description,
  space = "",
): void {
  into.line(0, `${space}${label}:${containers.length === 0 ? " <none>" : ""}`);
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    describeBasics(container, status, into, space);
    describeWords("Command", container.command, into);
    describeWords("Args", container.args, into);
    if (status) describeState(status, into);
    describeResources(objectAt(container, "resources"), into, 2);
    describeProbes(container, into);
    describeSources(container, into);
    describeVariables(container, fields, into);
    describeMounts(container, into);
  }
}

function describeBasics(container: JsonObject, status: JsonObject | undefined, into: Description, space: string): void {
  into.line(1, `${space ? " " : ""}${textOf(container.name)}:`);
  if (status) into.line(2, `Container ID:\t${textOf(status.containerID)}`);
  into.line(2, `Image:\t${textOf(container.image)}`);
  if (status) into.line(2, `Image ID:\t${textOf(status.imageID)}`);
  for (const [label, field] of [
    ["Port", "containerPort"],
    ["Host Port", "hostPort"],
  ] as const) {
    const ports = listAt(container, "ports").map((port) => {
      const text = `${numberAt(port, field) ?? 0}/${textOf(port.protocol)}`;
      return textOf(port.name) ? `${text} (${textOf(port.name)})` : text;
    });
    into.line(2, ports.length > 1 ? `${label}s:\t${ports.join(", ")}` : `${label}:\t${orNone(ports.join(", "))}`);
  }
  const profile = at(container, "securityContext", "seccompProfile");
  if (!isObject(profile)) return;
  into.line(2, `SeccompProfile:\t${textOf(profile.type)}`);
  if (profile.type === "Localhost") into.line(3, `LocalhostProfile:\t${textOf(profile.localhostProfile)}`);
}

function describeWords(label: string, words: unknown, into: Description): void {
  if (!Array.isArray(words) || words.length === 0) return;
  into.line(2, `${label}:`);
  for (const word of words) for (const line of String(word).split("\n")) into.line(3, line);
}

function describeState(status: JsonObject, into: Description): void {
  describeStatus("State", objectAt(status, "state"), into);
  if (at(status, "lastState", "terminated")) describeStatus("Last State", objectAt(status, "lastState"), into);
  into.line(2, `Ready:\t${trueOrFalse(status.ready)}`);
  into.line(2, `Restart Count:\t${numberAt(status, "restartCount") ?? 0}`);
}

function describeStatus(label: string, { running, waiting, terminated }: JsonObject, into: Description): void {
  if (isObject(running)) {
    into.line(2, `${label}:\tRunning`);
    into.line(3, `Started:\t${longTime(running.startedAt)}`);
  } else if (isObject(terminated)) {
    into.line(2, `${label}:\tTerminated`);
    if (terminated.reason) into.line(3, `Reason:\t${textOf(terminated.reason)}`);
    if (terminated.message) into.line(3, `Message:\t${textOf(terminated.message)}`);
    into.line(3, `Exit Code:\t${numberAt(terminated, "exitCode") ?? 0}`);
    const signal = numberAt(terminated, "signal") ?? 0;
    if (signal > 0) into.line(3, `Signal:\t${signal}`);
    into.line(3, `Started:\t${longTime(terminated.startedAt)}`);
    into.line(3, `Finished:\t${longTime(terminated.finishedAt)}`);
  } else {
    into.line(2, `${label}:\tWaiting`);
    if (isObject(waiting) && waiting.reason) into.line(3, `Reason:\t${textOf(waiting.reason)}`);
  }
}

export function describeResources(resources: JsonObject, into: Description, level: number): void {
  for (const [label, field] of [
    ["Limits", "limits"],
    ["Requests", "requests"],
  ] as const) {
    const amounts = objectAt(resources, field);
    const names = Object.keys(amounts).sort();
    if (names.length > 0) into.line(level, `${label}:`);
    for (const name of names) into.line(level + 1, `${name}:\t${amount(amounts[name])}`);
  }
}

function describeProbes(container: JsonObject, into: Description): void {
  for (const [label, field] of [
    ["Liveness", "livenessProbe"],
    ["Readiness", "readinessProbe"],
    ["Startup", "startupProbe"],
  ] as const) {
    if (isObject(container[field])) into.line(2, `${label}:\t${probeText(container[field])}`);
  }
}

function probeText(probe: JsonObject): string {
  const count = (field: string) => numberAt(probe, field) ?? 0;
  const attributes = `delay=${count("initialDelaySeconds")}s timeout=${count("timeoutSeconds")}s period=${count("periodSeconds")}s #success=${count("successThreshold")} #failure=${count("failureThreshold")}`;
  const port = (field: string) => String((at(probe, field, "port") as string | number | undefined) ?? "");
  if (isObject(probe.exec)) return `exec ${goValue(probe.exec.command ?? [])} ${attributes}`;
  if (isObject(probe.httpGet)) {
    const { scheme, host, path } = probe.httpGet;
    const requestPath = textOf(path) && !textOf(path).startsWith("/") ? `/${textOf(path)}` : textOf(path);
    return `http-get ${textOf(scheme).toLowerCase()}://${textOf(host)}:${port("httpGet")}${requestPath} ${attributes}`;
  }
  if (isObject(probe.tcpSocket)) return `tcp-socket ${textOf(probe.tcpSocket.host)}:${port("tcpSocket")} ${attributes}`;
  if (isObject(probe.grpc)) return `grpc <pod>:${port("grpc")} ${textOf(probe.grpc.service)} ${attributes}`;
  return `unknown ${attributes}`;
}

function describeSources(container: JsonObject, into: Description): void {
  const sources = listAt(container, "envFrom");
  if (sources.length === 0) return;
  into.line(2, "Environment Variables from:");
  for (const { configMapRef, secretRef, prefix } of sources) {
    const of = isObject(configMapRef) ? configMapRef : isObject(secretRef) ? secretRef : {};
    const kind = isObject(configMapRef) ? "ConfigMap" : isObject(secretRef) ? "Secret" : "";
    const how = textOf(prefix) ? `${kind} with prefix '${textOf(prefix)}'` : kind;
    into.line(3, `${textOf(of.name)}\t${how}\tOptional: ${of.optional === true}`);
  }
}

function describeVariables(container: JsonObject, fields: FieldReader, into: Description): void {
  const variables = listAt(container, "env");
  into.line(2, `Environment:${variables.length === 0 ? "\t<none>" : ""}`);
  for (const { name, value, valueFrom } of variables) {
    if (!isObject(valueFrom)) {
      const [first = "", ...more] = textOf(value).split("\n");
      into.line(3, `${textOf(name)}:\t${first}`);
      for (const line of more) into.line(3, `\t${line}`);
    } else into.line(3, `${textOf(name)}:\t${sourceText(valueFrom, container, fields)}`);
  }
}

function sourceText(from: JsonObject, container: JsonObject, fields: FieldReader): string {
  const field = at(from, "fieldRef");
  if (isObject(field))
    return `${fields(textOf(field.fieldPath))} (${textOf(field.apiVersion)}:${textOf(field.fieldPath)})`;
  const resource = at(from, "resourceFieldRef");
  if (isObject(resource)) return `${resourceText(resource, container)} (${textOf(resource.resource)})`;
  const [ref, what] = isObject(from.secretKeyRef)
    ? [from.secretKeyRef, "in secret"]
    : [objectAt(from, "configMapKeyRef"), "of config map"];
  return `<set to the key '${textOf(ref.key)}' ${what} '${textOf(ref.name)}'>\tOptional: ${ref.optional === true}`;
}

function resourceText({ resource, divisor }: JsonObject, container: JsonObject): string {
  const [form = "", name = ""] = textOf(resource).split(".");
  const amounts = objectAt(container, "resources", form);
  const amount = amounts[name];
  const by = textOf(divisor) || "0";
  const value =
    amount === undefined
      ? "0"
      : name === "cpu"
        ? String(Math.ceil(quantityMilliValue(goValue(amount)) / (by === "0" ? 1000 : quantityMilliValue(by))))
        : String(Math.ceil(quantityValue(goValue(amount)) / (by === "0" ? 1 : quantityValue(by))));
  return value === "0" && (textOf(resource) === "limits.cpu" || textOf(resource) === "limits.memory")
    ? "node allocatable"
    : value;
}

function describeMounts(container: JsonObject, into: Description): void {
  const mounts = listAt(container, "volumeMounts").sort((a, b) => (textOf(a.mountPath) < textOf(b.mountPath) ? -1 : 1));
  into.line(2, `Mounts:${mounts.length === 0 ? "\t<none>" : ""}`);
  for (const { mountPath, name, readOnly, subPath } of mounts) {
    const flags = [readOnly === true ? "ro" : "rw", ...(textOf(subPath) ? [`path=${JSON.stringify(subPath)}`] : [])];
    into.line(3, `${textOf(mountPath)} from ${textOf(name)} (${flags.join(",")})`);
  }
  const devices = listAt(container, "volumeDevices").sort((a, b) =>
    textOf(a.devicePath) < textOf(b.devicePath) ? -1 : 1,
  );
  if (devices.length > 0) into.line(2, `Devices:${mounts.length === 0 ? "\t<none>" : ""}`);
  for (const { devicePath, name } of devices) into.line(3, `${textOf(devicePath)} from ${textOf(name)}`);
}

/** Returns a reader of the pod's fields by their downward API names. */
export function podFields(pod: JsonObject): FieldReader {
  return (path) => {
    const [, map = "", key = ""] = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(path) ?? [];
    if (map) return stringsAt(pod, "metadata", map)[key] ?? "";
    if (path === "status.podIPs")
      return listAt(pod, "status", "podIPs")
        .map(({ ip }) => textOf(ip))
        .join(",");
    return stringAt(pod, ...path.split("."));
  };
}
