// The facts of an older release: those of the newest one with the differences of the generated table. The table is parsed when the first
// sandbox of an older release needs it.
import type { GateState } from "../../../k8s/settings/feature-gates.ts";
import { type KubernetesVersion, newestVersion } from "../../../k8s/settings/release.ts";
import { must } from "../../../base/assert.ts";
import { addScope, enumValuesOf, fieldFactsOf, scopedName, type TypeScope } from "./scoped-types.ts";
import { type FieldFacts, typeFacts } from "../../type-facts.ts";
import type { ReleaseTable, ResourceChanges, TypeChanges } from "./release-table.ts";
import { table } from "./table.ts";

export interface ReleaseFacts {
  readonly scope: TypeScope;
  /** Returns how the resource differs; null if the release does not serve it. */
  resource(group: string, version: string, plural: string): ResourceChanges | null | undefined;
  /** The group versions of all registered kinds. */
  readonly groupVersions: readonly { readonly group: string; readonly version: string }[];
  readonly gates: Readonly<Record<string, GateState | null>>;
  readonly policy: ReleaseTable["policy"];
}

let tables: Readonly<Record<string, ReleaseTable>> | undefined;
const releases = new Map<string, ReleaseFacts>();

/** Returns the facts of a release; undefined for the newest one. */
export function releaseFacts(version: KubernetesVersion): ReleaseFacts | undefined {
  if (version === newestVersion) return undefined;
  const cached = releases.get(version);
  if (cached) return cached;
  // The generator writes this form.
  tables ??= JSON.parse(table) as Readonly<Record<string, ReleaseTable>>;
  const changes = must(tables[version], `the differences of ${version}`);
  const facts: ReleaseFacts = {
    scope: scopeOf(version, changes),
    resource: (group, apiVersion, plural) => changes.resources[`${group}/${apiVersion}/${plural}`],
    groupVersions: changes.groupVersions.map((text) => {
      const [group = "", apiVersion = ""] = text.split("/");
      return { group, version: apiVersion };
    }),
    gates: changes.gates,
    policy: changes.policy,
  };
  addScope(version, facts.scope);
  releases.set(version, facts);
  return facts;
}

function scopeOf(version: string, { types, addedTypes, enums }: ReleaseTable): TypeScope {
  const changed = changedTypes(new Set([types, addedTypes, enums].flatMap(Object.keys)));
  const qualify = (name: string) => (changed.has(name) ? scopedName(name, version) : name);
  return {
    qualify,
    enumValues: (name) => enums[name] ?? enumValuesOf(name),
    fields: (name) => {
      const fields = addedTypes[name] ?? fieldFactsOf(name);
      return fields && changedFields(fields, types[name]).map((field) => qualified(field, qualify));
    },
  };
}

/** Returns the types that differ, and all that contain one of them. */
function changedTypes(changed: ReadonlySet<string>): ReadonlySet<string> {
  const containers = new Map<string, string[]>();
  for (const name of Object.keys(typeFacts.types)) {
    for (const { type, inline } of fieldFactsOf(name) ?? []) {
      const contained = inline ?? (typeof type === "string" ? type.replace(/^enum:/, "") : "");
      const names = containers.get(contained);
      if (names) names.push(name);
      else containers.set(contained, [name]);
    }
  }
  const all = new Set(changed);
  for (const name of all) for (const container of containers.get(name) ?? []) all.add(container);
  return all;
}

function changedFields(fields: readonly FieldFacts[], changes: TypeChanges = {}): readonly FieldFacts[] {
  const { removed = [], changed = {}, added = [] } = changes;
  const present = fields.filter((field) => !removed.includes(keyOf(field)));
  const mended = present.map((field) => {
    const differences = changed[keyOf(field)];
    if (!differences) return field;
    // The table has facts of fields; null stands for an absent one.
    const entries = Object.entries({ ...field, ...differences }).filter(([, value]) => value !== null);
    const mendedField: FieldFacts = Object.fromEntries(entries);
    return mendedField;
  });
  return [...mended, ...added];
}

function keyOf({ json, inline }: FieldFacts): string {
  return json ?? inline ?? "";
}

function qualified(field: FieldFacts, qualify: (name: string) => string): FieldFacts {
  const { type, inline } = field;
  if (inline !== undefined) return { ...field, inline: qualify(inline) };
  if (typeof type !== "string") return field;
  const isEnum = type.startsWith("enum:");
  return { ...field, type: isEnum ? `enum:${qualify(type.slice(5))}` : qualify(type) };
}
