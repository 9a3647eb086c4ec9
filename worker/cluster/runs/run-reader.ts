// Returns the runs that readers request, from the cache or computed in a view of the cluster that records what is read.
import type { Unknown } from "../../../shared/contract/sandbox.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { TokenKey } from "../../api/api-server.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { serviceAccounts } from "../../kinds/core/service-account.ts";
import { type RunAhead, runAhead } from "../../containers/run-ahead.ts";
import type { PodRuns } from "../../containers/pod-runs.ts";
import { runsOf } from "../../containers/port-answer.ts";
import type { OwnImages } from "../../containers/images/own-images.ts";
import { clusterView } from "../../containers/network/cluster-view.ts";
import {
  type FoundLog,
  type FoundRun,
  type Line,
  logLines,
  logOfStatus,
  runOfStatus,
} from "../../containers/output.ts";
import type { NodePki } from "../../containers/node/node-pki.ts";
import type { ClusterView } from "../../containers/run/world.ts";
import type { Client } from "../../registry/client.ts";
import type { KeptEdits } from "../kept-edits.ts";
import { probed } from "./node-runtimes.ts";
import { podTokens, tokenPeriod } from "../pod-tokens.ts";
import type { CachedResult, RunCache, CacheRequest, ComputedResult } from "./cache.ts";
import type { KeptRuns } from "./kept-runs.ts";
import { lineBytes, runBytes } from "./run-bytes.ts";
import { trackingClient, trackingEdits, type ReadKeys } from "./read-tracking.ts";

export interface RunReaderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly edits: KeptEdits;
  readonly key: TokenKey;
  readonly cache: RunCache;
  readonly suspended: KeptRuns;
  /** See `Delays`. */
  readonly proxyMs?: number | undefined;
  readonly unknown?: Unknown | undefined;
  readonly ownImages?: OwnImages | undefined;
  readonly pki?: NodePki | undefined;
  /** Receives bugs that ended a container and nothing else. */
  report(error: unknown, where: string): void;
}

export interface Log {
  readonly followedRun: RunAhead;
  readonly lines: readonly Line[];
}

export interface LogRequest {
  readonly previous: boolean;
  /** Whether the run is computed ahead of the present: see `runAhead`. */
  readonly isAhead: boolean;
  /** Receives the log in the turn in which it is read from the cache or computed. */
  onResult?(log: Log, readKeys: ReadonlySet<string>): void;
}

export interface RunReader {
  /** Returns undefined if there is no such run. `attached` does the same. */
  log(pod: Pod, container: string, request: LogRequest): Promise<Log | undefined>;
  /** Returns a run as far ahead as attached clients receive it. `untilMs` is the end of that period. */
  attached(
    pod: Pod,
    container: string,
    previous: boolean,
  ): Promise<(FoundRun & { readonly untilMs: number }) | undefined>;
  ports(pod: Pod): Promise<PodRuns>;
  /** Returns a view for results that are not cached. */
  view(): ClusterView;
}

/** The period that is computed ahead for attached clients. */
const attachedMs = 15_000;

export function runReader(options: RunReaderOptions): RunReader {
  const { cache } = options;
  const viewing = viewer(options);
  const inView =
    <T>(body: (view: ClusterView, nowMs: number) => Omit<ComputedResult<T>, "untilMs">): CacheRequest<T>["compute"] =>
    (readKeys, nowMs) => {
      const { view, untilMs } = viewing(readKeys);
      const { value, bytes } = body(view, nowMs);
      return { value, bytes, untilMs: untilMs() };
    };
  return {
    log: async (pod, container, { previous, isAhead, onResult }) => {
      const report = ({ value, readKeys }: CachedResult<Log | undefined>) =>
        void (value && onResult?.(value, readKeys));
      const cached = await cache.get<Log | undefined>({
        pod,
        container,
        what: `log/${String(previous)}/${String(isAhead)}`,
        isUsable: ({ value }, nowMs) => !value || value.followedRun.knownMs > nowMs,
        onResult: report,
        compute: inView((view, nowMs) => workedLog(pod, container, view, nowMs, { previous, isAhead })),
      });
      return cached.value;
    },
    attached: async (pod, container, previous) => {
      const { value, atMs } = await cache.get<FoundRun | undefined>({
        pod,
        container,
        what: `attached/${String(previous)}`,
        isUsable: (result, nowMs) =>
          !result.value || result.value.ended !== undefined || nowMs < result.atMs + attachedMs,
        compute: inView((view, nowMs) => {
          const foundRun = runOfStatus(pod, container, view, nowMs + attachedMs, previous);
          return { value: foundRun, bytes: foundRun ? runBytes(foundRun.run) : 0 };
        }),
      });
      return value && { ...value, untilMs: atMs + attachedMs };
    },
    ports: async (pod) => {
      const cached = await cache.get<PodRuns>({
        pod,
        container: "",
        what: "ports",
        isUsable: ({ value }, nowMs) => value.knows(nowMs),
        compute: inView((view, nowMs) => {
          const runs = runsOf(pod, view);
          return { value: runs, bytes: runs.at(nowMs).reduce((sum, { run }) => sum + runBytes(run), 0) };
        }),
      });
      return cached.value;
    },
    view: () => viewing(new Set()).view,
  };
}

function workedLog(
  pod: Pod,
  container: string,
  view: ClusterView,
  nowMs: number,
  { previous, isAhead }: LogRequest,
): Omit<ComputedResult<Log | undefined>, "untilMs"> {
  const followedRun = isAhead
    ? runAhead(pod, container, view, nowMs, previous)
    : withKnown(logOfStatus(pod, container, view, nowMs, previous), nowMs);
  if (!followedRun) return { value: undefined, bytes: 0 };
  const lines = logLines(followedRun, followedRun.ended ? nowMs : followedRun.knownMs);
  return { value: { followedRun, lines }, bytes: runBytes(followedRun.run) + lineBytes(lines) };
}

function withKnown(log: FoundLog | undefined, nowMs: number): RunAhead | undefined {
  return log && { ...log, knownMs: log.ended ? Number.POSITIVE_INFINITY : nowMs };
}

/** Creates views of the cluster that record what is read, and until when the tokens that were read stay valid. */
function viewer({ client, clock, edits, key, suspended, proxyMs, unknown, ownImages, pki, report }: RunReaderOptions) {
  const reportError = (error: unknown) => report(error, "a container that was looked at");
  const tokens = podTokens(client, key, clock);
  return (readKeys: ReadKeys): { readonly view: ClusterView; untilMs(): number } => {
    const seeing = trackingClient(client, readKeys);
    let freshMs = Number.POSITIVE_INFINITY;
    const token: ClusterView["token"] = (pod, projection) => {
      const { namespace = "" } = pod.metadata;
      seeing.get(serviceAccounts, namespace, pod.spec.serviceAccountName ?? "default");
      seeing.get(nodes, "", pod.spec.nodeName ?? "");
      freshMs = Math.min(freshMs, tokenPeriod(pod, projection, clock.nowMs()).untilMs - 1);
      return tokens(pod, projection);
    };
    const untilMs = () => freshMs;
    const suspendedRuns = suspended.forReader(readKeys, untilMs);
    const tracking = { edits: trackingEdits(edits, readKeys), token };
    const reading = clusterView(seeing, { ...tracking, proxyMs, probed, unknown, ownImages, pki });
    return { view: { ...reading, report: reportError, suspendedRuns }, untilMs };
  };
}
