// A small summary of a definition for serving and discovering its kinds. A cluster that starts reads the summaries of up to a thousand
// definitions, and none of their schemas.
import type { CustomResourceDefinition } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { isTrue } from "./conditions.ts";

export interface VersionSummary {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning?: string | undefined;
}

export interface Summary {
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Whether all requested names are accepted. */
  readonly isNamed: boolean;
  readonly established: boolean;
  readonly terminating: boolean;
  /** Changes whenever the validation of instances changes. */
  readonly generation: number;
  readonly uid: string;
  readonly versions: readonly VersionSummary[];
}

export function summaryOf(definition: CustomResourceDefinition): string {
  const { spec, status, metadata } = definition;
  const { acceptedNames: names } = status;
  const summary: Summary = {
    group: spec.group,
    plural: names.plural,
    singular: names.singular ?? "",
    kind: names.kind,
    listKind: names.listKind ?? "",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === "Namespaced",
    isNamed: isTrue(definition, "NamesAccepted"),
    established: isTrue(definition, "Established"),
    terminating: isTrue(definition, "Terminating"),
    generation: metadata.generation ?? 0,
    uid: metadata.uid ?? "",
    versions: spec.versions.map((version) => ({
      name: version.name,
      served: version.served,
      storage: version.storage,
      hasStatus: version.subresources?.status !== undefined,
      hasScale: version.subresources?.scale !== undefined,
      deprecated: version.deprecated ?? false,
      deprecationWarning: version.deprecationWarning,
    })),
  };
  return JSON.stringify(summary);
}

/** Parses a text that `summaryOf` wrote. */
export function parseSummary(text: string): Summary {
  return JSON.parse(text) as Summary;
}
