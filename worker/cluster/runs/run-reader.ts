// The runs that readers ask for, from the cache or worked out in a view of the cluster that notes what is looked at.
import type { Unknown } from "../../../shared/contract/sandbox.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { TokenKey } from "../../api/api-server.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { serviceAccounts } from "../../kinds/core/service-account.ts";
import { type RunAhead, runAhead } from "../../containers/run-ahead.ts";
import { type PodRuns, runsOf } from "../../containers/port-answer.ts";
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
import type { ClusterView } from "../../containers/run/world.ts";
import type { Client } from "../../registry/client.ts";
import type { KeptEdits } from "../kept-edits.ts";
import { probed } from "./node-runtimes.ts";
import { podTokens, tokenPeriod } from "../pod-tokens.ts";
import type { Kept, RunCache, Wanted, Worked } from "./cache.ts";
import type { KeptRuns } from "./kept-runs.ts";
import { lineBytes, runBytes } from "./run-bytes.ts";
import { seeingClient, seeingEdits, type Seen } from "./seen.ts";

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
  /** Told of bugs that ended a container and nothing else. */
  report(error: unknown, where: string): void;
}

export interface Log {
  readonly found: RunAhead;
  readonly lines: readonly Line[];
}

export interface LogWanted {
  readonly previous: boolean;
  /** It is followed ahead: see `runAhead`. */
  readonly isAhead: boolean;
  /** Told of it in the turn in which it is found or made. */
  found?(log: Log, seen: ReadonlySet<string>): void;
}

export interface RunReader {
  /** Undefined if there is no such run; so below. */
  log(pod: Pod, container: string, wanted: LogWanted): Promise<Log | undefined>;
  /** A run as far as those who are attached are told ahead; `untilMs`: the end of that. */
  attached(
    pod: Pod,
    container: string,
    previous: boolean,
  ): Promise<(FoundRun & { readonly untilMs: number }) | undefined>;
  ports(pod: Pod): Promise<PodRuns>;
  /** A view for what is not kept. */
  view(): ClusterView;
}

const attachedMs = 15_000;

export function runReader(options: RunReaderOptions): RunReader {
  const { cache } = options;
  const viewing = viewer(options);
  const inView =
    <T>(body: (view: ClusterView, nowMs: number) => Omit<Worked<T>, "untilMs">): Wanted<T>["work"] =>
    (seen, nowMs) => {
      const { view, untilMs } = viewing(seen);
      const { value, bytes } = body(view, nowMs);
      return { value, bytes, untilMs: untilMs() };
    };
  return {
    log: async (pod, container, { previous, isAhead, found }) => {
      const tell = ({ value, seen }: Kept<Log | undefined>) => void (value && found?.(value, seen));
      const kept = await cache.get<Log | undefined>({
        pod,
        container,
        what: `log/${String(previous)}/${String(isAhead)}`,
        isGood: ({ value }, nowMs) => !value || value.found.knownMs > nowMs,
        found: tell,
        work: inView((view, nowMs) => workedLog(pod, container, view, nowMs, { previous, isAhead })),
      });
      return kept.value;
    },
    attached: async (pod, container, previous) => {
      const { value, atMs } = await cache.get<FoundRun | undefined>({
        pod,
        container,
        what: `attached/${String(previous)}`,
        isGood: (kept, nowMs) => !kept.value || kept.value.ended !== undefined || nowMs < kept.atMs + attachedMs,
        work: inView((view, nowMs) => {
          const found = runOfStatus(pod, container, view, nowMs + attachedMs, previous);
          return { value: found, bytes: found ? runBytes(found.run) : 0 };
        }),
      });
      return value && { ...value, untilMs: atMs + attachedMs };
    },
    ports: async (pod) => {
      const kept = await cache.get<PodRuns>({
        pod,
        container: "",
        what: "ports",
        isGood: ({ value }, nowMs) => value.knows(nowMs),
        work: inView((view, nowMs) => {
          const runs = runsOf(pod, view);
          return { value: runs, bytes: runs.at(nowMs).reduce((sum, { run }) => sum + runBytes(run), 0) };
        }),
      });
      return kept.value;
    },
    view: () => viewing(new Set()).view,
  };
}

function workedLog(
  pod: Pod,
  container: string,
  view: ClusterView,
  nowMs: number,
  { previous, isAhead }: LogWanted,
): Omit<Worked<Log | undefined>, "untilMs"> {
  const found = isAhead
    ? runAhead(pod, container, view, nowMs, previous)
    : withKnown(logOfStatus(pod, container, view, nowMs, previous), nowMs);
  if (!found) return { value: undefined, bytes: 0 };
  const lines = logLines(found, found.ended ? nowMs : found.knownMs);
  return { value: { found, lines }, bytes: runBytes(found.run) + lineBytes(lines) };
}

function withKnown(found: FoundLog | undefined, nowMs: number): RunAhead | undefined {
  return found && { ...found, knownMs: found.ended ? Number.POSITIVE_INFINITY : nowMs };
}

/** Views of the cluster that note what is looked at, and until when the tokens that were looked at stay the same. */
function viewer({ client, clock, edits, key, suspended, proxyMs, unknown, ownImages, report }: RunReaderOptions) {
  const told = (error: unknown) => report(error, "a container that was looked at");
  const tokens = podTokens(client, key, clock);
  return (seen: Seen): { readonly view: ClusterView; untilMs(): number } => {
    const seeing = seeingClient(client, seen);
    let freshMs = Number.POSITIVE_INFINITY;
    const token: ClusterView["token"] = (pod, asked) => {
      const { namespace = "" } = pod.metadata;
      seeing.get(serviceAccounts, namespace, pod.spec.serviceAccountName ?? "default");
      seeing.get(nodes, "", pod.spec.nodeName ?? "");
      freshMs = Math.min(freshMs, tokenPeriod(pod, asked, clock.nowMs()).untilMs - 1);
      return tokens(pod, asked);
    };
    const untilMs = () => freshMs;
    const suspendedRuns = suspended.seenBy(seen, untilMs);
    const own = { edits: seeingEdits(edits, seen), token };
    const reading = clusterView(seeing, { ...own, proxyMs, probed, unknown, ownImages });
    return { view: { ...reading, report: told, suspendedRuns }, untilMs };
  };
}
