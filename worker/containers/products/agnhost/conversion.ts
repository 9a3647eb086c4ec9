// agnhost crd-conversion-webhook: converts the custom resources of its example between two versions.
import type { Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { flagsOf } from "./flags.ts";
import { fails, listen, overTls, textPage } from "./serving.ts";

export function* crdConversionWebhook(call: ProgramCall): Task<number> {
  return yield* listen(call, overTls(crdConversionAnswer), [{ port: flagsOf(call.args).number("port", 443) }]);
}

interface Converted extends Record<string, unknown> {
  apiVersion?: unknown;
}

interface Review {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly request?: {
    readonly uid?: string;
    readonly desiredAPIVersion?: string;
    readonly objects?: readonly Converted[];
  };
}

const [first, second] = ["stable.example.com/v1", "stable.example.com/v2"];

export function crdConversionAnswer({ path, body }: Visit): Page {
  const [bare] = path.split("?");
  if (bare === "/readyz") return textPage("ok");
  if (bare !== "/crdconvert") return fails("404 page not found", 404);
  let review: Review;
  try {
    review = JSON.parse(body) as Review;
  } catch {
    return fails("failed to deserialize body", 400);
  }
  const { uid = "", desiredAPIVersion = "", objects = [] } = review.request ?? {};
  const results = objects.map((object) => convertObject(object, desiredAPIVersion));
  const failed = results.find((result) => typeof result === "string");
  const response =
    failed === undefined
      ? { uid, convertedObjects: results, result: { metadata: {}, status: "Success" } }
      : { uid, convertedObjects: [], result: { metadata: {}, status: "Failure", message: failed } };
  const answer = { kind: review.kind, apiVersion: review.apiVersion, response };
  return { contentType: "application/json", body: JSON.stringify(answer), status: 200 };
}

/** Converts an object. Returns the error if that is not possible. */
function convertObject(object: Converted, to: string): Converted | string {
  const from = object.apiVersion;
  if (from === to) return `conversion from a version to itself should not call the webhook: ${to}`;
  if (from !== first && from !== second) return `unexpected conversion version ${JSON.stringify(from)}`;
  if (to !== first && to !== second) return `unexpected conversion version ${JSON.stringify(to)}`;
  const { hostPort, host, port, ...rest } = object;
  const textOf = (value: unknown) => (typeof value === "string" ? value : "");
  if (from === second) {
    const isTold = host !== undefined || port !== undefined;
    return { ...rest, ...(isTold ? { hostPort: `${textOf(host)}:${textOf(port)}` } : {}), apiVersion: to };
  }
  if (hostPort === undefined) return { ...object, apiVersion: to };
  const hostAndPort = textOf(hostPort).split(":");
  if (hostAndPort.length !== 2) return `invalid hostPort value \`${textOf(hostPort)}\``;
  return { ...rest, host: hostAndPort[0], port: hostAndPort[1], apiVersion: to };
}
