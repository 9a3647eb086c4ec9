// State files at the edge: read from a cluster or from the object store, signed and verified.
import { joinBytes } from "../../../shared/base/byte-text.ts";
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

/** Returns the current state of a sandbox, or the state at a revision that its history still contains. */
export async function stateOfSandbox(
  { cluster, secret }: Pick<ControlApiServer, "cluster" | "secret">,
  id: string,
  revision?: number,
): Promise<State> {
  const saved = await cluster(id).saveState(revision === undefined ? {} : { revision });
  if (!saved.ok) throw refusalError(saved, revision === undefined ? undefined : "revision");
  const { lead } = checked(() => checkedLayout(saved.file));
  const bytes = withSignature(saved.file, lead, await signature(secret, lead));
  return { bytes, file: checked(() => readStateFile(bytes)) };
}

/** Verifies a file from a client or from the object store. Throws unless this service wrote it. */
export async function verifiedState(secret: Secret, bytes: Uint8Array<ArrayBuffer>): Promise<State> {
  const file = checked(() => readStateFile(bytes));
  if (!(await isTag(secret, purpose, file.lead.digest, file.lead.signature ?? "", signatureLength))) {
    throw foreign();
  }
  return { bytes, file };
}

/** Signs a file with the current secret. Returns undefined if the signature is current; throws if the file is foreign. */
export async function renewSignature(
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

/** Converts a refusal of the cluster to an error. An unknown code is a bug. */
export function refusalError({ code, message, problems }: Omit<StateRefusal, "ok">, field?: string): ControlError {
  if (!isErrorCode(code)) throw new Error(`${code}: ${message}`);
  return new ControlError(errorCodes[code].status, code, message, field, problems ? { problems } : {});
}

export function nodesOf({ file }: State): number {
  let nodes = 0;
  for (const { resource } of file.entries()) if (resource === "nodes") nodes += 1;
  return nodes;
}

/** Reads a request body that is a state file. */
export async function readStateBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const most = limits.stateFileBytes;
  const tooLarge = new ControlError(413, "body_too_large", `the body must not exceed ${most} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    // The platform's types do not declare that the chunks of a body are bytes.
    for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += piece.byteLength;
      if (size > most) throw tooLarge;
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw new ControlError(400, "incomplete_body", "the body broke off");
  }
  return joinBytes(pieces, size);
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
