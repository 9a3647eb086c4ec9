// Counts the usage of a sandbox, or of a tenant's event streams, in memory and reports it to its tenant's object in batches. A report is sent
// a few seconds after a request, with an alarm that runs anyway, and at the end. Nothing waits for a report, and no object wakes for one. A
// failed report is sent with the next.
import { limits } from "../../../shared/base/limits.ts";
import type { ReportAnswer, TenantRpc, UsageReport } from "../../../shared/contract/tenant-object.ts";

export interface MeterOptions {
  /** Returns the receiver of the reports, and the sandbox's id there. Undefined: nothing is reported. */
  reportsTo(): { tenant(): Pick<TenantRpc, "report">; readonly id: string } | undefined;
  nowMs(): number;
  rowsRead(): number;
  rowsWritten(): number;
  /** Returns the size of the database. */
  bytes(): number;
  /** Whether all workloads are available. */
  isReady(): boolean;
  wait(ms: number): Promise<void>;
  /** Keeps the object in memory until it is done. */
  waitUntil(promise: Promise<unknown>): void;
}

/** Milliseconds for which the platform keeps an object in memory after it was asked last. */
const lingersMs = 10_000;

export class UsageMeter {
  readonly #options: MeterOptions;
  #requests = 0;
  #awakeMs = 0;
  #read = 0;
  #written = 0;
  #limits = new Set<string>();
  #lastMs = Number.NEGATIVE_INFINITY;
  #sentMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  #wantsReady = true;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** Counts an answered request. */
  countResponse(response: Response): void {
    if (response.status === 429) this.#options.waitUntil(this.#noteLimit(response.clone()));
    this.countStep();
  }

  /** Counts a request, or a step of a stream. */
  countStep(): void {
    this.#requests++;
    this.#touch();
    if (!this.#isWaiting && this.#options.reportsTo()) this.#options.waitUntil(this.#reportLater());
  }

  /** An alarm has run. */
  countAlarm(): void {
    this.#requests++;
    this.#touch();
    const sinceMs = this.#options.nowMs() - this.#sentMs;
    // The event that the sandbox is ready is not delayed until the next report.
    const isDue = sinceMs >= limits.usageReportMs || (sinceMs >= limits.usageDelayMs && this.#becameReady());
    if (isDue) this.#options.waitUntil(this.flush());
  }

  #becameReady(): boolean {
    return this.#wantsReady && this.#options.reportsTo() !== undefined && this.#options.isReady();
  }

  /** Tells what was not told yet. Never rejects. */
  async flush(): Promise<void> {
    const to = this.#options.reportsTo();
    if (!to) return;
    this.#sentMs = this.#options.nowMs();
    let report: UsageReport | undefined;
    try {
      report = this.#take(to.id);
      const answer: ReportAnswer = await to.tenant().report(report);
      this.#wantsReady = answer.wantsReady;
    } catch {
      if (report) this.#putBack(report);
    }
  }

  #touch(): void {
    const nowMs = this.#options.nowMs();
    this.#awakeMs += Math.min(lingersMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }

  async #reportLater(): Promise<void> {
    this.#isWaiting = true;
    // What waits keeps the object in memory: as short as there is no report of just now.
    const againMs = this.#sentMs + limits.usageReportMs - this.#options.nowMs();
    await this.#options.wait(Math.max(limits.usageDelayMs, againMs));
    this.#isWaiting = false;
    await this.flush();
  }

  /** The Status says which; whoever was refused for its rate is told no name. */
  async #noteLimit(refusal: Response): Promise<void> {
    const limitMatch = /exceeded limit of this sandbox: requested: (\w+)=/.exec(await refusal.text());
    this.#limits.add(limitMatch?.[1] ?? "requestsPerSecond");
  }

  #take(id: string): UsageReport {
    const { nowMs, rowsRead, rowsWritten, bytes, isReady } = this.#options;
    const [read, written] = [rowsRead(), rowsWritten()];
    const report = {
      id,
      atMs: nowMs(),
      requests: this.#requests,
      rowsRead: read - this.#read,
      rowsWritten: written - this.#written,
      awakeMs: this.#awakeMs,
      bytes: bytes(),
      limits: [...this.#limits],
      isReady: this.#wantsReady && isReady(),
    };
    [this.#read, this.#written, this.#requests, this.#awakeMs] = [read, written, 0, 0];
    this.#limits = new Set();
    return report;
  }

  #putBack({ requests, rowsRead, rowsWritten, awakeMs, limits: names }: UsageReport): void {
    this.#requests += requests;
    this.#read -= rowsRead;
    this.#written -= rowsWritten;
    this.#awakeMs += awakeMs;
    for (const name of names) this.#limits.add(name);
  }
}
