// `kubectl auth reconcile`: adds the missing rules and subjects of files to roles and bindings, and reports the differences.
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
  const entriesOf = (object: JsonObject) =>
    field === "rules" && current ? listAt(object, field).flatMap(broken) : listAt(object, field);
  const [desired, existing] = [entriesOf(info.object), current ? entriesOf(current) : []];
  const missing = desired.filter((entry) => !existing.some((candidate) => equalJson(entry, candidate)));
  const extra = existing.filter((entry) => !desired.some((candidate) => equalJson(entry, candidate)));
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

/** Splits a rule into one rule for each verb, group, resource and name, so that rules can be compared. */
function broken(rule: JsonObject): JsonObject[] {
  const lists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];
  let rules: JsonObject[] = [{}];
  for (const field of lists) {
    const values = rule[field];
    if (Array.isArray(values) && values.length > 0)
      rules = rules.flatMap((partial) => values.map((value) => ({ ...partial, [field]: [value] })));
  }
  return rules;
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
  const report = (title: string, some: readonly JsonObject[]) => {
    if (some.length === 0) return;
    streams.err(
      `\t${title}:\n${some.map((entry) => `\t\t${field === "rules" ? ruleText(entry) : subjectText(entry)}\n`).join("")}`,
    );
  };
  report(`missing ${field} added`, missing);
  report(`extra ${field} removed`, extra);
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
