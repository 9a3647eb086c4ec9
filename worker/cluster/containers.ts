// What the API finds in the containers: the simulated kubelet's answers, for the pods as they are stored.
import type { Clock } from "../../shared/base/clock.ts";
import { countBefore } from "../../shared/base/partition.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Containers, Printed } from "../api/containers.ts";
import type { TokenKey } from "../api/service.ts";
import { nodes } from "../kinds/nodes.ts";
import { pods } from "../kinds/pods.ts";
import { serviceAccounts } from "../kinds/service-accounts.ts";
import { newsMs, type RunAhead, runAhead } from "../node/ahead.ts";
import { clusterView } from "../node/network/cluster-view.ts";
import { type PodRuns, portAnswer, runsOf } from "../node/answer.ts";
import {
  attachedOutput,
  execOutput,
  type FoundRun,
  isPreviousRun,
  type Line,
  linesOf,
  runOfStatus,
} from "../node/output.ts";
import type { ClusterView } from "../node/run/world.ts";
import type { Edit } from "../node/shell/files.ts";
import type { Client } from "../registry/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { KeptEdits } from "./kept-edits.ts";
import { podTokens, tokenPeriod } from "./pod-tokens.ts";
import type { RunCache, Wanted, Worked } from "./runs/cache.ts";
import type { LogFollowers } from "./runs/followers.ts";
import { lineBytes, runBytes } from "./runs/run-bytes.ts";
import { seeingClient, seeingEdits, type Seen } from "./runs/seen.ts";

export interface ContainersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly edits: KeptEdits;
  readonly runtime: Runtime;
  readonly key: TokenKey;
  readonly cache: RunCache;
  /** Absent where there are no sockets. */
  readonly news?: LogFollowers | undefined;
}

/** The kubelet takes a moment to see that a container has ended. */
const noticeMs = 200;
/** How far those who are attached are told ahead. */
const attachedMs = 15_000;

interface Log {
  readonly found: RunAhead;
  readonly lines: readonly Line[];
}

export function simulatedContainers(options: ContainersOptions): Containers {
  const { client, clock, edits, runtime, cache, news } = options;
  const viewing = viewer(options);
  /** Works a value out in a view that notes what is looked at. */
  const inView =
    <T>(body: (view: ClusterView, nowMs: number) => Omit<Worked<T>, "untilMs">): Wanted<T>["work"] =>
    (seen, nowMs) => {
      const { view, untilMs } = viewing(seen);
      const { value, bytes } = body(view, nowMs);
      return { value, bytes, untilMs: untilMs() };
    };
  const logOf = (pod: Pod, container: string, previous: boolean, isAhead: boolean, found?: Wanted<Log>["found"]) =>
    cache.get<Log | undefined>({
      pod,
      container,
      what: `log/${String(previous)}/${String(isAhead)}`,
      isGood: ({ value }, nowMs) => !value || value.found.knownMs > nowMs,
      found: (kept) => {
        const { value } = kept;
        if (value) found?.({ ...kept, value });
      },
      work: inView((view, nowMs) => workedLog(pod, container, view, nowMs, { previous, isAhead })),
    });
  return {
    printed: async (pod, container, { previous, follows }): Promise<Printed | undefined> => {
      const { value } = await logOf(pod, container, previous, follows, ({ value: { found: run }, seen }) => {
        if (follows && !run.ended) news?.expect(pod, container, seen);
      });
      if (!value) return undefined;
      const nowMs = clock.nowMs();
      const { found, lines } = value;
      if (found.ended) return { lines, count: lines.length, hasEnded: true };
      const atMs = newsMs(found, nowMs);
      return {
        lines,
        count: countBefore(lines, (one) => one.atMs <= nowMs),
        hasEnded: false,
        ...(atMs === undefined ? {} : { newsMs: atMs }),
      };
    },
    news: news && ((pod, container) => news.join(pod, container)),
    execute: async (pod, container, { words, startMs, untilMs, input }) => {
      const { value } = await logOf(pod, container, false, true);
      const command = { words, nowMs: startMs, untilMs, input };
      const { view } = viewing(new Set());
      const run = () => execOutput(pod, container, view, value?.found, command);
      const done = await cache.guarded(pod, container, run);
      if (!done || "missing" in done) return done;
      return { chunks: done.chunks, end: done.end, changes: done.edits };
    },
    type: (pod, container, startMs, input) => {
      if (edits.type(pod, container, startMs, input)) look(runtime, pod);
    },
    attach: async (pod, container, { startMs, nowMs }) => {
      const previous = isPreviousRun(pod, container, startMs);
      const { value, atMs } = await cache.get<FoundRun | undefined>({
        pod,
        container,
        what: `attach/${String(previous)}`,
        isGood: (kept, now) => !kept.value || kept.value.ended !== undefined || now < kept.atMs + attachedMs,
        work: inView((view, now) => {
          const found = runOfStatus(pod, container, view, now + attachedMs, previous);
          return { value: found, bytes: found ? runBytes(found.run) : 0 };
        }),
      });
      if (!value) return undefined;
      const { endsMs, ...output } = attachedOutput(value, nowMs);
      const later = endsMs === undefined ? atMs + attachedMs : Math.max(endsMs, nowMs + noticeMs);
      return { ...output, changes: [], newsMs: later };
    },
    answer: async (pod, port, visit) => {
      const nowMs = clock.nowMs();
      const { value } = await cache.get<PodRuns>({
        pod,
        container: "",
        what: "ports",
        isGood: (kept, now) => kept.value.knows(now),
        work: inView((view, now) => {
          const runs = runsOf(pod, view);
          return { value: runs, bytes: runs.at(now).reduce((sum, { run }) => sum + runBytes(run), 0) };
        }),
      });
      const found = portAnswer(pod, value, { ...visit, port, nowMs });
      if (!found) return undefined;
      const { status, contentType, headers = [], body } = found;
      return { status, contentType, headers, body };
    },
    keep: (pod, container, changes) => {
      const { namespace = "", name = "", uid } = pod.metadata;
      if (client.get(pods, namespace, name)?.metadata.uid !== uid) return;
      // They are those that `execute` gave. Probes may answer otherwise from now on.
      if (edits.keep(pod, container, changes as readonly Edit[])) look(runtime, pod);
    },
  };
}

function look(runtime: Runtime, { metadata: { namespace = "", name = "" } }: Pod): void {
  runtime.look("kubelet", { namespace, name });
}

function workedLog(
  pod: Pod,
  container: string,
  view: ClusterView,
  nowMs: number,
  { previous, isAhead }: { readonly previous: boolean; readonly isAhead: boolean },
): Omit<Worked<Log | undefined>, "untilMs"> {
  const found = isAhead
    ? runAhead(pod, container, view, nowMs, previous)
    : withKnown(runOfStatus(pod, container, view, nowMs, previous), nowMs);
  if (!found) return { value: undefined, bytes: 0 };
  const lines = linesOf(found);
  return { value: { found, lines }, bytes: runBytes(found.run) + lineBytes(lines) };
}

function withKnown(found: FoundRun | undefined, nowMs: number): RunAhead | undefined {
  return found && { ...found, knownMs: found.ended ? Number.POSITIVE_INFINITY : nowMs };
}

/** Views of the cluster that note what is looked at, and until when the tokens that were looked at stay the same. */
function viewer({ client, clock, edits, key }: ContainersOptions) {
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
    return { view: clusterView(seeing, seeingEdits(edits, seen), token), untilMs: () => freshMs };
  };
}
