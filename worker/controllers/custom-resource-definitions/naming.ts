// Accepts the names of definitions unless other definitions of the group use them (upstream: naming_condition_controller).
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
    const definition = client.get(customResourceDefinitions, "", name);
    if (!definition || semanticEqual(definition.spec.names, definition.status.acceptedNames)) return undefined;
    const { names: acceptedNames, condition } = acceptNames(definition, takenNames(definition, client));
    const old = conditionOf(definition, condition.type);
    if (semanticEqual(definition.status.acceptedNames, acceptedNames) && isSameCondition(condition, old))
      return undefined;
    const time = rfc3339(nowMs);
    const named = setCondition(definition.status.conditions, condition, time);
    const conditions = setCondition(named, establishedOf(definition, condition), time);
    client.updateStatus(customResourceDefinitions, {
      ...definition,
      status: { ...definition.status, acceptedNames, conditions },
    });
    return undefined;
  },
});

/** Returns the condition Established. Names are served only after they are accepted. An established definition stays established. */
function establishedOf(definition: CustomResourceDefinition, named: NewCondition): NewCondition {
  const old = conditionOf(definition, "Established");
  if (old?.status === "True") return old;
  const type = "Established";
  if (named.status === "True") {
    return { type, status: "False", reason: "Installing", message: "the initial names have been accepted" };
  }
  return old ?? { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}

/** Returns the names of the group's other definitions. */
function takenNames(definition: CustomResourceDefinition, client: Client): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames, kind, listKind } of summaries(definition.spec.group, client)) {
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  return { resources, kinds };
}

function* summaries(group: string, client: Client): Generator<Summary & { readonly name: string }> {
  for (const { name, indexValue } of client.indexValues(customResourceDefinitions)) {
    const summary = parseSummary(indexValue);
    if (summary.group === group) yield { ...summary, name };
  }
}

/** Requests other definitions of the group whose names were not accepted. */
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
  /** The condition `NamesAccepted`. */
  readonly condition: NewCondition;
}

/** Accepts names. If there are several conflicts, the condition shows the last one. */
function acceptNames({ spec, status }: CustomResourceDefinition, taken: TakenNames): Accepted {
  const [requested, had] = [spec.names, status.acceptedNames];
  const names: Names = { ...had };
  let conflict: { reason: string; message: string } | undefined;
  const accept = (field: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>, reason: string) => {
    const [next = "", old = ""] = [requested[field], had[field]];
    if (next === old || !used.has(next)) names[field] = next;
    else conflict = { reason, message: inUse(next) };
  };
  accept("plural", taken.resources, "PluralConflict");
  accept("singular", taken.resources, "SingularConflict");
  if (!semanticEqual(requested.shortNames, had.shortNames)) {
    const mine = had.shortNames ?? [];
    const lost = (requested.shortNames ?? []).filter(
      (shortName) => !mine.includes(shortName) && taken.resources.has(shortName),
    );
    if (lost.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregate(lost.map(inUse)) };
    else if (requested.shortNames) names.shortNames = requested.shortNames;
    else delete names.shortNames;
  }
  accept("kind", taken.kinds, "KindConflict");
  accept("listKind", taken.kinds, "ListKindConflict");
  if (requested.categories) names.categories = requested.categories;
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
