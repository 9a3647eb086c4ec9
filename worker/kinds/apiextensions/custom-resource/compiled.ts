// Compiled definitions: schemas, columns and paths. Compiled on first use and cached up to a bound.
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

/** The column of a definition without its own. */
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
  /** Whether the schema has rules at any position. */
  readonly hasRules: boolean;
  /** The meter that columns and selectable fields charge. */
  readonly meter: WorkMeter;
  readonly columns: readonly Column<KubeObject>[];
  /** The paths by the names in selectors. */
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
      const cached = versions.get(name);
      if (cached) return cached;
      const compiled = compileVersion(
        definition.spec.versions.find((version) => version.name === name),
        meter,
      );
      versions.set(name, compiled);
      return compiled;
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

/** A cache of compiled definitions, bounded in bytes of their JSON. Evicts the least recently used. */
export class CompiledDefinitions {
  readonly #maxBytes: number;
  readonly #meter: WorkMeter;
  readonly #load: (name: string) => CustomResourceDefinition | undefined;
  readonly #cache = new Map<string, { readonly compiled: Compiled; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number, load: (name: string) => CustomResourceDefinition | undefined, meter: WorkMeter) {
    this.#meter = meter;
    this.#maxBytes = maxBytes;
    this.#load = load;
  }

  /** Returns a compiled definition; undefined if it does not exist. */
  get(name: string): Compiled | undefined {
    const cached = this.#cache.get(name);
    if (cached) {
      // The most recently used entry is last.
      this.#cache.delete(name);
      this.#cache.set(name, cached);
      return cached.compiled;
    }
    const definition = this.#load(name);
    if (!definition) return undefined;
    const entry = { compiled: compile(definition, this.#meter), bytes: JSON.stringify(definition.spec).length };
    this.#cache.set(name, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#cache.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === name) break;
      this.forget(oldest);
    }
    return entry.compiled;
  }

  forget(name: string): void {
    this.#bytes -= this.#cache.get(name)?.bytes ?? 0;
    this.#cache.delete(name);
  }
}

function customColumns(
  meter: WorkMeter,
  definitions: readonly CustomResourceColumnDefinition[] = [],
): Column<KubeObject>[] {
  const all = definitions.length === 0 ? [ageDefinition] : definitions;
  const columns = all.map((definition) => columnOf(definition, meter));
  // Upstream shows only names if one of the paths is invalid.
  return [nameColumn, ...(columns.includes(undefined) ? [] : columns.filter((column) => column !== undefined))];
}

function columnOf(definition: CustomResourceColumnDefinition, meter: WorkMeter): Column<KubeObject> | undefined {
  const { name, type, format = "", description = "", priority = 0, jsonPath } = definition;
  const path = parseJsonPath(jsonPath);
  if (!path) return undefined;
  const pay = (work: number) => meter.charge(work);
  return {
    name,
    // Validation has checked the type.
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
