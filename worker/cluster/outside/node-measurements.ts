// Measures machines that are nodes by their kubelets' Summary API, as a metrics server does, but only when someone reads the metrics: an
// idle cluster calls nobody. The measurements are kept in memory.
import { type NodeMeasurement, measurementOf } from "../../kinds/metrics/node-measurement.ts";
import type { Tunnels } from "../../api/api-server.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { isSimulated } from "../../kinds/core/node/simulated.ts";
import type { Reads } from "../../kinds/kind.ts";

export interface NodeMeasurementsOptions {
  readonly tunnels: Pick<Tunnels, "hasNode" | "askNode">;
  reads(): Pick<Reads, "list">;
  /** The cluster's clock. */
  nowMs(): number;
  /** The machine's clock. */
  realMs(): number;
}

interface Measured {
  readonly realMs: number;
  readonly measurement: NodeMeasurement;
}

const path = "/stats/summary?only_cpu_and_memory=true";
/** The resolution of a metrics server, and the time that a kubelet has. */
const renewMs = 15_000;
const timeoutMs = 5_000;
/** The age at which a measurement is forgotten. */
const longestMs = 60_000;
/** The maximum bytes of a summary: about 3,000 containers. */
const summaryBytes = 1_048_576;

export class NodeMeasurements {
  readonly #options: NodeMeasurementsOptions;
  readonly #measured = new Map<string, Measured>();
  #renewing: Promise<void> | undefined;

  constructor(options: NodeMeasurementsOptions) {
    this.#options = options;
  }

  of(node: string): NodeMeasurement | undefined {
    const measured = this.#measured.get(node);
    return measured && this.#options.realMs() - measured.realMs < longestMs ? measured.measurement : undefined;
  }

  /** Measures the machines whose measurements are old. Undefined: there are none. Never rejects. */
  renew(): Promise<void> | undefined {
    const { tunnels, reads, realMs } = this.#options;
    const due = [...reads().list(nodes)].flatMap((node) => {
      const { name = "" } = node.metadata;
      const measured = this.#measured.get(name);
      if (isSimulated(node) || !tunnels.hasNode(name)) return [];
      return measured && realMs() - measured.realMs < renewMs ? [] : [name];
    });
    if (due.length === 0) return undefined;
    this.#renewing ??= Promise.all(due.map((name) => this.#measure(name))).then(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #measure(name: string): Promise<void> {
    const { tunnels, nowMs, realMs } = this.#options;
    const call = { method: "GET", path, serverName: name, headers: [], body: "", timeoutMs };
    const answer = await tunnels.askNode(name, call);
    const isUsable = !("error" in answer) && answer.status === 200 && answer.body.length <= summaryBytes;
    const measurement = isUsable ? measurementOf(new TextDecoder().decode(answer.body), nowMs()) : undefined;
    if (measurement) this.#measured.set(name, { realMs: realMs(), measurement });
    else this.#measured.delete(name);
  }
}
