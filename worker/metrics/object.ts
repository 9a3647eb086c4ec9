// The Durable Object that sums up the counts of all isolates and processes. It stores the sums of each metric under one key.
import { DurableObject } from "cloudflare:workers";
import { count, type MetricsRpc } from "./record.ts";
import { exportMetrics } from "./otlp.ts";
import { type Sums, SumsTable } from "./sums.ts";
import type { Gauges } from "./text.ts";

export interface MetricsEnv {
  /** The base address of an OpenTelemetry collector. Undefined: nothing is exported. */
  readonly SANDBAR_OTLP_ENDPOINT?: string;
  /** Headers for it, as `name=value,name=value`. */
  readonly SANDBAR_OTLP_HEADERS?: string;
}

/** The milliseconds between two writes, and between two exports. */
const storeMs = 5_000;
const exportMs = 60_000;
const prefix = "sums:";
const sinceKey = "since";

/** Reads the gauges of an export; undefined if that fails. */
type ReadGauges = (env: MetricsEnv) => Promise<Gauges | undefined>;

let readGauges: ReadGauges | undefined;

/** Sets the function that reads the gauges of exports. */
export function exportGaugesBy(read: ReadGauges): void {
  readGauges = read;
}

export class MetricsObject extends DurableObject<MetricsEnv> implements MetricsRpc {
  readonly #sums = new SumsTable();
  readonly #changed = new Set<string>();
  #sinceMs = Date.now();
  #isStoring = false;
  #hasAlarm = false;

  constructor(ctx: DurableObjectState, env: MetricsEnv) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      const stored = await ctx.storage.list<Sums[keyof Sums]>({ prefix });
      for (const [key, all] of stored) if (all) this.#sums.merge({ [key.slice(prefix.length)]: all });
      this.#sinceMs = (await ctx.storage.get<number>(sinceKey)) ?? this.#sinceMs;
      this.#hasAlarm = (await ctx.storage.getAlarm()) !== null;
    });
  }

  async add(sums: Sums): Promise<void> {
    this.#sums.merge(sums);
    for (const metric of Object.keys(sums)) this.#changed.add(metric);
    if (this.env.SANDBAR_OTLP_ENDPOINT && !this.#hasAlarm) {
      this.#hasAlarm = true;
      await this.ctx.storage.setAlarm(Date.now() + exportMs);
    }
    if (this.#isStoring) return;
    this.#isStoring = true;
    this.ctx.waitUntil(this.#storeLater());
  }

  async read(): Promise<Sums> {
    await this.#store();
    return this.#sums.read();
  }

  /** Exports the metrics. The next batch of an isolate sets the next alarm. */
  override async alarm(): Promise<void> {
    this.#hasAlarm = false;
    const { SANDBAR_OTLP_ENDPOINT: endpoint, SANDBAR_OTLP_HEADERS: headers = "" } = this.env;
    if (!endpoint) return;
    await this.#store();
    const period = { sinceMs: this.#sinceMs, nowMs: Date.now() };
    const exported = { sums: this.#sums.read(), gauges: await readGauges?.(this.env) };
    const status = await exportMetrics({ endpoint, headers }, exported, period, fetch);
    count(
      "sandbar_otlp_exports_total",
      status >= 200 && status < 300 ? "accepted" : status === 0 ? "unanswered" : "refused",
    );
  }

  async #storeLater(): Promise<void> {
    await scheduler.wait(storeMs);
    this.#isStoring = false;
    await this.#store();
  }

  async #store(): Promise<void> {
    if (this.#changed.size === 0) return;
    const sums: Readonly<Record<string, unknown>> = this.#sums.read();
    const entries = [...this.#changed].map((metric) => [prefix + metric, sums[metric]] as const);
    this.#changed.clear();
    await this.ctx.storage.put({ ...Object.fromEntries(entries), [sinceKey]: this.#sinceMs });
  }
}
