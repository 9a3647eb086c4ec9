// The errors of a Durable Object whose stored data this version of the service cannot use: a newer version wrote them, or they are damaged.
// An error that comes from an object through the platform keeps its message alone, so the two are recognized by their messages.
import { ApiError } from "../status.ts";

/** `newer`: a newer version of the service wrote the data. `damaged`: SQLite or this service cannot read them. */
export type UnusableReason = "newer" | "damaged";

const messages = {
  newer: /a newer version of the service wrote the stored data.*/,
  damaged: /the stored data cannot be read.*/,
};
const damage = /SQLITE_CORRUPT|SQLITE_NOTADB|database disk image is malformed|file is not a database/;
/** The platform's words for a failure of its own, such as a file that it cannot open. */
const platformFailure = /^internal error; reference = /;

export class UnusableObjectError extends ApiError {
  override name = "UnusableObjectError";
  readonly unusable: UnusableReason;

  constructor(unusable: UnusableReason, message: string) {
    if (unusable === "newer") super(503, "ServiceUnavailable", message);
    else super(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
    this.unusable = unusable;
  }

  static newer(stored: number, supported: number): UnusableObjectError {
    const versions = `it has version ${stored}, and this service reads versions up to ${supported}`;
    const advice = "nothing was changed: run the newer version of the service again";
    return new UnusableObjectError(
      "newer",
      `a newer version of the service wrote the stored data: ${versions}; ${advice}`,
    );
  }

  /** `why`: the words of SQLite, or of the code that read a stored value. */
  static damaged(why: string): UnusableObjectError {
    const advice = "restore the data folder from a copy, or delete the sandbox and create it again from a snapshot";
    return new UnusableObjectError("damaged", `the stored data cannot be read (${why}): ${advice}`);
  }
}

/** Reports whether SQLite says that its file is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ApiError) && damage.test(error.message);
}

/** Returns why an object could not answer, also if the error comes from the object through the platform. Undefined for any other error. */
export function unusableObjectIn(error: unknown): UnusableObjectError | undefined {
  if (error instanceof UnusableObjectError) return error;
  if (!(error instanceof Error)) return undefined;
  for (const reason of ["newer", "damaged"] as const) {
    const [message] = messages[reason].exec(error.message) ?? [];
    if (message !== undefined) return new UnusableObjectError(reason, message);
  }
  const [words] = damage.exec(error.message) ?? [];
  if (words !== undefined) return UnusableObjectError.damaged(words);
  return platformFailure.test(error.message)
    ? UnusableObjectError.damaged("the platform could not open them")
    : undefined;
}
