// A sandbox's cluster as requests reach it: what its object is reset for is no reader's fault, and a write for which there was no room
// is refused in words.
import { isStorageFull } from "../../shared/base/storage-full.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { ClusterStub } from "./cluster-stub.ts";

/** How often what only reads is asked. */
const attempts = 3;

/** A stub breaks with its object: each use gets its own. Throws an `ApiError` where the storage is full. */
export function ownCluster(stub: () => ClusterStub): ClusterStub {
  return {
    fetch: async (to, init) => {
      const isRead = ["GET", "HEAD"].includes(typeof to === "string" ? (init?.method ?? "GET") : to.method);
      for (let attempt = 1; ; attempt++) {
        try {
          return await stub().fetch(to, init);
        } catch (error) {
          // What another request could not write has reset the object under this one.
          if (isRead && isReset(error) && attempt < attempts) continue;
          throw isStorageFull(error) ? ApiError.insufficientStorage() : error;
        }
      }
    },
  };
}

/** The platform says so in a field of the error. */
function isReset(error: unknown): boolean {
  return error instanceof Error && "durableObjectReset" in error && error.durableObjectReset === true;
}
