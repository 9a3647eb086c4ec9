// Which of the names that a definition asks for it gets: those that nobody else of its group has.
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames as Names,
} from "../../../shared/k8s/api/apiextensions-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { NewCondition } from "../../kinds/apiextensions/custom-resource-definition/conditions.ts";

export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface Accepted {
  readonly names: Names;
  /** `NamesAccepted`. */
  readonly condition: NewCondition;
}

/** Of several conflicts the last one is told. */
export function acceptNames({ spec, status }: CustomResourceDefinition, taken: TakenNames): Accepted {
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
