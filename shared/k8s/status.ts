// The first of the two kinds of error: an expected refusal, which becomes a `Status` worded as upstream's `apierrors`.
import { limits } from "../base/limits.ts";
import { aggregateText, type FieldError } from "./field.ts";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The body of a refusal: `kind: Status`, `apiVersion: v1`. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Failure" | "Success";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** A group and a plural, or for `invalid` a group and a kind. */
export interface GroupName {
  readonly group: string;
  readonly name: string;
}

/** Upstream's `GroupResource.String()`: `deployments.apps`, or `pods` for the core group. */
export function qualified({ group, name }: GroupName): string {
  return group ? `${name}.${group}` : name;
}

export class ApiError extends Error {
  override name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** The list metadata's `continue` token, with which a client can go on after an expired list. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.continueToken = continueToken;
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken ? { continue: this.continueToken } : {},
      status: "Failure",
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    };
  }

  static notFound(resource: GroupName, name: string): ApiError {
    return new ApiError(
      404,
      "NotFound",
      `${qualified(resource)} ${JSON.stringify(name)} not found`,
      where(resource, name),
    );
  }
  /** An unknown path or resource. */
  static noSuchPath(): ApiError {
    return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
  }
  /** Returns 409. `isGoing`: the existing object is being deleted. */
  static alreadyExists(resource: GroupName, name: string, isGoing = false): ApiError {
    return new ApiError(
      409,
      "AlreadyExists",
      `${isGoing ? "object is being deleted: " : ""}${qualified(resource)} ${JSON.stringify(name)} already exists`,
      where(resource, name),
    );
  }
  /** Returns the error for a generated name, or a name beside a `generateName`, that already exists. */
  static noGeneratedName(resource: GroupName, name: string): ApiError {
    const text = `${qualified(resource)} ${JSON.stringify(name)} already exists`;
    return new ApiError(
      409,
      "AlreadyExists",
      `${text}, the server was not able to generate a unique name for the object`,
      {
        ...where(resource, name),
        retryAfterSeconds: 1,
      },
    );
  }
  static conflict(resource: GroupName, name: string, why: string): ApiError {
    return new ApiError(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${qualified(resource)} ${JSON.stringify(name)}: ${why}`,
      where(resource, name),
    );
  }
  /** Returns the error of upstream's storage, which names the object's key. */
  static failedPrecondition(
    resource: GroupName,
    name: string,
    { key, what, wanted: expected, found: actual }: Record<"key" | "what" | "wanted" | "found", string>,
  ): ApiError {
    const failed = `Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${actual}`;
    const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
    return ApiError.conflict(resource, name, why);
  }
  static staleVersion(resource: GroupName, name: string): ApiError {
    return ApiError.conflict(
      resource,
      name,
      "the object has been modified; please apply your changes to the latest version and try again",
    );
  }
  static invalid(kind: GroupName, name: string, fieldErrors: readonly FieldError[]): ApiError {
    const errors = fieldErrors.slice(0, limits.toldErrors);
    const list = aggregateText(errors);
    const causes = errors.map(({ type, message, field }) => ({ reason: type, message, field }));
    return new ApiError(422, "Invalid", `${qualified(kind)} ${JSON.stringify(name)} is invalid: ${list}`, {
      ...where(kind, name),
      causes,
    });
  }
  static notAllowed(): ApiError {
    return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
  }

  static badRequest(message: string): ApiError {
    return new ApiError(400, "BadRequest", message);
  }
  static unauthorized(): ApiError {
    return new ApiError(401, "Unauthorized", "Unauthorized");
  }
  static forbidden(resource: GroupName, name: string, why: string): ApiError {
    const subject = name ? ` ${JSON.stringify(name)}` : "";
    const text = qualified(resource) ? `${qualified(resource)}${subject} is forbidden: ${why}` : `forbidden: ${why}`;
    return new ApiError(403, "Forbidden", text, where(resource, name));
  }
  static methodNotAllowed(resource: GroupName, verb: string): ApiError {
    return new ApiError(
      405,
      "MethodNotAllowed",
      `${verb} is not supported on resources of kind ${JSON.stringify(qualified(resource))}`,
      {
        ...where(resource, ""),
      },
    );
  }
  static expired(message: string): ApiError {
    return new ApiError(410, "Expired", message);
  }
  static tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
    return new ApiError(429, "TooManyRequests", message, { retryAfterSeconds });
  }
  /** Returns 507. Upstream has no such status: its etcd reports a full disk in a 500. */
  static insufficientStorage(): ApiError {
    const message = "there is no room left to store anything: reads go on; delete a sandbox, or make room on the disk";
    return new ApiError(507, "InsufficientStorage", message);
  }
  static internal(message: string): ApiError {
    return new ApiError(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
}

function where({ group, name: kind }: GroupName, name: string): StatusDetails {
  return { ...(name ? { name } : {}), ...(group ? { group } : {}), ...(kind ? { kind } : {}) };
}
