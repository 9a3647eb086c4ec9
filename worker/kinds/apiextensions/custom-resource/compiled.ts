// Definitions made ready for use: their schemas as they are walked, their columns and paths. Made when first needed, kept while
// there is room for them.
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceColumnDefinition,
} from "../../../../shared/k8s/api/apiextensions-v1.ts";
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import { type JsonPath, parseJsonPath } from "../../../../shared/k8s/json-path.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import { type StructuralSchema, structuralSchema } from "../../../../shared/schema/structural/schema.ts";
import { hasRules } from "../../../../shared/schema/structural/run-rules.ts";
import type { Column } from "../../kind.ts";
import { age, parseTime } from "../../../../shared/k8s/time.ts";
import { nameColumn } from "../../common/printers.ts";

/** What upstream prints where a definition has no columns. */
const ageDefinition: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  jsonPath: ".metadata.creationTimestamp",
};
type Cell = ReturnType<Column<KubeObject>["cell"]>;

export interface CompiledVersion {
  readonly definition: CustomResourceDefinitionVersion | undefined;
  readonly schema: StructuralSchema;
  /** Whether any place of the schema has rules. */
  readonly hasRules: boolean;
  /** The meter that columns and selectable fields charge. */
  readonly meter: WorkMeter;
  readonly columns: readonly Column<KubeObject>[];
  /** By the name that selectors call them. */
  readonly selectable: readonly (readonly [string, JsonPath])[];
}

export interface Compiled {
  readonly definition: CustomResourceDefinition;
  version(name: string): CompiledVersion;
}

export function compile(definition: CustomResourceDefinition, meter: WorkMeter): Compiled {
  const versions = new Map<string, CompiledVersion>();
  return {
    definition,
    version: (name) => {
      const known = versions.get(name);
      if (known) return known;
      const made = compileVersion(
        definition.spec.versions.find((one) => one.name === name),
        meter,
      );
      versions.set(name, made);
      return made;
    },
  };
}

function compileVersion(definition: CustomResourceDefinitionVersion | undefined, meter: WorkMeter): CompiledVersion {
  const fields = definition?.selectableFields ?? [];
  const props = definition?.schema?.openAPIV3Schema;
  return {
    definition,
    schema: structuralSchema(meter, props),
    hasRules: props !== undefined && hasRules(props),
    columns: customColumns(meter, definition?.additionalPrinterColumns),
    meter,
    selectable: fields.flatMap(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath);
      return path ? [[jsonPath.replace(/^\./, ""), path] as const] : [];
    }),
  };
}

/** Those used last, up to a bound of the bytes of their definitions as JSON. */
export class CompiledDefinitions {
  readonly #maxBytes: number;
  readonly #meter: WorkMeter;
  readonly #load: (name: string) => CustomResourceDefinition | undefined;
  readonly #kept = new Map<string, { readonly compiled: Compiled; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number, load: (name: string) => CustomResourceDefinition | undefined, meter: WorkMeter) {
    this.#meter = meter;
    this.#maxBytes = maxBytes;
    this.#load = load;
  }

  /** Undefined where the definition is gone. */
  get(name: string): Compiled | undefined {
    const kept = this.#kept.get(name);
    if (kept) {
      // The last used stands last.
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept.compiled;
    }
    const definition = this.#load(name);
    if (!definition) return undefined;
    const made = { compiled: compile(definition, this.#meter), bytes: JSON.stringify(definition.spec).length };
    this.#kept.set(name, made);
    this.#bytes += made.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === name) break;
      this.forget(oldest);
    }
    return made.compiled;
  }

  forget(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }
}

function customColumns(
  meter: WorkMeter,
  definitions: readonly CustomResourceColumnDefinition[] = [],
): Column<KubeObject>[] {
  const all = definitions.length === 0 ? [ageDefinition] : definitions;
  const columns = all.map((one) => columnOf(one, meter));
  // Upstream falls back to names where it cannot read one of the paths.
  return [nameColumn, ...(columns.includes(undefined) ? [] : columns.filter((one) => one !== undefined))];
}

function columnOf(definition: CustomResourceColumnDefinition, meter: WorkMeter): Column<KubeObject> | undefined {
  const { name, type, format = "", description = "", priority = 0, jsonPath } = definition;
  const path = parseJsonPath(jsonPath);
  if (!path) return undefined;
  const pay = (work: number) => meter.charge(work);
  return {
    name,
    // Validation has seen to it that it is one of these.
    type: type as Column<KubeObject>["type"],
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, nowMs) => cellOf(type, path.first(object, pay), nowMs),
  };
}

function cellOf(type: string, value: unknown, nowMs: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(parseTime(value)) ? "<invalid>" : age(value, nowMs);
    default:
      return null;
  }
}
