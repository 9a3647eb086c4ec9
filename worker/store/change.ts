// A change of the log, in the form in which informers and watches receive it.
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { freeze } from "./freeze.ts";

export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new state. For a deletion it is the last state with the resourceVersion of the deletion, as in etcd3 watches. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** The JSON text of `object`. */
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
  // Compaction keeps the value that a stored change replaced.
  const object = deletedForm(must(previous, "what was deleted"), revision);
  return { revision, type: "DELETED", resource, namespace, name, object, previous, text: JSON.stringify(object) };
}

/** Returns the last state with the revision of the deletion. */
export function deletedForm(last: KubeObject, revision: number): KubeObject {
  return freeze({ ...last, metadata: { ...last.metadata, resourceVersion: String(revision) } });
}

function parse(text: string): KubeObject {
  // Only `commit` writes these texts, from decoded objects.
  return freeze(JSON.parse(text) as KubeObject);
}
