// The logs of an object's pods: of one container or all, followed and searchable.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { messageOf } from "../../api/control-failure.ts";
import { compareText } from "../../live/order.ts";
import { argumentOf } from "../../live/reference.ts";
import { messages } from "../../messages.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import { type LogSource, followLog } from "../logs/follow-log.ts";
import { untilEnd } from "../logs/until-end.ts";
import { LogLines, linesWith, mostLines, textOfLines } from "../logs/log-lines.ts";
import { texts as dockTexts } from "../../messages/dock.ts";
import { podsFor } from "../related.ts";
import { lineOf } from "../run.ts";
import { dockLogs } from "../terminal.ts";
import type { PaneProps } from "./pane.ts";

const logsAtMost = 20;
const gatherMs = 100;
const all = "*";

export function LogsPane({ mapping, of, object }: PaneProps) {
  const { cluster, place } = useLive();
  const pods = of.resource === "pods" ? [object as Pod] : podsFor(of.resource, object, cluster);
  const sources = sourcesOf(pods);
  const containerName = place.get("from") || (of.resource === "pods" ? (defaultOf(pods[0]) ?? all) : all);
  const chosen = sources
    .filter(({ container }) => containerName === all || container === containerName)
    .slice(0, logsAtMost);
  const isPrevious = place.get("to") === "previous";
  const search = useSignal("");
  const withTimes = useSignal(false);
  const isFollowing = useSignal(true);
  const { lines, failure } = useLog(chosen, { isPrevious, withTimes: withTimes.value });
  const visibleLines = useComputed(() => linesWith(lines.value, search.value)).value;
  const text = textOfLines(visibleLines, chosen.length > 1);
  const words = [
    "logs",
    ...(isPrevious ? ["-p"] : ["-f"]),
    argumentOf(mapping, of.name),
    "-n",
    of.namespace,
    ...(containerName === all
      ? ["--all-containers", ...(of.resource === "pods" ? [] : ["--all-pods"])]
      : ["-c", containerName]),
    ...(withTimes.value ? ["--timestamps"] : []),
  ];
  return (
    <div class="logs">
      <div class="tools">
        <Containers names={[...new Set(sources.map(({ container }) => container))]} containerName={containerName} />
        <input
          type="search"
          aria-label={messages.logs.search}
          placeholder={messages.logs.search}
          value={search.value}
          onInput={({ currentTarget }) => void (search.value = currentTarget.value)}
        />
        <Choice
          label={messages.logs.previous}
          value={isPrevious}
          change={(is) => place.go({ to: is ? "previous" : "" }, "replace")}
        />
        <Choice label={messages.logs.times} value={withTimes.value} change={(is) => void (withTimes.value = is)} />
        <Choice label={messages.logs.follow} value={isFollowing.value} change={(is) => void (isFollowing.value = is)} />
        {dockLogs.value && place.get("pane") === "logs" && (
          <button type="button" class="quiet small" onClick={() => dockLogs.value?.(of)}>
            {dockTexts.logsInDock}
          </button>
        )}
        <CopyButton class="quiet small" label={messages.common.copy} text={() => text} file={`${of.name}.log`} />
      </div>
      {failure.value && <p class="notice">{failure.value}</p>}
      <Text text={text} isFollowing={isFollowing.value} leave={() => void (isFollowing.value = false)} />
      <p class="facts">
        <span role="status">
          {search.value ? messages.logs.matches(visibleLines.length) : messages.logs.lines(visibleLines.length)}
        </span>
        {sources.length > logsAtMost && containerName === all && <span>{messages.logs.only(logsAtMost)}</span>}
        {lines.value.length >= mostLines && <span>{messages.logs.bounded(mostLines)}</span>}
      </p>
      <Command line={lineOf(words)} />
    </div>
  );
}

