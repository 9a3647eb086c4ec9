// Builds the kinds of a definition, which are values like built-in kinds. Names come from the summary. Schemas are looked up on first use.
import { equalJson } from "../../../../shared/schema/json-values.ts";
import { type KubeObject, groupVersion } from "../../../../shared/k8s/meta.ts";
import { publishedSchemas } from "../../../../shared/schema/structural/openapi.ts";
import type { Kind, KindFacts, CustomOpenApi, SubresourceStrategy } from "../../kind.ts";
import type { CompiledVersion } from "./compiled.ts";
import { validateCreated, validateStatus, validateUpdated } from "./validation.ts";
import { customScale } from "./scale.ts";
import { type StoredDefinition, storageConversion } from "./stored-form.ts";
import type { Summary, VersionSummary } from "../custom-resource-definition/summary.ts";
import { compareVersions } from "../../../../shared/k8s/versions.ts";
import { qualifiedName } from "../../../../shared/k8s/names.ts";

const standard = ["orphan", "foregroundDeletion", "kubernetes"];

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"] as const;
const written = ["get", "patch", "put"];
const terminating = "create not allowed while custom resource definition is terminating";

export interface CustomKinds {
  /** The served kinds, the stored version first. */
  readonly served: readonly Kind[];
  /** The kind of the stored version, served or not. */
  readonly stored: Kind | undefined;
}

/** Builds the kinds. `compiledVersion` looks up a version. `revision` is that of the definition's last change. */
export function customKinds(
  summary: Summary,
  revision: number,
  compiledVersion: (version: string) => CompiledVersion,
  { convert, needsWebhook, meter }: Pick<StoredDefinition, "convert" | "needsWebhook" | "meter">,
): CustomKinds {
  const storage = summary.versions.find((version) => version.storage);
  const definition: StoredDefinition = {
    group: summary.group,
    meter,
    storage: storage?.name ?? "",
    isServed: storage?.served ?? false,
    revision,
    compiledVersion,
    convert,
    needsWebhook,
  };
  const all = [...summary.versions].sort((a, b) => Number(b.storage) - Number(a.storage));
  const kinds = all.map((version) => ({ version, kind: customKind(summary, version, definition) }));
  return {
    served: kinds.filter(({ version }) => version.served).map(({ kind }) => kind),
    stored: kinds.find(({ version }) => version.storage)?.kind,
  };
}

function customKind(summary: Summary, version: VersionSummary, definition: StoredDefinition): Kind {
  const compiledVersion = () => definition.compiledVersion(version.name);
  const deprecation = deprecationOf(summary, version);
  const { hasStatus, hasScale } = version;
  const kind: Kind = {
    ...namesOf(summary, version),
    get schema() {
      return compiledVersion().schema;
    },
    get columns() {
      return compiledVersion().columns;
    },
    metadataRules: "apimachinery",
    custom: { listKind: summary.listKind, openApi: openApiOf(summary, version, compiledVersion) },
    allowUnconditionalUpdate: false,
    conversion: storageConversion(definition, version.name),
    ...(summary.terminating ? { refusesCreation: terminating } : {}),
    ...(deprecation === undefined ? {} : { deprecation }),
    prepareForCreate: (draft) => (hasStatus ? dropStatus(draft) : undefined),
    prepareForUpdate: (draft) => ((draft as WithStatus).status === undefined ? dropStatus(draft) : undefined),
    raisesGeneration: (next, previous) => !equalJson(withoutMetadata(next), withoutMetadata(previous)),
    validate: (object, { meter }) => validateCreated(object, compiledVersion(), meter),
    validateUpdate: (next, previous, check, context) => [
      ...check.objectMetaUpdate(),
      ...validateUpdated(next, previous, compiledVersion(), context),
    ],
    warnings: finalizerWarnings,
    selectableFields: (object) => selectable(object, compiledVersion()),
    ...(hasStatus
      ? {
          subresourceStrategies: { status: statusStrategy(compiledVersion) },
          resetFields: { status: ["metadata", "spec"] },
        }
      : {}),
  };
  if (!hasScale) return kind;
  return Object.defineProperty(kind, "scale", { get: () => scaleOf(compiledVersion()), enumerable: true });
}

