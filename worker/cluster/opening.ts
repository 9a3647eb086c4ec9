// The opening of what an object stores. If it fails, the object stays as it is, and everything that asks for it is told why.
import { isDamage, UnusableObjectError } from "../../shared/k8s/bounds/unusable-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";

/** Milliseconds after which a failed opening is tried again, and after which the alarm of such an object comes again. */
const retryMs = 5_000;
export const unusableAlarmMs = 600_000;

export interface OpeningOptions {
  /** Opens what is stored. */
  open(): void;
  nowMs(): number;
  report(error: unknown, where: string): void;
}

export class Opening {
  readonly #options: OpeningOptions;
  #error: ApiError | undefined;
  #failedMs = 0;

  constructor(options: OpeningOptions) {
    this.#options = options;
    this.#try();
  }

  /** Returns why the object cannot be used; undefined if it can. */
  failure(): ApiError | undefined {
    if (this.#error && this.#options.nowMs() - this.#failedMs >= retryMs) this.#try();
    return this.#error;
  }

  /** Throws if the object cannot be used. */
  require(): void {
    const error = this.failure();
    if (error) throw error;
  }

  /** Tells that what was stored is deleted. */
  forget(): void {
    this.#error = undefined;
  }

  #try(): void {
    try {
      this.#options.open();
      this.#error = undefined;
    } catch (error) {
      // The same failure is reported once.
      if (!this.#error) this.#options.report(error, "opening");
      this.#failedMs = this.#options.nowMs();
      this.#error = refusalOf(error);
    }
  }
}

/** A stored value that its own code cannot read is damaged too. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const why = isDamage(error) || !(error instanceof Error) ? String(error) : `${error.name}: ${error.message}`;
  return UnusableObjectError.damaged(why.split("\n")[0]?.slice(0, 200) ?? "");
}
