// Reads a recording: lines of JSON, checked before anything is sent anywhere.
import type { RecordedRequest, RecordingHeader } from "../../shared/contract/cluster/recording.ts";

export interface Recording {
  readonly header: RecordingHeader;
  /** The requests in the order of time, each with the number of its line. */
  readonly requests: readonly (RecordedRequest & { readonly line: number; readonly atMs: number })[];
  /** True if the recording was cut at its bound. */
  readonly isCut: boolean;
}

/** A recording cannot be read. The message names the line. */
export class RecordingError extends Error {
  override name = "RecordingError";
}

const mostBytes = 64 * 1024 * 1024;
const mostLines = 200_000;
const verbs: readonly string[] = ["exists", "create", "update", "patch", "delete"];
/** A path of the Kubernetes API below a group and version, without a query. */
const pathShape = /^\/(?:api\/v1|apis\/[a-z0-9.-]+\/v[a-z0-9]+)(?:\/[A-Za-z0-9%._:~-]+){1,5}$/;

export function parseRecording(bytes: Uint8Array): Recording {
  if (bytes.length > mostBytes) throw new RecordingError(`the recording is larger than ${mostBytes} bytes`);
  const lines = new TextDecoder().decode(bytes).split("\n");
  if (lines.length > mostLines) throw new RecordingError(`the recording has more than ${mostLines} lines`);
  const values = lines.flatMap((text, at) =>
    text.trim() === "" ? [] : [{ line: at + 1, value: parseLine(text, at + 1) }],
  );
  const [first, ...further] = values;
  if (!first) throw new RecordingError("the recording is empty");
  const header = headerOf(first.value);
  const isCut = further.at(-1)?.value["truncated"] === true;
  const requests = (isCut ? further.slice(0, -1) : further).map(({ line, value }) => requestOf(value, line));
  return { header, requests: requests.sort((a, b) => a.atMs - b.atMs || a.line - b.line), isCut };
}

type Fields = Readonly<Record<string, unknown>>;

function parseLine(text: string, line: number): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return value;
  } catch {
    // The error below says what is wrong.
  }
  throw new RecordingError(
    `line ${line}: is not a JSON object: was the file made by sandbar record or sandbar capture?`,
  );
}

function headerOf(value: Fields): RecordingHeader {
  const { recording, of, from, source } = value;
  if (recording !== 1)
    throw new RecordingError(
      typeof recording === "number"
        ? `line 1: recording: version ${recording} is not known to this version of sandbar`
        : "line 1: is not the beginning of a recording",
    );
  if (of !== "requests" && of !== "cluster") throw new RecordingError('line 1: of: must be "requests" or "cluster"');
  timeOf(from, "line 1: from");
  return { recording, of, from: String(from), source: typeof source === "string" ? source.slice(0, 200) : "" };
}

function requestOf(value: Fields, line: number): Recording["requests"][number] {
  const { at, verb, path, user, uid, body } = value;
  const atMs = timeOf(at, `line ${line}: at`);
  if (typeof verb !== "string" || !verbs.includes(verb))
    throw new RecordingError(`line ${line}: verb: must be one of ${verbs.join(", ")}`);
  if (typeof path !== "string" || path.length > 2_000 || !pathShape.test(path) || hasDots(path))
    throw new RecordingError(`line ${line}: path: must be a path of the Kubernetes API without a query`);
  if (user !== undefined && (typeof user !== "string" || user === "" || /[\r\n]/.test(user)))
    throw new RecordingError(`line ${line}: user: must be a name`);
  if (body !== undefined && !isFields(body)) throw new RecordingError(`line ${line}: body: must be an object`);
  if (body === undefined && verb !== "delete") throw new RecordingError(`line ${line}: body: is missing`);
  return {
    ...{ line, atMs, at: String(at), path, verb: verb as RecordedRequest["verb"] },
    ...(user === undefined ? {} : { user }),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

function hasDots(path: string): boolean {
  return path.split("/").some((step) => /^(?:\.|%2e){1,2}$/i.test(step));
}

function timeOf(value: unknown, where: string): number {
  const ms = typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new RecordingError(`${where}: must be a time such as 2026-01-31T12:00:00Z`);
  return ms;
}

/** Returns a text; empty for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
