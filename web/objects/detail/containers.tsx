// The containers of a pod: their states, how they ended last, and links to their logs and shells.
import type { Container, ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { messages } from "../../messages.ts";
import { Age } from "../../parts/age.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import type { Tone } from "../../live/status.ts";
import { useLive } from "../../view/context.ts";
import { lineOf } from "../run.ts";
import { terminal } from "../terminal.ts";
import { meaningOf } from "../wrong/exit-codes.ts";
import { texts as all } from "../../messages/status.ts";

const texts = all.containers;

export function Containers({ pod }: { readonly pod: Pod }) {
  const { spec, status } = pod;
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const statusOf = (name: string) => all.find((status) => status.name === name);
  return (
    <>
      <h3>{messages.detail.containers}</h3>
      <ul class="containers">
        {(spec.initContainers ?? []).map((container) => (
          <ContainerItem
            key={container.name}
            pod={pod}
            container={container}
            status={statusOf(container.name)}
            isInit
          />
        ))}
        {spec.containers.map((container) => (
          <ContainerItem
            key={container.name}
            pod={pod}
            container={container}
            status={statusOf(container.name)}
            isInit={false}
          />
        ))}
      </ul>
    </>
  );
}

interface ItemProps {
  readonly pod: Pod;
  readonly container: Container;
  readonly status: ContainerStatus | undefined;
  readonly isInit: boolean;
}

function ContainerItem({ pod, container, status, isInit }: ItemProps) {
  const { place, cluster } = useLive();
  const { name, image, ports = [], resources = {} } = container;
  const { text, tone } = stateOf(status);
  const last =
    status?.lastState.terminated ?? (status?.state.terminated?.exitCode ? status.state.terminated : undefined);
  const { namespace = "", name: podName = "" } = pod.metadata;
  const line = lineOf(["exec", "-it", podName, "-n", namespace, "-c", name, "--", "sh"]);
  return (
    <li class="card" data-container={name}>
      <div class="top">
        <strong>
          {name} {isInit && <small class="muted">{texts.init}</small>}
        </strong>
        <span class={`chip ${tone}`}>{text}</span>
      </div>
      <p class="facts">
        <code>{image}</code>
        {ports.length > 0 && (
          <span>{ports.map(({ containerPort, protocol }) => `${containerPort}/${protocol ?? "TCP"}`).join(", ")}</span>
        )}
        <span>{messages.detail.restarts(status?.restartCount ?? 0)}</span>
        {amounts("requests", resources.requests)}
        {amounts("limits", resources.limits)}
      </p>
      {last && (
        <p class="last" data-last>
          {messages.detail.lastEnded(last.exitCode, last.reason ?? "", meaningOf(last.exitCode, last.reason))}{" "}
          {last.finishedAt && (
            <span class="muted">
              <Age time={last.finishedAt} /> {messages.detail.ago}
            </span>
          )}
        </p>
      )}
      <div class="actions">
        <button type="button" class="quiet small" onClick={() => place.go({ pane: "logs", from: name, to: "" })}>
          {messages.detail.panes.logs}
        </button>
        {(status?.restartCount ?? 0) > 0 && (
          <button
            type="button"
            class="quiet small"
            onClick={() => place.go({ pane: "logs", from: name, to: "previous" })}
          >
            {messages.logs.previous}
          </button>
        )}
        {cluster.access.mayWrite && status?.state.running && <Shell line={line} />}
      </div>
    </li>
  );
}

/** Opens a shell in the terminal, if there is one. Otherwise shows a line to copy. */
function Shell({ line }: { readonly line: string }) {
  const run = terminal.value;
  if (!run)
    return <CopyButton class="quiet small" label={messages.detail.copyShell} text={() => line} file="exec.sh" />;
  return (
    <button type="button" class="quiet small" title={line} onClick={() => run(line)}>
      {messages.detail.shell}
    </button>
  );
}

function amounts(name: "requests" | "limits", all: Readonly<Record<string, string>> | undefined) {
  const entries = Object.entries(all ?? {});
  if (entries.length === 0) return null;
  return (
    <span>
      {name} {entries.map(([key, value]) => `${key} ${value}`).join(", ")}
    </span>
  );
}

function stateOf(status: ContainerStatus | undefined): { readonly text: string; readonly tone: Tone } {
  const { state, ready = false } = status ?? {};
  if (state?.running) return { text: ready ? texts.running : texts.runningNotReady, tone: ready ? "ok" : "busy" };
  if (state?.terminated) {
    const { exitCode, reason } = state.terminated;
    return { text: `${reason ?? texts.terminated} (${exitCode})`, tone: exitCode === 0 ? "idle" : "bad" };
  }
  const reason = state?.waiting?.reason ?? texts.waiting;
  return { text: reason, tone: /BackOff|Err|Invalid/.test(reason) ? "bad" : "busy" };
}
