// What an undo takes back: the newest request of a user that wrote something, and all that was written since.
import { limits } from "../../../shared/base/limits.ts";
import type { UndoneObject, Undoing } from "../../../shared/contract/cluster-state.ts";
import type { Cause } from "../../store/cause.ts";
import { type Key, keyText } from "../../store/index-by-owner.ts";
import type { PastWrite } from "../../store/past.ts";
import type { Store } from "../../store/store.ts";

type Request = Cause & Required<Pick<Cause, "auditId">>;

const rowsAtOnce = 1000;

/** Undefined where no request of a user is known any more. */
export function undoing(store: Store): Undoing | undefined {
  let newest: { readonly request: Request; readonly first: number } | undefined;
  // Other requests, and what controllers did, may stand between two changes of one.
  for (const write of newestFirst(store)) {
    const { cause, revision } = write;
    if (cause.auditId === undefined) continue;
    if (!newest) newest = { request: { ...cause, auditId: cause.auditId }, first: revision };
    else if (isOf(cause, newest.request)) newest = { ...newest, first: revision };
  }
  if (!newest) return undefined;
  const { request, first } = newest;
  const restoredTo = first - 1;
  const { user, origin, auditId } = request;
  return { user, verb: origin, auditId, restoredTo, ...whatGoes(store, restoredTo) };
}

function* newestFirst({ past, revision, forgotten }: Store): Generator<PastWrite> {
  let [before, left] = [revision + 1, limits.undoneChanges as number];
  while (left > 0) {
    const writes = past.before(before, forgotten, Math.min(left, rowsAtOnce));
    yield* writes;
    const last = writes.at(-1);
    if (!last) return;
    before = last.revision;
    left -= writes.length;
  }
}

function isOf(cause: Cause, { auditId, user, origin }: Request): boolean {
  return cause.auditId === auditId && cause.user === user && cause.origin === origin;
}

/** How many changes there were after a revision, and what differs now. */
function whatGoes({ past, revision: newest }: Store, restoredTo: number) {
  const touched = new Map<string, { readonly key: Key; readonly wasThere: boolean; isThere: boolean }>();
  let changes = 0;
  for (let after = restoredTo; after < newest; ) {
    const writes = past.after(after, rowsAtOnce);
    for (const { resource, namespace, name, previous, isDeletion } of writes) {
      if (resource === "") continue;
      changes += 1;
      const key = { resource, namespace, name };
      const earlier = touched.get(keyText(key));
      if (earlier) earlier.isThere = !isDeletion;
      else touched.set(keyText(key), { key, wasThere: previous !== undefined, isThere: !isDeletion });
    }
    after = writes.at(-1)?.revision ?? newest;
  }
  const objects: UndoneObject[] = [];
  for (const { key, wasThere, isThere } of touched.values()) {
    if (!wasThere && !isThere) continue;
    if (objects.length === limits.undoneObjects) break;
    objects.push({ change: wasThere ? (isThere ? "changed" : "deleted") : "created", ...key });
  }
  return { changes, objects };
}
