// Gives definitions the names they ask for, unless others of their group have them (upstream: naming_condition_controller).
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames as Names,
} from "../../../shared/k8s/api/apiextensions-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import {
  conditionOf,
  isSameCondition,
  type NewCondition,
  setCondition,
} from "../../kinds/apiextensions/custom-resource-definition/conditions.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { parseSummary, type Summary } from "../../kinds/apiextensions/custom-resource-definition/summary.ts";
import type { Client } from "../../registry/client.ts";
import { defineController, requestOf, type Request, watch } from "../../runtime/controller.ts";

export const crdNamingController = defineController({
  name: "crd-naming-condition-controller",
  user: "system:apiserver",
  component: "crd-naming-condition-controller",
  watches: [
    watch(customResourceDefinitions, function* (next, previous, client) {
      if (next) yield requestOf(next);
      const isFreed = !next || (previous && !semanticEqual(next.status.acceptedNames, previous.status.acceptedNames));
      if (isFreed) yield* waitingBeside(next ?? previous, client);
    }),
  ],
  reconcile({ name }, { client, nowMs }) {
    const found = client.get(customResourceDefinitions, "", name);
    if (!found || semanticEqual(found.spec.names, found.status.acceptedNames)) return undefined;
    const { names: acceptedNames, condition } = acceptNames(found, takenNames(found, client));
    const old = conditionOf(found, condition.type);
    if (semanticEqual(found.status.acceptedNames, acceptedNames) && isSameCondition(condition, old)) return undefined;
    const time = rfc3339(nowMs);
    const named = setCondition(found.status.conditions, condition, time);
    const conditions = setCondition(named, establishedOf(found, condition), time);
    client.updateStatus(customResourceDefinitions, {
      ...found,
      status: { ...found.status, acceptedNames, conditions },
    });
    return undefined;
  },
});

/** Names are not served before they are accepted; what is established stays so. */
function establishedOf(found: CustomResourceDefinition, named: NewCondition): NewCondition {
  const old = conditionOf(found, "Established");
  if (old?.status === "True") return old;
  const type = "Established";
  if (named.status === "True") {
    return { type, status: "False", reason: "Installing", message: "the initial names have been accepted" };
  }
  return old ?? { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}

/** The names of the group's other definitions, and its own. */
function takenNames(found: CustomResourceDefinition, client: Client): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames, kind, listKind } of summaries(found.spec.group, client)) {
    for (const one of [plural, singular, ...shortNames]) resources.add(one);
    for (const one of [kind, listKind]) kinds.add(one);
  }
  return { resources, kinds };
}

function* summaries(group: string, client: Client): Generator<Summary & { readonly name: string }> {
  for (const { name, indexValue } of client.indexValues(customResourceDefinitions)) {
    const summary = parseSummary(indexValue);
    if (summary.group === group) yield { ...summary, name };
  }
}

/** Others of the group that have not got all they ask for. */
function* waitingBeside(freed: CustomResourceDefinition | undefined, client: Client): Generator<Request> {
  if (!freed) return;
  for (const { name, isNamed } of summaries(freed.spec.group, client)) {
    if (!isNamed && name !== freed.metadata.name) yield { namespace: "", name };
  }
}

interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

interface Accepted {
  readonly names: Names;
  /** `NamesAccepted`. */
  readonly condition: NewCondition;
}

/** Of several conflicts the last one is told. */
function acceptNames({ spec, status }: CustomResourceDefinition, taken: TakenNames): Accepted {
  const [wanted, had] = [spec.names, status.acceptedNames];
  const names: Names = { ...had };
  let conflict: { reason: string; message: string } | undefined;
  const accept = (field: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>, reason: string) => {
    const [next = "", old = ""] = [wanted[field], had[field]];
    if (next === old || !used.has(next)) names[field] = next;
    else conflict = { reason, message: inUse(next) };
  };
  accept("plural", taken.resources, "PluralConflict");
  accept("singular", taken.resources, "SingularConflict");
  if (!semanticEqual(wanted.shortNames, had.shortNames)) {
    const mine = had.shortNames ?? [];
    const lost = (wanted.shortNames ?? []).filter((one) => !mine.includes(one) && taken.resources.has(one));
    if (lost.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregate(lost.map(inUse)) };
    else if (wanted.shortNames) names.shortNames = wanted.shortNames;
    else delete names.shortNames;
  }
  accept("kind", taken.kinds, "KindConflict");
  accept("listKind", taken.kinds, "ListKindConflict");
  if (wanted.categories) names.categories = wanted.categories;
  else delete names.categories;
  const type = "NamesAccepted";
  if (conflict) return { names, condition: { type, status: "False", ...conflict } };
  return { names, condition: { type, status: "True", reason: "NoConflicts", message: "no conflicts found" } };
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}
