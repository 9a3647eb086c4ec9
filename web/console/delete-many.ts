// Deletes many sandboxes with few concurrent requests. An error of one does not end the others.
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import { ControlFailure, messageOf } from "../api/control-failure.ts";

/** The number of concurrent requests. */
const atOnce = 6;

export interface FailedDeletion {
  readonly sandbox: ListedSandbox;
  readonly message: string;
}

export interface DeletionProgress {
  /** The number of sandboxes that are gone. */
  readonly deleted: number;
  readonly failures: readonly FailedDeletion[];
}

interface DeletionOutcome extends DeletionProgress {
  /** The sandboxes that were not deleted. */
  readonly remaining: readonly ListedSandbox[];
}

interface Deletion {
  readonly sandboxes: readonly ListedSandbox[];
  remove(id: string): Promise<void>;
  tell(progress: DeletionProgress): void;
  readonly signal: AbortSignal;
}

/**
 * Resolves when each sandbox is deleted or has failed, or after the signal, when the running requests are answered. If the service does not
 * answer or refuses the user, the rest is not sent.
 */
export async function deleteMany({ sandboxes, remove, tell, signal }: Deletion): Promise<DeletionOutcome> {
  let progress: DeletionProgress = { deleted: 0, failures: [] };
  let isLost = false;
  const waiting = sandboxes.values();
  const remaining = new Set(sandboxes);
  const work = async () => {
    for (const sandbox of waiting) {
      try {
        await remove(sandbox.id).catch(refuseUnlessGone);
        remaining.delete(sandbox);
        progress = { ...progress, deleted: progress.deleted + 1 };
      } catch (error) {
        isLost ||= error instanceof ControlFailure && [0, 401].includes(error.status);
        progress = { ...progress, failures: [...progress.failures, { sandbox, message: messageOf(error) }] };
      }
      tell(progress);
      if (isLost || signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { ...progress, remaining: [...remaining] };
}

/** Ignores the error if another client deleted the sandbox. */
function refuseUnlessGone(error: unknown): void {
  if (!(error instanceof ControlFailure) || ![404, 410].includes(error.status)) throw error;
}
