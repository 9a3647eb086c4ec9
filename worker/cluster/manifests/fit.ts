// What of another cluster's object cannot be as it was in a sandbox, and what it needs that was not given: mended, and told of.
import { type Cidr, contains, parseCidr, parseIp } from "../../../shared/k8s/ip.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { must } from "../../../shared/base/assert.ts";
import { copyJson, isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create } from "../../registry/create.ts";
import { type Actor, read, type Registry } from "../../registry/registry.ts";
import type { Given } from "./imported-object.ts";

export interface Fitted {
  /** The object as it is written. */
  readonly value: JsonObject;
  /** Its status says how it is, as before. */
  readonly hasStatus: boolean;
  /** The differences from the source. */
  readonly reasons: readonly string[];
}

export function fitObject(registry: Registry, kind: Kind, source: Given, actor: Actor): Fitted {
  const value = copyJson(source.value);
  const reasons: string[] = [];
  if (kind.namespaced) ensure(registry, "Namespace", "", source.namespace, actor);
  const spec = isObject(value["spec"]) ? value["spec"] : {};
  if (kind.kind === "Service") fitService(spec, reasons, registry.network.serviceCidr);
  if (kind.kind !== "Pod") return { value, reasons, hasStatus: true };
  const isBound = fitPod(registry, source, spec, reasons, actor);
  return { value, reasons, hasStatus: isBound };
}

function fitService(spec: JsonObject, reasons: string[], serviceCidr: string): void {
  const range = must(parseCidr(serviceCidr), "the range of services");
  const { clusterIP, clusterIPs } = spec;
  const more: readonly unknown[] = Array.isArray(clusterIPs) ? clusterIPs : [];
  const foreign = [clusterIP, ...more].filter(
    (address): address is string => typeof address === "string" && isForeign(address, range),
  );
  if (foreign.length === 0) return;
  for (const field of ["clusterIP", "clusterIPs", "ipFamilies"]) delete spec[field];
  reasons.push(`its address ${foreign[0] ?? ""} is not of the sandbox's range ${serviceCidr}: it has another`);
}

function isForeign(address: string, range: Cidr): boolean {
  const ip = parseIp(address);
  return ip !== undefined && (ip.bytes.length !== range.bytes.length || !contains(range, ip.bytes));
}

/** Returns whether it is on its node. */
function fitPod(registry: Registry, { namespace }: Given, spec: JsonObject, reasons: string[], actor: Actor): boolean {
  // Admission works it out anew.
  delete spec["priority"];
  const { priorityClassName, nodeName, ephemeralContainers } = spec;
  const account = textOr(spec["serviceAccountName"]) || textOr(spec["serviceAccount"]) || "default";
  if (ensure(registry, "ServiceAccount", namespace, account, actor) && account !== "default")
    reasons.push(`its account ${account} was not given: one without rights was made`);
  if (textOr(priorityClassName) && !isThere(registry, "PriorityClass", "", textOr(priorityClassName))) {
    delete spec["priorityClassName"];
    delete spec["preemptionPolicy"];
    reasons.push(`its priority class ${textOr(priorityClassName)} is not there`);
  }
  if (ephemeralContainers !== undefined) {
    delete spec["ephemeralContainers"];
    reasons.push("its ephemeral containers did not come");
  }
  if (!textOr(nodeName) || isThere(registry, "Node", "", textOr(nodeName))) return true;
  delete spec["nodeName"];
  reasons.push(`its node ${textOr(nodeName)} is not there: it waits for another, without its status`);
  return false;
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isThere(registry: Registry, kind: string, namespace: string, name: string): boolean {
  return read(registry, kindOf(registry, kind), namespace, name) !== undefined;
}

/** Makes an empty one where there is none; returns whether it did. */
function ensure(registry: Registry, name: string, namespace: string, objectName: string, actor: Actor): boolean {
  if (isThere(registry, name, namespace, objectName)) return false;
  const kind = kindOf(registry, name);
  const metadata = { name: objectName, ...(namespace === "" ? {} : { namespace }) };
  // The canonical form of the kind that is made.
  const draft = kind.schema.decode({ metadata }).object as KubeObject;
  create(registry, kind, namespace, draft, actor);
  return true;
}

function kindOf(registry: Registry, kind: string): Kind {
  const apiVersion = kind === "PriorityClass" ? "scheduling.k8s.io/v1" : "v1";
  return must(registry.catalogue.byKind(apiVersion, kind), kind);
}
