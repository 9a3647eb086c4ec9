// ControllerRevisions: what a workload remembers of its earlier templates, and what kubectl rolls back to.
import type { ControllerRevision } from "../../../shared/k8s/api/apps-v1.ts";
import type { PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { controllerRevisions } from "../../kinds/apps/controller-revision.ts";
import type { Client } from "../../registry/client.ts";
import { type Owner, claim } from "./controller-ref.ts";
import { sorted } from "./pod-hash.ts";

/** On pods, and on the revisions of DaemonSets. */
export const controllerRevisionHashLabelKey = "controller-revision-hash";

/** The revisions of the owner. */
export function ownRevisions(client: Client, owner: Owner, isFirstTime: boolean): ControllerRevision[] {
  return claim(client, controllerRevisions, owner, { isFirstTime });
}

/** What a revision holds: a strategic merge patch that puts the template back as it was, in the order in which Go writes a map. */
export function templatePatch(template: PodTemplateSpec): unknown {
  return sorted({ spec: { template: { $patch: "replace", ...template } } });
}

/** The template that a revision puts back. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  // Whatever is there is read as a template; the mark of the patch is no field of it.
  const { spec } = (data ?? {}) as { readonly spec?: { readonly template?: unknown } };
  return decode("io.k8s.api.core.v1.PodTemplateSpec", spec?.template).object as PodTemplateSpec;
}

/** The text of a revision's data as Go's encoder writes it, so that equality and hash are those of upstream's bytes. */
export function dataText(data: unknown): string {
  return JSON.stringify(sorted(data)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function highestRevision(revisions: readonly ControllerRevision[]): number {
  return Math.max(0, ...revisions.map(({ revision }) => revision));
}

/** Lowest first; then oldest, then by name. */
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
