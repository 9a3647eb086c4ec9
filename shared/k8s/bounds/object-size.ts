// How large an object may be: no row can hold more.
import { limits } from "../../base/limits.ts";
import { utf8Length } from "../../base/utf8.ts";
import { ApiError } from "../status.ts";

/** Throws 413 for an object, as JSON, that is too large to be stored. */
export function refuseTooLarge(text: string): void {
  // Cheap for the many: only what has a chance to be too large is measured.
  if (text.length * 3 < limits.objectBytes) return;
  const bytes = utf8Length(text);
  if (bytes <= limits.objectBytes) return;
  const message = `limit is ${limits.objectBytes} bytes for one object, this one has ${bytes}`;
  throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}
