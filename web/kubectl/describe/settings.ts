// Descriptions of ConfigMaps, Secrets, Namespaces, quotas, limit ranges, service accounts and disruption budgets.
import { goValue } from "../print/go-value.ts";
import { bytesOfBase64, textOfBase64 } from "../../../shared/base/base64.ts";
import { formatLabels } from "../../../shared/k8s/selectors/labels.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { at, listAt, nameOf, namespaceOf, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { amount } from "./amount.ts";
import { type Describer, describeEvents, head, listAll, selectorText } from "./describer.ts";
import { type Description, longTime } from "./writer.ts";

export const describeConfigMap: Describer = async (object, into, asking) => {
  head(object, into);
  into.write("\nData\n====\n");
  const data = stringsAt(object, "data");
  for (const key of Object.keys(data).sort()) into.write(`${key}:\n----\n${data[key] ?? ""}\n\n`);
  into.write("\nBinaryData\n====\n");
  const binary = stringsAt(object, "binaryData");
  for (const key of Object.keys(binary).sort())
    into.write(`${key}: ${bytesOfBase64(binary[key] ?? "").length} bytes\n`);
  into.write("\n");
  await describeEvents(object, into, asking);
};

export const describeSecret: Describer = (object, into) => {
  head(object, into);
  into.write(`\nType:\t${textOf(object.type)}\n\nData\n====\n`);
  const data = stringsAt(object, "data");
  for (const key of Object.keys(data).sort()) {
    const isToken = key === "token" && object.type === "kubernetes.io/service-account-token";
    into.line(
      0,
      `${key}:\t${isToken ? textOfBase64(data[key] ?? "") : `${bytesOfBase64(data[key] ?? "").length} bytes`}`,
    );
  }
};

export const describeNamespace: Describer = async (object, into, { call, chunk }) => {
  head(object, into);
  into.line(0, `Status:\t${stringAt(object, "status", "phase")}`);
  const conditions = listAt(object, "status", "conditions");
  if (conditions.length > 0) {
    into.line(0, "Conditions:");
    into.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
    into.line(1, "----\t------\t------------------\t------\t-------");
    for (const condition of conditions) {
      into.line(
        1,
        `${textOf(condition.type)}\t${textOf(condition.status)}\t${longTime(condition.lastTransitionTime)}\t${textOf(condition.reason)}\t${textOf(condition.message)}`,
      );
    }
  }
  const base = `/api/v1/namespaces/${nameOf(object)}`;
  const quotas = await listAll(call, `${base}/resourcequotas`, { limit: String(chunk) });
  into.write("\n");
  describeQuotas(quotas, into);
  const ranges = await listAll(call, `${base}/limitranges`, { limit: String(chunk) });
  into.write("\n");
  if (ranges.length === 0) return into.line(0, "No LimitRange resource.");
  into.write("Resource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n");
  into.write(" ----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n");
  for (const range of ranges) describeLimits(range, into, " ");
};

function describeQuotas(quotas: readonly JsonObject[], into: Description): void {
  if (quotas.length === 0) return into.line(0, "No resource quota.");
  into.line(0, "Resource Quotas");
  for (const quota of [...quotas].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    into.line(1, `Name:\t${nameOf(quota)}`);
    describeScopes(quota, into, "  ", "  * ");
    into.line(1, "Resource\tUsed\tHard");
    into.line(1, "--------\t---\t---");
    const [hard, used] = [stringsAt(quota, "status", "hard"), stringsAt(quota, "status", "used")];
    for (const name of Object.keys(hard).sort())
      into.line(1, `${name}\t${amount(used[name] ?? "0")}\t${amount(hard[name])}`);
  }
}

const scopeHelp: Readonly<Record<string, string>> = {
  Terminating:
    "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.",
  NotTerminating:
    "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.",
  BestEffort:
    "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
  NotBestEffort:
    "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.",
};

