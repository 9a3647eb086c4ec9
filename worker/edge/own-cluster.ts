// Calls a sandbox's cluster. A read is retried if another request reset the Durable Object, and a write on a full disk gets a clear error.
import { isStorageFull } from "../../shared/base/disk/storage-full.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { ClusterStub } from "./cluster-stub.ts";

/** The number of attempts of a read. */
const attempts = 3;

/** Creates a stub for each call, because a stub breaks with its object. Throws an `ApiError` if the storage is full. */
export function ownCluster(stub: () => ClusterStub): ClusterStub {
  return {
    fetch: (to, init) =>
      stub()
        .fetch(to, init)
        .catch((error: unknown) => again(stub, to, init, error)),
  };
}

/** Repeats a read whose first attempt failed. */
async function again(
  stub: () => ClusterStub,
  to: string | Request,
  init: RequestInit | undefined,
  first: unknown,
): Promise<Response> {
  const isRead = ["GET", "HEAD"].includes(typeof to === "string" ? (init?.method ?? "GET") : to.method);
  let failure = first;
  // A failed write of another request has reset the object.
  for (let attempt = 2; isRead && isReset(failure) && attempt <= attempts; attempt++) {
    try {
      return await stub().fetch(to, init);
    } catch (error) {
      failure = error;
    }
  }
  throw isStorageFull(failure) ? ApiError.insufficientStorage() : failure;
}

/** Reads the field that the platform sets on the error. */
function isReset(error: unknown): boolean {
  return error instanceof Error && "durableObjectReset" in error && error.durableObjectReset === true;
}
