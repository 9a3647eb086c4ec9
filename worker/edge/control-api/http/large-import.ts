// Imports a long text: split into objects while it arrives, sent to the cluster in batches, and written there part by part.
import { limits } from "../../../../shared/base/limits.ts";
import type { ClusterRpc, ImportPart } from "../../../../shared/contract/cluster-object.ts";
import { ManifestPieces } from "../../../../shared/schema/yaml/pieces/manifest-pieces.ts";
import { type ManifestPiece, PieceTooLong } from "../../../../shared/schema/yaml/pieces/piece.ts";
import { initialStateKey } from "../../files.ts";
import { ControlError } from "../control-error.ts";
import type { LongText } from "./long-text.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError, stateOfSandbox } from "../states.ts";

export async function sendImport(cluster: Pick<ClusterRpc, "receiveImport">, text: LongText): Promise<void> {
  let [objects, characters] = [0, 0];
  let batch: ManifestPiece[] = [];
  const send = async () => {
    const received = await cluster.receiveImport(batch);
    if (!received.ok) throw refusalError(received, received.field);
    [batch, characters] = [[], 0];
  };
  for await (const piece of piecesOf(text)) {
    if (++objects > limits.importObjects)
      throw new ControlError(413, "too_large", `an import must not have more than ${limits.importObjects} objects`);
    batch.push(piece);
    characters += piece.text.length;
    if (characters >= limits.importBatchCharacters || batch.length >= limits.importBatchObjects) await send();
  }
  if (batch.length > 0) await send();
}

/** Writes the objects that were sent. */
export async function finishImport(
  controlApi: ControlApiServer,
  cluster: Pick<ClusterRpc, "continueImport">,
  endMs: number,
): Promise<Extract<ImportPart, { isDone: true }>> {
  for (;;) {
    const progress = await cluster.continueImport();
    if (!progress.ok) throw refusalError(progress, progress.field);
    if (progress.isDone) return progress;
    if (controlApi.nowMs() > endMs)
      throw new ControlError(413, "too_large", `the import did not end within ${limits.importMs / 1000} seconds`);
  }
}

/** Stores the state to which the sandbox can be reset. A state that is too large for a file is not stored. */
export async function storeImportedState(
  controlApi: ControlApiServer,
  sandbox: { readonly tenantId: string; readonly id: string },
): Promise<void> {
  try {
    const { bytes } = await stateOfSandbox(controlApi, sandbox.id);
    await controlApi.files.put(initialStateKey(sandbox), bytes);
  } catch (error) {
    if (!(error instanceof ControlError) || error.code !== "too_large") throw error;
  }
}

async function* piecesOf({ first, rest }: LongText): AsyncGenerator<ManifestPiece> {
  const pieces = new ManifestPieces(limits.importedObjectCharacters);
  try {
    yield* pieces.take(first);
    for await (const passage of rest()) yield* pieces.take(passage);
    yield* pieces.end();
  } catch (error) {
    if (!(error instanceof PieceTooLong)) throw error;
    const { document, line, message } = error;
    const more = { problems: [{ document, line, message }] };
    throw new ControlError(400, "invalid_manifests", `document ${document}, line ${line}: ${message}`, "import", more);
  }
}
