// One change of the log, as informers and watches see it.
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { freeze } from "./freeze.ts";

export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new state; for a deletion the last one, with the deletion's resourceVersion (as etcd3 watches give it). */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** `object` as JSON. */
  readonly text: string;
}

export interface ChangeRow {
  readonly revision: number;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly value: string | null;
  readonly cause: string;
  readonly previous: number | null;
  readonly previous_value: string | null;
}

export function changeFromRow(row: ChangeRow): Change {
  const { revision, resource, namespace, name } = row;
  const previous = row.previous_value === null ? undefined : parse(row.previous_value);
  if (row.value !== null) {
    const type = row.previous === null ? "ADDED" : "MODIFIED";
    return { revision, type, resource, namespace, name, object: parse(row.value), previous, text: row.value };
  }
  // Compaction keeps what a kept change replaced.
  const object = deletedForm(must(previous, "what was deleted"), revision);
  return { revision, type: "DELETED", resource, namespace, name, object, previous, text: JSON.stringify(object) };
}

/** The last state under the deletion's revision. */
export function deletedForm(last: KubeObject, revision: number): KubeObject {
  return freeze({ ...last, metadata: { ...last.metadata, resourceVersion: String(revision) } });
}

function parse(text: string): KubeObject {
  // Only commit writes these texts, from decoded objects.
  return freeze(JSON.parse(text) as KubeObject);
}
