// The specification of a watch as a value that a hibernated socket can store, and the rendering of its events.
import { base64Of } from "../../../shared/base/base64.ts";
import { must } from "../../../shared/base/assert.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import type { FaultClient, WatchFaults } from "../faults.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Catalogue } from "../../registry/catalogue.ts";
import { toProtobufEvent } from "../../../shared/schema/protobuf/protobuf-object.ts";
import { type Change, deletedForm } from "../../store/change.ts";
import { mayHaveNulls, withNulls } from "../present/nulls.ts";
import type { OutputType } from "../negotiation/negotiation.ts";
import { inVersion, storedKind } from "../present/present.ts";
import { matches, type Selection, selectionOf } from "./query.ts";
import { columnDefinitions, type IncludeObject, partialObjectMetadata, tableOf } from "../present/table.ts";

/** A watch specification. Equal specifications are rendered once for all their watchers. */
export interface WatchSpec {
  readonly apiVersion: string;
  readonly plural: string;
  /** "" for all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Undefined: the plain object. */
  readonly as?: OutputType["as"];
  readonly includeObject?: IncludeObject;
  /** Undefined: JSON. */
  readonly encoding?: "protobuf";
  /** The revision after which the watch starts, if it was requested in the future. */
  readonly after?: number;
  /** The client, while faults select watches by it. Such watches are rendered for each client. */
  readonly client?: FaultClient;
}

export interface Renderer {
  /** The resource in the store. */
  readonly resource: string;
  /**
   * Returns the line of a change with its newline, or undefined if the watch does not select it. A line is an event as JSON, or the base64
   * of an event in protobuf.
   */
  change(change: Change, nowMs: number): string | undefined;
  /** Returns the line of an existing object; undefined if it is not selected. */
  initial(object: KubeObject, text: string, nowMs: number): string | undefined;
  /** Returns the line of the BOOKMARK that ends the initial events. */
  initialEventsEnd(revision: string): string;
  /** Returns a BOOKMARK at a revision, or with a placeholder for it. */
  bookmark(revision: string): object;
  /** The columns of a watch as Tables, which only its first line has. The lines of this renderer leave them out. */
  readonly columns?: string;
  /** See `WatchSpec`. */
  readonly client?: FaultClient | undefined;
}

type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

/** Returns the renderer of a specification. Cells of Tables charge the meter. */
export function rendererOf(catalogue: Catalogue, meter: WorkMeter, spec: WatchSpec): Renderer {
  const kind = must(catalogue.byPath(spec.apiVersion, spec.plural), `kind of ${spec.plural}`);
  const selection = selectionOf(kind, meter, spec.labelSelector, spec.fieldSelector);
  const plain = !spec.as && !spec.encoding && !kind.conversion?.hub;
  const encode = spec.encoding === "protobuf" ? protobufLine : jsonLine;
  const inNamespace = (namespace: string) => spec.namespace === "" || spec.namespace === namespace;
  const line = (type: EventType, object: KubeObject, nowMs: number, text?: string): string =>
    plain && text !== undefined && !mayHaveNulls(kind, text) && inVersion(kind, object) === object
      ? `{"type":"${type}","object":${text}}\n`
      : encode(type, renderedObject(kind, meter, spec, object, nowMs));
  const bookmark = (revision: string, annotations?: Record<string, string>): KubeObject => {
    const metadata = { resourceVersion: revision, ...(annotations ? { annotations } : {}) };
    const object = { kind: kind.kind, apiVersion: kind.apiVersion, metadata };
    return spec.as ? { ...emptyOf(kind), ...object } : object;
  };
  return {
    resource: storedKind(kind).resource,
    client: spec.client,
    initial: (object, text, nowMs) => {
      if (!selected(kind, selection, object)) return undefined;
      return kind.decorator
        ? line("ADDED", kind.decorator.decorate(object, nowMs), nowMs)
        : line("ADDED", object, nowMs, text);
    },
    change: (change, nowMs) => {
      if (!inNamespace(change.namespace) || change.revision <= (spec.after ?? 0)) return undefined;
      const is = change.type !== "DELETED" && selected(kind, selection, change.object);
      const was = change.previous !== undefined && selected(kind, selection, change.previous);
      if (is) return line(was ? "MODIFIED" : "ADDED", change.object, nowMs, change.text);
      if (!was) return undefined;
      // An object that left the selection is sent as it was, at the revision at which it left.
      if (change.type === "DELETED") return line("DELETED", change.object, nowMs, change.text);
      return line("DELETED", deletedForm(must(change.previous, "previous"), change.revision), nowMs);
    },
    initialEventsEnd: (revision) => line("BOOKMARK", bookmark(revision, { "k8s.io/initial-events-end": "true" }), 0),
    ...(spec.as?.kind === "Table" ? { columns: JSON.stringify(columnDefinitions(kind)) } : {}),
    bookmark: (revision) => ({ type: "BOOKMARK", object: renderedObject(kind, meter, spec, bookmark(revision), 0) }),
  };
}

/** Returns a renderer that leaves out the changes that faults hide from its client. */
export function faultyRenderer(renderer: Renderer, faults: WatchFaults | undefined): Renderer {
  const { client } = renderer;
  if (!client || !faults) return renderer;
  return {
    ...renderer,
    change: (change, nowMs) => {
      const line = renderer.change(change, nowMs);
      return line !== undefined && !faults.isIdle && faults.hides(client, change) ? undefined : line;
    },
  };
}

function selected(kind: Kind, selection: Selection, stored: KubeObject): boolean {
  return selection.all || matches(kind, selection, inVersion(kind, stored));
}

function jsonLine(type: EventType, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function protobufLine(type: EventType, object: object): string {
  return `${base64Of(toProtobufEvent(type, object))}\n`;
}

function renderedObject(kind: Kind, meter: WorkMeter, spec: WatchSpec, stored: KubeObject, nowMs: number): object {
  const isConverted = kind.conversion?.hub !== undefined && stored.apiVersion === kind.apiVersion;
  const object = isConverted ? stored : inVersion(kind, stored);
  if (!spec.as) return spec.encoding ? object : withNulls(kind, object);
  if (spec.as.kind !== "Table") return partialObjectMetadata(object, spec.as.version);
  return tableOf(kind, [object], {
    meter,
    rowWork: limits.eventRowWork,
    nowMs,
    includeObject: spec.includeObject ?? "Metadata",
    metadata: { resourceVersion: object.metadata.resourceVersion ?? "" },
    version: spec.as.version,
    headers: false,
  });
}

/** Returns an empty object for a bookmark: as a Table it has a row with cells. */
function emptyOf(kind: Kind): object {
  return kind.schema.empty(kind.apiVersion, kind.kind);
}
