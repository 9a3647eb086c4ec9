// The connections that a program's own server opens for a visitor. Their results are recorded with the visit. A run that is computed again takes
// them from the record, so that it has the same results and changes no other container a second time.
import { limits } from "../../../shared/base/limits.ts";
import { stableHex } from "../../../shared/base/stable.ts";
import type { Contact, Reached } from "../shell/contact.ts";

/** A connection, named by the hash of its target and request, and its result. */
export interface RecordedCall {
  readonly key: string;
  readonly reached: Pick<Reached, "kind" | "answer" | "tookMs">;
}

/** The connections of one visit, in their order. */
export class VisitCalls {
  /** All connections so far. */
  readonly calls: RecordedCall[] = [];
  /** Whether a connection changed data of others. */
  changesData = false;
  /** The first moment at which a connection may have another result; Infinity if none is known. */
  validUntilMs = Number.POSITIVE_INFINITY;
  readonly #recorded: readonly RecordedCall[];
  #next = 0;

  constructor(recorded: readonly RecordedCall[] = []) {
    this.#recorded = recorded;
  }

  /** Returns the recorded result of the next connection, or opens it. */
  connect(contact: Contact, open: Open | undefined): Reached | undefined {
    const key = keyOf(contact);
    const recorded = this.#recorded[this.#next++];
    const reached = recorded?.key === key ? recorded.reached : open?.(contact);
    if (!reached) return undefined;
    this.calls.push({ key, reached: storedOf(reached) });
    if (recorded?.key !== key) this.#notice(reached);
    return reached;
  }

  #notice({ changesData = false, validUntilMs = Number.POSITIVE_INFINITY }: Reached): void {
    this.changesData ||= changesData;
    this.validUntilMs = Math.min(this.validUntilMs, validUntilMs);
  }

  /** Returns the connections that are stored with the visit, up to `limits.visitCallCharacters`: a later run opens the others again. */
  get stored(): readonly RecordedCall[] {
    let characters = 0;
    const end = this.calls.findIndex(({ key, reached }) => {
      characters += key.length + (reached.answer?.body.length ?? 0) + callCharacters;
      return characters > limits.visitCallCharacters;
    });
    return end < 0 ? this.calls : this.calls.slice(0, end);
  }
}

export type Open = (contact: Contact) => Reached;

/** Opens the connections of a visit that a run has not answered before. */
export interface Onward {
  readonly reach: Open;
  /** The connections that were opened already, before the run had to begin again. */
  readonly calls: readonly RecordedCall[];
}

/** Characters of a call in a record, beside its key and the body of the answer. */
const callCharacters = 200;
/** Stands for Infinity, which JSON cannot hold: the server never answers. */
const neverMs = Number.MAX_SAFE_INTEGER;

function keyOf({ address, port, protocol = "TCP", request, data }: Contact): string {
  return stableHex(JSON.stringify([address, port, protocol, request, data]), 16);
}

function storedOf({ kind, answer, tookMs = 0 }: Reached): RecordedCall["reached"] {
  const common = { kind, tookMs: Math.min(tookMs, neverMs) };
  if (!answer) return common;
  const { status, contentType, headers, body, language, product, isMute, isRaw } = answer;
  const entries = Object.entries({ headers, language, product, isMute, isRaw }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...common, answer: { status, contentType, body, ...Object.fromEntries(entries) } };
}
