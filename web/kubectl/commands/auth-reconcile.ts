// `kubectl auth reconcile`: roles and bindings brought to what files say, and what was missing told.
import { type JsonObject, equalJson } from "../../../shared/schema/json-values.ts";
import { pathOf } from "../cluster/discovery.ts";
import type { CommandCall } from "../command.ts";
import { isNotFound, throwAll } from "../errors.ts";
import { type Info, listAt, objectAt, stringAt, textOf } from "../object.ts";
import { select } from "../resources/select.ts";
import { changingPrinter, dryRunOf } from "../writes/dry-run.ts";
import { createObject } from "../writes/send.ts";

const kinds = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

export async function reconcile(call: CommandCall): Promise<void> {
  const { flags, args } = call;
  if (flags.list("filename").length === 0 && !flags.text("kustomize")) throw new Error("must specify one of -f and -k");
  if (args.length > 0) throw new Error("no arguments are allowed");
  if (dryRunOf(flags) === "server") throw new Error("--dry-run=server for command reconcile is not supported yet");
  const { infos, errors } = await select(call, { args, isLocal: true, keepsGoing: true });
  throwAll(errors);
  for (const info of infos) if (kinds.includes(stringAt(info.object, "kind"))) await reconcileOne(call, info);
}

async function reconcileOne(call: CommandCall, info: Info): Promise<void> {
  const { flags, cluster } = call;
  const isDry = dryRunOf(flags) === "client";
  const path = pathOf(info.mapping, info.namespace, info.name);
  const current = await cluster.json(path).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const field = info.mapping.kind.endsWith("Binding") ? "subjects" : "rules";
  const removes = flags.bool(field === "rules" ? "remove-extra-permissions" : "remove-extra-subjects");
  const parts = (object: JsonObject) =>
    field === "rules" && current ? listAt(object, field).flatMap(broken) : listAt(object, field);
  const [wanted, there] = [parts(info.object), current ? parts(current) : []];
  const missing = wanted.filter((one) => !there.some((other) => equalJson(one, other)));
  const extra = there.filter((one) => !wanted.some((other) => equalJson(one, other)));
  if (!current) {
    tell(call, isDry ? info.object : await createObject(call, info, "none"), {
      operation: "create",
      field,
      missing,
      extra: [],
    });
    return;
  }
  const isChanged = missing.length > 0 || (removes && extra.length > 0);
  const all = removes && extra.length > 0 ? listAt(info.object, field) : [...listAt(current, field), ...missing];
  const changed = { ...current, [field]: all };
  const after = isChanged && !isDry ? await cluster.json(path, { method: "PUT", body: changed }) : changed;
  tell(call, after, { operation: isChanged ? "update" : "", field, missing, extra: removes ? extra : [] });
}

/** A rule for each verb, group, resource and name that it speaks of, so that rules can be compared. */
function broken(rule: JsonObject): JsonObject[] {
  const lists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];
  let found: JsonObject[] = [{}];
  for (const field of lists) {
    const values = rule[field];
    if (Array.isArray(values) && values.length > 0)
      found = found.flatMap((part) => values.map((value) => ({ ...part, [field]: [value] })));
  }
  return found;
}

interface Change {
  readonly operation: string;
  readonly field: "subjects" | "rules";
  readonly missing: readonly JsonObject[];
  readonly extra: readonly JsonObject[];
}

function tell(call: CommandCall, object: JsonObject, { operation, field, missing, extra }: Change): void {
  const { streams, flags } = call;
  streams.out(changingPrinter(call, dryRunOf(flags))(object, "reconciled"));
  if (!operation) return;
  streams.err(`\treconciliation required ${operation}\n`);
  const told = (title: string, some: readonly JsonObject[]) => {
    if (some.length === 0) return;
    streams.err(
      `\t${title}:\n${some.map((one) => `\t\t${field === "rules" ? ruleText(one) : subjectText(one)}\n`).join("")}`,
    );
  };
  told(`missing ${field} added`, missing);
  told(`extra ${field} removed`, extra);
}

function ruleText(rule: JsonObject): string {
  const fields = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];
  const titles = ["Verbs", "APIGroups", "Resources", "ResourceNames", "NonResourceURLs"];
  const words = (field: string) => (Array.isArray(rule[field]) ? rule[field].map(textOf).join(" ") : "");
  return `{${fields.map((field, index) => `${titles[index] ?? ""}:[${words(field)}]`).join(" ")}}`;
}

function subjectText(subject: JsonObject): string {
  const { kind, apiGroup, name, namespace } = objectAt({ subject }, "subject");
  return `{Kind:${textOf(kind)} APIGroup:${textOf(apiGroup)} Name:${textOf(name)} Namespace:${textOf(namespace)}}`;
}
