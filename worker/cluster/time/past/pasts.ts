// Answers the edge's calls about a cluster's past: its timeline, and why an object waits.
import type {
  ClusterPastRpc,
  TimelineQuery,
  TimelineStepQuestion,
  WhyQuestion,
} from "../../../../shared/contract/cluster/past.ts";
import type { ClusterRecordingRpc, RecordingStepQuestion } from "../../../../shared/contract/cluster/recording.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import type { Sql } from "../../../store/sql.ts";
import type { Cluster } from "../../cluster.ts";
import { goneError } from "../../state/ended.ts";
import { refusalOf } from "../../state/states.ts";
import { recordingStep } from "./recording.ts";
import { timelineOf, timelineStep } from "./timeline.ts";
import { whyOf } from "./why/why.ts";

type PastCluster = Pick<Cluster, "registry" | "system" | "runtime"> & {
  readonly changeNews: { rearm(): void };
};

export interface PastsHost<Open extends PastCluster> {
  readonly sql: Sql;
  /** Undefined if there is no cluster any more. */
  current(): Open | undefined;
  /** Runs one turn. Throws if the cluster was replaced. */
  turn<T>(open: Open, body: () => T): T;
}

export class Pasts<Open extends PastCluster> implements ClusterPastRpc, ClusterRecordingRpc {
  readonly #host: PastsHost<Open>;

  constructor(host: PastsHost<Open>) {
    this.#host = host;
  }

  async timeline(query: TimelineQuery) {
    return this.#answer((open) => timelineOf(this.#host.sql, open.registry, query));
  }

  async followTimeline(question: TimelineStepQuestion) {
    return this.#answer((open) => {
      open.changeNews.rearm();
      return timelineStep(this.#host.sql, open.registry, question);
    });
  }

  async recordRequests(question: RecordingStepQuestion) {
    return this.#answer((open) => recordingStep(this.#host.sql, open.registry, question));
  }

  async why(question: WhyQuestion) {
    return this.#answer((open) => whyOf(open, question));
  }

  #answer<T extends object>(body: (open: Open) => T) {
    const open = this.#host.current();
    try {
      if (!open) throw goneError();
      return { ok: true, ...this.#host.turn(open, () => body(open)) } as const;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404)
        return { ok: false, code: "not_found", message: error.message } as const;
      if (error instanceof ApiError && error.code === 400)
        return { ok: false, code: "invalid_field", message: error.message } as const;
      return refusalOf(error);
    }
  }
}
