// What the API finds in the containers: the simulated kubelet's answers, for the pods as they are stored.
import type { Containers } from "../api/containers.ts";
import type { TokenKey } from "../api/service.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { clusterView } from "../node/network/cluster-view.ts";
import { portAnswer, runsOf } from "../node/answer.ts";
import { attachedOutput, containerOutput, execOutput } from "../node/output.ts";
import type { Edit } from "../node/shell/files.ts";
import type { Client } from "../registry/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { KeptEdits } from "./kept-edits.ts";
import { podTokens } from "./pod-tokens.ts";

export interface ContainersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly edits: KeptEdits;
  readonly runtime: Runtime;
  readonly key: TokenKey;
}

/** The kubelet takes a moment to see that a container has ended. */
const noticeMs = 200;

export function simulatedContainers({ client, clock, edits, runtime, key }: ContainersOptions): Containers {
  const view = clusterView(client, edits, podTokens(client, key, clock));
  return {
    printed: (pod, container, previous) => {
      const output = containerOutput(pod, container, view, clock.nowMs(), previous);
      return output && { lines: output.lines, hasEnded: output.end !== undefined };
    },
    execute: (pod, container, { words, startMs, untilMs, input }) => {
      const done = execOutput(pod, container, view, { words, nowMs: startMs, untilMs, input });
      if (!done || "missing" in done) return done;
      return { chunks: done.chunks, end: done.end, changes: done.edits };
    },
    attach: (pod, container, { startMs, nowMs, untilMs, input }) => {
      const { namespace = "", name = "" } = pod.metadata;
      const isNews = input !== undefined && edits.type(pod, container, startMs, input);
      if (isNews) runtime.request("kubelet", { namespace, name });
      const output = attachedOutput(pod, container, view, { sinceMs: startMs, nowMs, untilMs });
      if (!output) return undefined;
      const { endsMs } = output;
      return {
        ...output,
        changes: [],
        ...(endsMs === undefined ? {} : { newsMs: Math.max(endsMs, nowMs + noticeMs) }),
      };
    },
    answer: (pod, port, visit) => {
      const found = portAnswer(pod, runsOf(pod, view), { ...visit, port, nowMs: clock.nowMs() });
      if (!found) return undefined;
      const { status, contentType, headers = [], body } = found;
      return { status, contentType, headers, body };
    },
    keep: (pod, container, changes) => {
      const { namespace = "", name = "" } = pod.metadata;
      // They are those that `execute` gave. Probes may answer otherwise from now on.
      if (edits.keep(pod, container, changes as readonly Edit[])) runtime.request("kubelet", { namespace, name });
    },
  };
}