type WithStatus = KubeObject & { status?: unknown };

function namesOf(summary: Summary, { name: version, hasStatus, hasScale }: VersionSummary): Omit<KindFacts, "schema"> {
  const { group, kind, plural } = summary;
  return {
    group,
    version,
    kind,
    plural,
    singular: summary.singular,
    namespaced: summary.namespaced,
    verbs,
    shortNames: summary.shortNames,
    categories: summary.categories,
    subresources: { ...(hasStatus ? { status: written } : {}), ...(hasScale ? { scale: written } : {}) },
    type: typeName(group, version, kind),
    apiVersion: groupVersion(group, version),
    resource: `${plural}.${group}`,
    groupResource: { group, name: plural },
    groupKind: { group, name: kind },
  };
}

function openApiOf(
  summary: Summary,
  { name: version }: VersionSummary,
  compiledVersion: () => CompiledVersion,
): CustomOpenApi {
  const { group, kind, listKind, plural } = summary;
  const type = typeName(group, version, kind);
  return {
    tag: `${summary.uid}.${summary.generation}`,
    schemas: (openApi, describe) => {
      const { definition } = compiledVersion();
      const selectableFields = (definition?.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ""));
      const props = definition?.schema?.openAPIV3Schema;
      const published = { group, version, kind, listKind, plural, type, props, selectableFields };
      return publishedSchemas(published, openApi, describe);
    },
  };
}

function typeName(group: string, version: string, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

function dropStatus(draft: WithStatus): void {
  delete draft.status;
}

function withoutMetadata({ metadata: _, ...rest }: KubeObject): object {
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}

function scaleOf({ definition }: CompiledVersion) {
  const scale = definition?.subresources?.scale;
  return scale && customScale(scale);
}

function selectable(object: KubeObject, { selectable: paths, meter }: CompiledVersion): Record<string, string> {
  return Object.fromEntries(
    paths.map(([name, path]) => {
      const value = path.first(object, (work) => meter.charge(work));
      return [
        name,
        value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value),
      ];
    }),
  );
}

/** Returns the strategy of the status subresource, whose updates change only the status and validate only its schema. */
function statusStrategy(compiledVersion: () => CompiledVersion): SubresourceStrategy<KubeObject> {
  return {
    prepareForUpdate(draft: WithStatus, previous) {
      const { status } = draft;
      const { managedFields } = draft.metadata;
      for (const name of Object.keys(draft)) Reflect.deleteProperty(draft, name);
      Object.assign(draft, structuredClone(previous));
      if (managedFields) draft.metadata.managedFields = managedFields;
      else delete draft.metadata.managedFields;
      if (status === undefined) delete draft.status;
      else draft.status = status;
    },
    validateUpdate: (next, previous, context) => validateStatus(next, previous, compiledVersion(), context),
  };
}

function deprecationOf(summary: Summary, version: VersionSummary): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, kind, versions } = summary;
  const newer = versions
    .filter(
      (candidate) => candidate.served && !candidate.deprecated && compareVersions(candidate.name, version.name) < 0,
    )
    .map(({ name }) => name)
    .sort(compareVersions);
  const instead = newer[0] === undefined ? "" : `; use ${group}/${newer[0]} ${kind}`;
  return `${group}/${version.name} ${kind} is deprecated${instead}`;
}

function finalizerWarnings(next: KubeObject, previous: KubeObject | undefined): string[] {
  const before = previous?.metadata.finalizers ?? [];
  const added = [...new Set(next.metadata.finalizers ?? [])].filter((finalizer) => !before.includes(finalizer)).sort();
  return added.flatMap(warningsOf);
}

function warningsOf(finalizer: string): string[] {
  const of = `metadata.finalizers: ${JSON.stringify(finalizer)}`;
  const warnings = qualifiedName(finalizer).map((message) => `${of}: ${message}`);
  if (finalizer.includes("/") || standard.includes(finalizer)) return warnings;
  const path = finalizer.includes(".") ? " including a path (/)" : "";
  const suffix = "to avoid accidental conflicts with other finalizer writers";
  return [...warnings, `${of}: prefer a domain-qualified finalizer name${path} ${suffix}`];
}