function Containers({ names, containerName }: { readonly names: readonly string[]; readonly containerName: string }) {
  const { place } = useLive();
  return (
    <select
      aria-label={messages.logs.container}
      value={containerName}
      onChange={({ currentTarget }) => place.go({ from: currentTarget.value }, "replace")}
    >
      <option value={all}>{messages.logs.allContainers}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: boolean;
  readonly change: (is: boolean) => void;
}

function Choice({ label, value, change }: ChoiceProps) {
  return (
    <label class="inline">
      <input type="checkbox" checked={value} onChange={({ currentTarget }) => change(currentTarget.checked)} />
      {label}
    </label>
  );
}

/** The text of the logs. It follows the end while the end is visible. */
function Text({
  text,
  isFollowing,
  leave,
}: {
  readonly text: string;
  readonly isFollowing: boolean;
  readonly leave: () => void;
}) {
  const box = useRef<HTMLPreElement>(null);
  const followedTop = useRef(0);
  useLayoutEffect(() => {
    if (!isFollowing || !box.current) return;
    box.current.scrollTop = box.current.scrollHeight;
    followedTop.current = box.current.scrollTop;
  }, [text, isFollowing]);
  // Scrolling up stops following.
  const scrolled = () => {
    if (box.current && box.current.scrollTop < followedTop.current - 4) leave();
  };
  return (
    <pre ref={box} class="log" tabIndex={0} aria-label={messages.detail.panes.logs} onScroll={scrolled} data-log>
      {text || messages.logs.empty}
    </pre>
  );
}

/** Returns the containers that have logs, with their pods. */
function sourcesOf(pods: readonly Pod[]): LogSource[] {
  return [...pods]
    .sort((a, b) => compareText(a.metadata.name ?? "", b.metadata.name ?? ""))
    .flatMap(({ metadata: { namespace = "", name: pod = "" }, spec, status }) =>
      [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
        .filter(({ name }) => isStarted(name, status))
        .map(({ name: container }) => ({ namespace, pod, container })),
    );
}

/** Reports whether a container has started. Requesting the log of one that has not is an error. */
function isStarted(name: string, { containerStatuses = [], initContainerStatuses = [] }: Pod["status"]): boolean {
  const status = [...containerStatuses, ...initContainerStatuses].find((candidate) => candidate.name === name);
  return status !== undefined && (status.restartCount > 0 || !status.state.waiting);
}

function defaultOf(pod: Pod | undefined): string | undefined {
  const named = pod?.metadata.annotations?.["kubectl.kubernetes.io/default-container"];
  return named ?? (pod?.spec.containers.length === 1 ? pod.spec.containers[0]?.name : undefined);
}

function useLog(sources: readonly LogSource[], options: { readonly isPrevious: boolean; readonly withTimes: boolean }) {
  const { cluster } = useLive();
  const version = useSignal(0);
  const failure = useSignal("");
  const names = sources.map(({ pod, container }) => `${pod}/${container}`).join(" ");
  const key = `${names} ${options.isPrevious} ${options.withTimes}`;
  const buffer = useMemo(() => new LogLines(), [key]);
  useEffect(() => {
    const stop = new AbortController();
    let due = false;
    const tell = () => {
      if (due) return;
      due = true;
      setTimeout(() => {
        due = false;
        if (!stop.signal.aborted) version.value += 1;
      }, gatherMs);
    };
    failure.value = "";
    for (const source of sources) {
      const from = `${source.pod}/${source.container}`;
      const add = (text: string) => {
        buffer.add(from, text);
        tell();
      };
      const follow = () => followLog(cluster.access, source, options, add, stop.signal);
      const restart = () => {
        buffer.restart(from);
        failure.value = "";
      };
      untilEnd(follow, restart, () => void (failure.value = messages.logs.lost), stop.signal)
        .then(() => {
          buffer.end(from);
          tell();
        })
        .catch((error: unknown) => {
          if (!stop.signal.aborted) failure.value = messageOf(error);
        });
    }
    version.value += 1;
    return () => stop.abort();
  }, [key]);
  const lines = useComputed(() => (version.value >= 0 ? [...buffer.list()] : []));
  return { lines, failure };
}
