// Copies of an object's tables, for backups and restores. At most one copy is made at a time. A copy and a restore are lost if the object is
// evicted from memory between two pages.
import { copyLimits } from "../../../shared/base/share-limits.ts";
import type {
  CopiedKind,
  CopyFailure,
  CopyPage,
  CopyReceived,
  ObjectCopyRpc,
} from "../../../shared/contract/hosted/object-copy.ts";
import { unusableObjectIn } from "../../../shared/k8s/bounds/unusable-object.ts";
import { CopyIn, MalformedCopy } from "../../store/copy/copy-in.ts";
import { type CopiedLog, CopyOut, CopyTooLarge } from "../../store/copy/copy-out.ts";
import { countRows, storedTables } from "../../store/copy/tables.ts";
import type { Sql } from "../../store/sql.ts";

/** The log that a copy reads, and a check that it stays as it is. */
export interface CopySource {
  readonly log?: CopiedLog;
  /** Keeps the rows of the log until a time. Returns false if they have changed since the copy began. */
  keep(untilMs: number): boolean;
}

export interface ObjectCopiesOptions {
  readonly kind: CopiedKind;
  readonly sql: Sql;
  nowMs(): number;
  newSession(): string;
  /** Reports whether the object stores anything. */
  isStored(): boolean;
  source(): CopySource;
  /** Resolves when the object's next turn begins. */
  turn(): Promise<void>;
  /** Deletes everything that is stored. */
  wipe(): Promise<void>;
  /** Opens what was restored. Throws if this version cannot. */
  open(): void;
}

interface OpenCopy {
  /** The name of the copy with the number of the next page, so that a repeated request gets no other page. */
  session: string;
  readonly copy: CopyOut;
  readonly source: CopySource;
  untilMs: number;
}

export class ObjectCopies implements ObjectCopyRpc {
  readonly #options: ObjectCopiesOptions;
  #copying: OpenCopy | undefined;
  #restoring: { session: string; readonly copy: CopyIn } | undefined;

  constructor(options: ObjectCopiesOptions) {
    this.#options = options;
  }

  async copyPage(session: string | undefined): Promise<CopyPage> {
    const { isStored, nowMs, turn } = this.#options;
    await turn();
    if (!isStored()) return failure("not_found", "nothing is stored");
    const isCopying = this.#copying !== undefined && nowMs() < this.#copying.untilMs;
    if (session === undefined && isCopying) return failure("busy", "another copy is being made");
    try {
      const copying = session === undefined ? this.#begin() : this.#copying;
      if (!copying || copying.session !== (session ?? copying.session)) return this.#lost();
      copying.untilMs = nowMs() + copyLimits.pauseMs;
      if (!copying.source.keep(copying.untilMs)) return this.#lost();
      const page = copying.copy.next();
      if (page.isLast) this.#end(copying);
      copying.session = nextSession(copying.session);
      return { ok: true, session: copying.session, ...page };
    } catch (error) {
      if (error instanceof CopyTooLarge) return failure("too_large", error.message);
      throw error;
    }
  }

  async restorePage(session: string | undefined, text: string): Promise<CopyReceived> {
    const { wipe, open, newSession } = this.#options;
    if (session === undefined) {
      await wipe();
      this.#restoring = { session: newSession(), copy: new CopyIn(this.#options.sql, this.#options.kind) };
    }
    const restoring = this.#restoring;
    if (!restoring || restoring.session !== (session ?? restoring.session))
      return failure("lost", "the restore was interrupted: begin it again");
    try {
      restoring.copy.receive(text);
      restoring.session = nextSession(restoring.session);
      if (restoring.copy.isComplete) {
        this.#restoring = undefined;
        open();
      }
      return { ok: true, session: restoring.session, isComplete: restoring.copy.isComplete };
    } catch (error) {
      if (error instanceof MalformedCopy) return failure("malformed_copy", error.message);
      const unusable = unusableObjectIn(error);
      if (unusable) return failure(`stored_data_${unusable.unusable}`, unusable.message);
      throw error;
    }
  }

  async countStoredRows(): Promise<number> {
    const { sql } = this.#options;
    return storedTables(sql).reduce((sum, { name }) => sum + countRows(sql, name), 0);
  }

  #begin(): OpenCopy {
    const { sql, kind, newSession, source } = this.#options;
    const from = source();
    const copying = { session: newSession(), copy: new CopyOut(sql, kind, from.log), source: from, untilMs: 0 };
    this.#copying = copying;
    return copying;
  }

  #lost(): CopyPage {
    if (this.#copying) this.#end(this.#copying);
    return failure("lost", "the object was restarted or set to another state: begin the copy again");
  }

  #end({ source }: OpenCopy): void {
    source.keep(Number.NEGATIVE_INFINITY);
    this.#copying = undefined;
  }
}

/** Returns the session of the next page: `<name>.1` after `<name>`. */
function nextSession(session: string): string {
  const [name = "", page = "0"] = session.split(".");
  return `${name}.${Number(page) + 1}`;
}

function failure(code: CopyFailure, message: string): { readonly ok: false; code: CopyFailure; message: string } {
  return { ok: false, code, message };
}
