// Calls a sandbox's cluster. A read is retried if another request reset the Durable Object, and a write on a full disk gets a clear error.
import { isStorageFull } from "../../shared/base/storage-full.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { ClusterStub } from "./cluster-stub.ts";

/** The number of attempts of a read. */
const attempts = 3;

/** Creates a stub for each call, because a stub breaks with its object. Throws an `ApiError` if the storage is full. */
export function ownCluster(stub: () => ClusterStub): ClusterStub {
  return {
    fetch: async (to, init) => {
      const isRead = ["GET", "HEAD"].includes(typeof to === "string" ? (init?.method ?? "GET") : to.method);
      for (let attempt = 1; ; attempt++) {
        try {
          return await stub().fetch(to, init);
        } catch (error) {
          // A failed write of another request has reset the object.
          if (isRead && isReset(error) && attempt < attempts) continue;
          throw isStorageFull(error) ? ApiError.insufficientStorage() : error;
        }
      }
    },
  };
}

/** Reads the field that the platform sets on the error. */
function isReset(error: unknown): boolean {
  return error instanceof Error && "durableObjectReset" in error && error.durableObjectReset === true;
}
