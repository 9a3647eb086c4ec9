// What one watch shows, as a value that a hibernated socket can keep; and how a change looks to it.
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import { decode } from "../../shared/schema/decode.ts";
import type { Change } from "../store/change.ts";
import { deletedForm } from "../store/change.ts";
import type { OutputType } from "./negotiation.ts";
import { inVersion, storedKind } from "./present.ts";
import { matches, type Selection, selectionOf } from "./query.ts";
import { type IncludeObject, partialObjectMetadata, tableOf } from "./table.ts";

/** Equal specs are rendered once, whatever the number of watchers. */
export interface WatchSpec {
  readonly apiVersion: string;
  readonly plural: string;
  /** "" for all. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Absent: the object as it is. */
  readonly as?: OutputType["as"];
  readonly includeObject?: IncludeObject;
  /** Only what comes after this revision: the watch was asked to begin at one that is yet to come. */
  readonly after?: number;
}

export interface Renderer {
  /** The resource in the store. */
  readonly resource: string;
  /** The line of a change (with its newline), or undefined where it does not concern this watch. */
  change(change: Change, nowMs: number): string | undefined;
  /** The line of an object that was there before; undefined where it is not selected. */
  initial(object: KubeObject, text: string, nowMs: number): string | undefined;
  /** A BOOKMARK at a revision, or with a placeholder for it. */
  bookmark(revision: string, initialEventsEnd: boolean): string;
}

type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

export function rendererOf(catalogue: Catalogue, spec: WatchSpec): Renderer {
  const kind = must(catalogue.byPath(spec.apiVersion, spec.plural), `kind of ${spec.plural}`);
  const selection = selectionOf(kind, spec.labelSelector, spec.fieldSelector);
  const plain = !spec.as && !kind.otherVersionOf;
  const inNamespace = (namespace: string) => spec.namespace === "" || spec.namespace === namespace;
  const line = (type: EventType, object: KubeObject, nowMs: number, text?: string): string =>
    plain && text !== undefined
      ? `{"type":"${type}","object":${text}}\n`
      : `${JSON.stringify({ type, object: shown(kind, spec, object, nowMs) })}\n`;
  return {
    resource: storedKind(kind).resource,
    initial: (object, text, nowMs) =>
      selected(kind, selection, object) ? line("ADDED", object, nowMs, text) : undefined,
    change: (change, nowMs) => {
      if (!inNamespace(change.namespace) || change.revision <= (spec.after ?? 0)) return undefined;
      const is = change.type !== "DELETED" && selected(kind, selection, change.object);
      const was = change.previous !== undefined && selected(kind, selection, change.previous);
      if (is) return line(was ? "MODIFIED" : "ADDED", change.object, nowMs, change.text);
      if (!was) return undefined;
      // What left the selection is shown as it was, at the revision at which it left.
      if (change.type === "DELETED") return line("DELETED", change.object, nowMs, change.text);
      return line("DELETED", deletedForm(must(change.previous, "previous"), change.revision), nowMs);
    },
    bookmark: (revision, initialEventsEnd) => {
      const annotations = initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
      const metadata = { resourceVersion: revision, ...annotations };
      const object = { kind: kind.kind, apiVersion: kind.apiVersion, metadata };
      return line("BOOKMARK", spec.as ? { ...emptyOf(kind), ...object } : object, 0);
    },
  };
}

function selected(kind: Kind, selection: Selection, stored: KubeObject): boolean {
  return selection.all || matches(kind, selection, inVersion(kind, stored));
}

function shown(kind: Kind, spec: WatchSpec, stored: KubeObject, nowMs: number): unknown {
  const object = kind.otherVersionOf && stored.apiVersion !== kind.apiVersion ? inVersion(kind, stored) : stored;
  if (!spec.as) return object;
  if (spec.as.kind !== "Table") return partialObjectMetadata(object, spec.as.version);
  return tableOf(kind, [object], {
    nowMs,
    includeObject: spec.includeObject ?? "Metadata",
    metadata: { resourceVersion: object.metadata.resourceVersion ?? "" },
    version: spec.as.version,
  });
}

/** A bookmark has no object, but a Table of it has a row: its cells come from an empty one. */
function emptyOf(kind: Kind): object {
  const { object } = decode(kind.type, { apiVersion: kind.apiVersion, kind: kind.kind, metadata: {} });
  return object as object;
}
