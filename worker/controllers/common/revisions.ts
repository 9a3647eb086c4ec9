// ControllerRevisions: the earlier templates of a workload, which kubectl rolls back to.
import type { Release } from "../../../shared/k8s/settings/release.ts";
import type { ControllerRevision } from "../../../shared/k8s/api/apps-v1.ts";
import type { PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { controllerRevisions } from "../../kinds/apps/controller-revision.ts";
import type { Client } from "../../registry/client.ts";
import { type Owner, claim } from "./controller-ref.ts";
import { sortKeys } from "./pod-hash.ts";

/** The label of pods and of the revisions of DaemonSets. */
export const controllerRevisionHashLabelKey = "controller-revision-hash";

/** Returns the revisions of the owner. */
export function ownRevisions(client: Client, owner: Owner, isFirstTime: boolean): ControllerRevision[] {
  return claim(client, controllerRevisions, owner, { isFirstTime });
}

/**
 * Returns the data of a revision: a strategic merge patch that restores the template, in Go's order of map keys. Before 1.34, it has the
 * unset time of the template's metadata.
 */
export function templatePatch(template: PodTemplateSpec, { minor }: Pick<Release, "minor">): unknown {
  const metadata = { ...(minor < 34 ? { creationTimestamp: null } : {}), ...template.metadata };
  return sortKeys({ spec: { template: { $patch: "replace", ...template, metadata } } });
}

/** Reports whether data restores the template of a patch. An unset time, which an older release wrote, makes no difference. */
export function isSameTemplate(data: unknown, patch: unknown): boolean {
  return withoutUnsetTime(dataText(data)) === withoutUnsetTime(dataText(patch));
}

function withoutUnsetTime(text: string): string {
  return text.replace('"creationTimestamp":null,', "");
}

/** Returns the template that a revision restores. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  // Any data is read as a template. The marker of the patch is not part of it.
  const { spec } = (data ?? {}) as { readonly spec?: { readonly template?: unknown } };
  return decode("io.k8s.api.core.v1.PodTemplateSpec", spec?.template).object as PodTemplateSpec;
}

/** Encodes a revision's data as Go does, so that comparisons and hashes equal upstream's. */
export function dataText(data: unknown): string {
  return JSON.stringify(sortKeys(data)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function highestRevision(revisions: readonly ControllerRevision[]): number {
  return Math.max(0, ...revisions.map(({ revision }) => revision));
}

/** Compares by revision, then by age, then by name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return (
    a.revision - b.revision ||
    compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

export function setRevision(client: Client, revision: ControllerRevision, number: number): ControllerRevision {
  if (revision.revision === number) return revision;
  return client.update(controllerRevisions, { ...revision, revision: number });
}

export function deleteRevision(client: Client, { metadata }: ControllerRevision): void {
  client.tryDelete(controllerRevisions, metadata.namespace ?? "", metadata.name ?? "");
}

function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