function describeScopes(quota: JsonObject, into: Description, indent: string, bullet: string): void {
  const scopeList = at(quota, "spec", "scopes");
  const scopes = Array.isArray(scopeList) ? scopeList.map(String).sort() : [];
  if (scopes.length === 0) return;
  into.line(0, `${indent}Scopes:\t${scopes.join(", ")}`);
  for (const scope of scopes) if (scopeHelp[scope]) into.line(0, `${bullet}${scopeHelp[scope]}`);
}

export const describeQuota: Describer = (object, into) => {
  into.line(0, `Name:\t${nameOf(object)}`);
  into.line(0, `Namespace:\t${namespaceOf(object)}`);
  describeScopes(object, into, "", " * ");
  into.line(0, "Resource\tUsed\tHard");
  into.line(0, "--------\t----\t----");
  const [hard, used] = [stringsAt(object, "status", "hard"), stringsAt(object, "status", "used")];
  for (const name of Object.keys(hard).sort())
    into.line(0, `${name}\t${amount(used[name] ?? "0")}\t${amount(hard[name])}`);
};

export const describeLimitRange: Describer = (object, into) => {
  into.line(0, `Name:\t${nameOf(object)}`);
  into.line(0, `Namespace:\t${namespaceOf(object)}`);
  into.line(0, "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio");
  into.line(0, "----\t--------\t---\t---\t---------------\t-------------\t-----------------------");
  describeLimits(object, into, "");
};

function describeLimits(range: JsonObject, into: Description, indent: string): void {
  const columns = ["min", "max", "defaultRequest", "default", "maxLimitRequestRatio"];
  for (const limit of listAt(range, "spec", "limits")) {
    const names = new Set(columns.flatMap((column) => Object.keys(objectAt(limit, column))));
    for (const name of [...names].sort()) {
      const cells = columns.map((column) => {
        const quantity = objectAt(limit, column)[name];
        return quantity === undefined ? "-" : amount(quantity);
      });
      into.line(0, `${indent}${textOf(limit.type)}\t${name}\t${cells.join("\t")}`);
    }
  }
}

export const describeServiceAccount: Describer = async (object, into, asking) => {
  head(object, into);
  const names = listAt(object, "imagePullSecrets").map(({ name }) => textOf(name));
  if (names.length === 0) into.line(0, "Image pull secrets:\t<none>");
  for (const [index, name] of names.entries())
    into.line(0, `${index === 0 ? "Image pull secrets:" : " ".repeat(19)}\t${name}`);
  await describeEvents(object, into, asking);
};

export const describeDisruptionBudget: Describer = async (object, into, asking) => {
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  into.line(0, `Name:\t${nameOf(object)}`);
  into.line(0, `Namespace:\t${namespaceOf(object)}`);
  if (spec.minAvailable !== undefined) into.line(0, `Min available:\t${goValue(spec.minAvailable)}`);
  else if (spec.maxUnavailable !== undefined) into.line(0, `Max unavailable:\t${goValue(spec.maxUnavailable)}`);
  into.line(0, `Selector:\t${selectorText(spec.selector)}`);
  into.line(0, "Status:");
  for (const [label, field] of [
    ["Allowed disruptions", "disruptionsAllowed"],
    ["Current", "currentHealthy"],
    ["Desired", "desiredHealthy"],
    ["Total", "expectedPods"],
  ] as const) {
    into.line(2, `${label}:\t${numberAt(status, field) ?? 0}`);
  }
  await describeEvents(object, into, asking);
};

export const describePriorityClass: Describer = async (object, into, asking) => {
  into.line(0, `Name:\t${nameOf(object)}`);
  into.line(0, `Value:\t${numberAt(object, "value") ?? 0}`);
  into.line(0, `GlobalDefault:\t${object.globalDefault === true}`);
  into.line(0, `PreemptionPolicy:\t${textOf(object.preemptionPolicy)}`);
  into.line(0, `Description:\t${textOf(object.description)}`);
  into.line(0, `Annotations:\t${formatLabels(stringsAt(object, "metadata", "annotations"))}`);
  await describeEvents(object, into, asking);
};
