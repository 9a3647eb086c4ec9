// Whether a write was refused because there is no room to store anything.
import { ApiError } from "../../../shared/k8s/status.ts";

export function isRefusedAsFull(error: unknown): boolean {
  return error instanceof ApiError && error.code === 507;
}
