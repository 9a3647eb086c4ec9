// States of sandboxes as files, on their way through the edge: had from an object or from the store of files, signed and checked.
import { limits } from "../../../shared/base/limits.ts";
import type { Secret } from "../../../shared/base/secret.ts";
import { errorCodes, isErrorCode } from "../../../shared/contract/error.ts";
import type { StateRefusal } from "../../../shared/contract/cluster-state.ts";
import { StateFileError, type StateLead } from "../../../shared/state/format.ts";
import { checkedLayout, readStateFile, type StateFile } from "../../../shared/state/read-state.ts";
import { withSignature } from "../../../shared/state/write-state.ts";
import { isTag, sameText, tag } from "../mac.ts";
import { ControlError } from "./control-error.ts";
import type { ControlApiServer } from "./server.ts";

export interface State {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly file: StateFile;
}

const signatureLength = 51;
const purpose = "state";

/** Of now, or of a revision that the sandbox's history still holds. */
export async function stateOfSandbox(
  { cluster, secret }: ControlApiServer,
  id: string,
  revision?: number,
): Promise<State> {
  const saved = await cluster(id).saveState(revision === undefined ? {} : { revision });
  if (!saved.ok) throw refusalError(saved, revision === undefined ? undefined : "revision");
  const { lead } = checked(() => checkedLayout(saved.file));
  const bytes = withSignature(saved.file, lead, await signature(secret, lead));
  return { bytes, file: checked(() => readStateFile(bytes)) };
}

/** What a stranger brought, or the store of files: as this service wrote it, or it is refused. */
export async function verifiedState(secret: Secret, bytes: Uint8Array<ArrayBuffer>): Promise<State> {
  const file = checked(() => readStateFile(bytes));
  if (!(await isTag(secret, purpose, file.lead.digest, file.lead.signature ?? "", signatureLength))) {
    throw foreign();
  }
  return { bytes, file };
}

/** A file with the signature of the secret's current value. Undefined if it has that already; throws if it is foreign. */
export async function signedAnew(
  secret: Secret,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { lead } = checked(() => checkedLayout(bytes));
  const current = await signature(secret, lead);
  if (sameText(lead.signature ?? "", current)) return undefined;
  if (!(await isTag(secret, purpose, lead.digest, lead.signature ?? "", signatureLength))) throw foreign();
  return withSignature(bytes, lead, current);
}

function foreign(): ControlError {
  return new ControlError(400, "foreign_state", "The file was not written by this service, or was altered since.");
}

/** What an object refused; a code that nobody knows is a bug. */
export function refusalError({ code, message, problems }: Omit<StateRefusal, "ok">, field?: string): ControlError {
  if (!isErrorCode(code)) throw new Error(`${code}: ${message}`);
  return new ControlError(errorCodes[code].status, code, message, field, problems ? { problems } : {});
}

/** How many nodes there are in a state. */
export function nodesOf({ file }: State): number {
  let nodes = 0;
  for (const { resource } of file.entries()) if (resource === "nodes") nodes += 1;
  return nodes;
}

/** The body of a request that is a file. */
export async function readStateBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const most = limits.stateFileBytes;
  const tooLarge = new ControlError(413, "body_too_large", `the body must not exceed ${most} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    // The platform's types leave open what a body's chunks are; they are bytes.
    for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += piece.byteLength;
      if (size > most) throw tooLarge;
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw new ControlError(400, "incomplete_body", "the body broke off");
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

function signature(secret: Secret, { digest }: StateLead): Promise<string> {
  return tag(secret, purpose, digest, signatureLength);
}

function checked<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof StateFileError)
      throw new ControlError(error.fault === "too_large" ? 413 : 400, error.fault, error.message);
    throw error;
  }
}
