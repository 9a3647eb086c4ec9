// Runs programs that an image has, or may have, and the simulator lacks.
import type { Task } from "../../../shared/shell/task.ts";
import { assume } from "./assumptions.ts";
import type { ProgramCall } from "./program.ts";
import { type Page, plainPage, type Server, type Visit } from "./server.ts";
import { sleep } from "./system-call.ts";

const notFoundCode = 127;

/** The durations of a program that the simulator lacks: as the main program of a container that ends, as any other, and as a probe. */
const mainMs = 5_000;
const stepMs = 1_000;
const probeMs = 50;

/** The server of an unknown program: it listens wherever a client connects. */
export const unknownServer: Server = { answer: assumedPage };

/** Runs a program that the simulator lacks under the policy of the run. Returns its exit code. */
export function* notSimulated({ shell, process, name, path, err }: ProgramCall): Task<number> {
  const isAssumed = assume(process, path);
  if (!isAssumed || process.assumptions.policy === "say") err(`${name}: not simulated in this sandbox\n`);
  if (!isAssumed) return notFoundCode;
  if (process.assumptions.policy === "say") return 0;
  // A command that is followed by others must end. The last command of a script is the main program.
  const isMain = process.isFirst && shell.last && !shell.captured;
  if (isMain && process.unknown === "serves") {
    process.heedsTerm = shell.takesProcess;
    process.server ??= unknownServer;
    yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  yield* sleep(process, isMain ? mainMs : process.isFirst ? stepMs : probeMs);
  return 0;
}

/** The units of work for a character of a body that is read. */
const characterWork = 1 / 64;

interface Review {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly request?: {
    readonly uid?: unknown;
    readonly desiredAPIVersion?: unknown;
    readonly objects?: readonly unknown[];
  };
}

/**
 * Returns the answer of a server about which nothing is known. To the API server it is that of a healthy one: a webhook allows every request and
 * converts objects without a change, and an aggregated API serves no resources.
 */
function assumedPage(visit: Visit): Page {
  const object = apiResources(visit) ?? reviewed(visit);
  if (!object) return { ...plainPage(visit), mayBeTls: true };
  return { contentType: "application/json", body: JSON.stringify(object), mayBeTls: true };
}

function apiResources({ method, path }: Visit): object | undefined {
  const [, groupVersion] = (method === "GET" && /^\/apis\/([^/?]+\/v\d[^/?]*)(?:\?|$)/.exec(path)) || [];
  return groupVersion === undefined
    ? undefined
    : { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [] };
}

function reviewed({ method, body, pays }: Visit): object | undefined {
  if (method !== "POST" || !/"kind":\s*"(Admission|Conversion)Review"/.test(body)) return undefined;
  pays?.(body.length * characterWork);
  const review = parsed(body);
  const { uid = "", desiredAPIVersion: apiVersion, objects } = review?.request ?? {};
  if (!review?.request) return undefined;
  const response =
    review.kind === "ConversionReview" && Array.isArray(objects)
      ? {
          uid,
          result: { status: "Success" },
          convertedObjects: objects.map((object: unknown): object => Object.assign({}, object, { apiVersion })),
        }
      : { uid, allowed: true };
  return { apiVersion: review.apiVersion, kind: review.kind, response };
}

function parsed(body: string): Review | undefined {
  try {
    return JSON.parse(body) as Review;
  } catch {
    return undefined;
  }
}
