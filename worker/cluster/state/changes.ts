// The history of a cluster as the control API tells it: what was written, by whom and when, and which fields changed.
import { limits } from "../../../shared/base/limits.ts";
import type { ChangeList, ChangesQuery, RecordedChange } from "../../../shared/contract/snapshot.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { changedFields } from "../../../shared/state/changed-fields.ts";
import type { PastChange } from "../../store/cause.ts";
import type { PastWrite } from "../../store/past.ts";
import type { Store } from "../../store/store.ts";

const rowsAtOnce = 1000;
/** Writes after a deletion in which the time of it is looked for. */
const writesAfter = 10;
/** The resources whose changes are so frequent that they would hide all others. */
const leftOut = new Set(["", "events", "events.events.k8s.io", "leases.coordination.k8s.io"]);

/** The newest first. A page may be short, or empty, where what is asked for is far back: `next` is where to go on. */
export function changesOf(store: Store, query: ChangesQuery): ChangeList {
  const pastWrites: PastWrite[] = [];
  let before = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, store.revision + 1);
  for (let read = 0; read < limits.changesRead; ) {
    const writes = store.past.before(before, store.forgotten, rowsAtOnce);
    for (const write of writes) {
      before = write.revision;
      if (isAsked(write, query)) pastWrites.push(write);
      if (pastWrites.length === query.limit) return { changes: recordedChanges(store, pastWrites), next: before };
    }
    read += writes.length;
    if (writes.length < rowsAtOnce) return { changes: recordedChanges(store, pastWrites) };
  }
  return { changes: recordedChanges(store, pastWrites), next: before };
}

function isAsked(write: PastWrite, { resource, namespace, name }: ChangesQuery): boolean {
  if (resource === undefined ? leftOut.has(write.resource) : write.resource !== resource) return false;
  if (namespace !== undefined && write.namespace !== namespace) return false;
  return name === undefined || write.name === name;
}

function recordedChanges(store: Store, writes: readonly PastWrite[]): RecordedChange[] {
  let characters = 0;
  return writes.map((write) => {
    const [change, ...later] = store.history(write.revision - 1, writesAfter);
    if (!change || change.revision !== write.revision) throw new Error(`revision ${write.revision} is not in the log`);
    const changeTime = timeOf(change);
    const at = changeTime ?? later.map(timeOf).find((time) => time !== undefined);
    const notBefore =
      changeTime === undefined ? newestOf(change.type === "DELETED" ? change.object : change.previous) : changeTime;
    const isChange = change.type === "MODIFIED" && characters < limits.changesCharacters;
    const { fields, truncated } = isChange ? fieldsOf(change) : { fields: [], truncated: change.type === "MODIFIED" };
    characters += JSON.stringify(fields).length;
    const times = {
      ...(at === undefined ? {} : { at }),
      ...(notBefore === undefined || notBefore === at ? {} : { notBefore }),
    };
    return { ...describeChange(change), ...times, fields, truncated };
  });
}

const words = { ADDED: "created", MODIFIED: "changed", DELETED: "deleted" } as const;

function describeChange({ revision, type, resource, namespace, name, object, cause }: PastChange) {
  const { user, origin, auditId, impersonator, subresource, reactsTo } = cause;
  return {
    revision,
    change: words[type],
    resource,
    kind: object.kind,
    ...(namespace ? { namespace } : {}),
    name,
    user,
    origin,
    ...(auditId === undefined ? {} : { auditId }),
    ...(impersonator === undefined ? {} : { impersonator }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(reactsTo ? { reactsTo } : {}),
  };
}

function fieldsOf({ previous, object }: PastChange): Pick<RecordedChange, "fields" | "truncated"> {
  const all = changedFields(withoutBookkeeping(previous), withoutBookkeeping(object), limits.changedFields + 1);
  const fields = all.slice(0, limits.changedFields).map(({ path, ...values }) => {
    const isLong = JSON.stringify(values).length > limits.changedValueCharacters;
    return isLong ? { path } : { path, ...values };
  });
  return { fields, truncated: all.length > fields.length || fields.some((field) => Object.keys(field).length === 1) };
}

/** Without what every write changes. */
function withoutBookkeeping(object: KubeObject | undefined): object {
  if (!object) return {};
  const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * When it was written, to the second: no time is stored with a change, so it is what its making and its managers say. A write that took no
 * field over leaves their times as they were, and the last state of what is gone says nothing of its end: undefined.
 */
function timeOf({ type, object, previous }: PastChange): string | undefined {
  if (type === "DELETED") return undefined;
  const time = newestOf(object);
  return time !== undefined && type === "MODIFIED" && time === newestOf(previous) ? undefined : time;
}

/** The newest time that an object's managers tell. */
function newestOf(object: KubeObject | undefined): string | undefined {
  const times = (object?.metadata.managedFields ?? []).flatMap(({ time }) => time ?? []);
  return times.sort().at(-1) ?? object?.metadata.creationTimestamp;
}
