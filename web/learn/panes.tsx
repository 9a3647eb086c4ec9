// The cluster beside a lesson's page: its live view, a terminal, and access with the learner's own kubectl.
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { OwnAccess, Run } from "../../shared/contract/lesson.ts";
import { systemClock } from "../../shared/base/clock.ts";
import { accessWith } from "../api/access.ts";
import type { ClusterAccess } from "../api/cluster.ts";
import { connectionTo } from "../api/connection.ts";
import { messageOf } from "../api/control.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import type { Terminal } from "../terminal/terminal.ts";
import type { LearnerApi } from "./learner-api.ts";
import { recordTerminal } from "./terminal-record.ts";
import { messages } from "../messages/learn.ts";

/** The API of a learner's page, or of the page of a shared state. */
type CopyApi = Pick<LearnerApi, "access" | "record">;
type CopyRun = Pick<Run, "sandbox" | "lesson" | "run" | "version">;

interface Props {
  readonly api: CopyApi;
  readonly run: CopyRun;
  /** Receives the function that runs a line in the terminal, or undefined if the terminal is closed. */
  readonly onTerminalChange: (line: ((text: string) => void) | undefined) => void;
  /** Called after each line that was run in the terminal. */
  readonly onCommand: () => void;
  /** The context of the cluster that the live view shows, if there are several. */
  readonly shownContext?: string | undefined;
}

const LiveView = onDemand(async () => (await import("../view/live-view.tsx")).LiveView);
const tabs = ["live", "terminal", "kubectl"] as const;
type Tab = (typeof tabs)[number];

export function Panes({ api, run, onTerminalChange, onCommand, shownContext }: Props) {
  const [access, setAccess] = useState<OwnAccess>();
  const [failure, setFailure] = useState("");
  const [tab, setTab] = useState<Tab>("terminal");
  const [user, setUser] = useState("");
  useEffect(() => {
    api.access().then(setAccess, (error: unknown) => setFailure(messageOf(error)));
    // Another version of the lesson may have other users.
  }, [api, run.version]);
  const token = (access?.tokens.find((userToken) => userToken.user === user) ?? access?.tokens[0])?.token ?? "";
  const clusters = useMemo(() => clustersOf(access, user, run), [access, user, run.sandbox.id, run.lesson]);
  const shownCluster = clusters.find(({ name }) => name === shownContext) ?? clusters[0];
  return (
    <section class="panes" aria-label={messages.panes}>
      <div class="bar">
        <Tabs tab={tab} open={setTab} />
        {access && access.tokens.length > 1 && (
          <label class="filter">
            {messages.workAs}
            <select value={user} onChange={({ currentTarget }) => setUser(currentTarget.value)}>
              {access.tokens.map((userToken) => (
                <option key={userToken.user} value={userToken.user}>
                  {userToken.user}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {failure && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
      {token !== "" && (
        <Fragment key={token}>
          {/* The terminal stays mounted while another tab is open, so that its programs keep running. */}
          <Pane tab="terminal" isOpen={tab === "terminal"}>
            <TerminalPane
              api={api}
              clusters={clusters}
              run={run}
              onTerminalChange={onTerminalChange}
              onCommand={onCommand}
              show={() => setTab("terminal")}
            />
          </Pane>
          {tab === "live" && shownCluster && (
            <Pane tab="live" isOpen>
              <LiveView key={shownCluster.name} access={shownCluster.access} />
            </Pane>
          )}
          {tab === "kubectl" && access && (
            <Pane tab="kubectl" isOpen>
              <OwnKubectl access={access} user={user} lesson={run.lesson} />
            </Pane>
          )}
        </Fragment>
      )}
    </section>
  );
}

interface OwnCluster {
  /** The name of its context. */
  readonly name: string;
  readonly access: ClusterAccess;
}

/** Returns the clusters of a run, the first one first, as a user reaches them. */
function clustersOf(access: OwnAccess | undefined, user: string, { sandbox, lesson }: CopyRun): readonly OwnCluster[] {
  if (!access) return [];
  const all = access.clusters ?? [{ name: lesson, sandbox, tokens: access.tokens }];
  return all.map(({ name, sandbox: { id }, tokens }) => {
    const token = (tokens.find((userToken) => userToken.user === user) ?? tokens[0])?.token ?? "";
    return { name, access: accessWith(id, () => Promise.resolve(token), { mayWrite: true }) };
  });
}

interface PaneProps {
  readonly tab: Tab;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

function Pane({ tab, isOpen, children }: PaneProps) {
  return (
    <div id={`pane-${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`} hidden={!isOpen}>
      {children}
    </div>
  );
}

/** The tabs. Arrow keys move between them. */
function Tabs({ tab, open }: { readonly tab: Tab; readonly open: (tab: Tab) => void }) {
  const step = (by: number) => {
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length] ?? tab;
    open(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={messages.panes}>
      {tabs.map((tabName) => (
        <button
          key={tabName}
          id={`tab-${tabName}`}
          type="button"
          role="tab"
          class="quiet"
          aria-selected={tabName === tab}
          aria-controls={tabName === tab ? `pane-${tabName}` : undefined}
          tabIndex={tabName === tab ? 0 : -1}
          onClick={() => open(tabName)}
          onKeyDown={({ key }) => {
            if (key === "ArrowRight") step(1);
            if (key === "ArrowLeft") step(-1);
          }}
        >
          {messages[tabName]}
        </button>
      ))}
    </div>
  );
}

interface TerminalProps {
  readonly api: CopyApi;
  readonly onCommand: () => void;
  readonly clusters: readonly OwnCluster[];
  readonly run: CopyRun;
  readonly onTerminalChange: Props["onTerminalChange"];
  /** Opens the pane. Calling it again has no effect. */
  readonly show: () => void;
}

function TerminalPane({ api, clusters, run, onTerminalChange, onCommand, show }: TerminalProps) {
  const element = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let terminal: Terminal | undefined;
    let isUnmounted = false;
    const place = element.current;
    if (!place) return undefined;
    const record = recordTerminal(api, systemClock.nowMs);
    const open = async () => {
      const { openTerminal } = await import("../terminal/terminal.ts");
      const [cluster, ...further] = clusters.map(({ name, access }) => connectionTo(access, name));
      if (isUnmounted || !cluster) return;
      const opened = openTerminal(place, {
        cluster,
        further,
        namespace: "default",
        storageKey: run.run,
        onOutput: record.write,
        onCommand: (line, exitCode) => {
          record.ended(line, exitCode);
          onCommand();
        },
      });
      terminal = opened;
      onTerminalChange((line) => {
        show();
        void opened.run(line);
      });
    };
    open().catch((error: unknown) => setFailure(messageOf(error)));
    return () => {
      isUnmounted = true;
      onTerminalChange(undefined);
      terminal?.dispose();
      record.stop();
    };
  }, [api, clusters, run.run, onTerminalChange, onCommand]);
  return (
    <>
      {failure && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
      <div class="panel lesson-terminal" ref={element} />
    </>
  );
}

interface KubectlProps {
  readonly access: OwnAccess;
  readonly user: string;
  readonly lesson: string;
}

function OwnKubectl({ access, user, lesson }: KubectlProps) {
  const config = (access.tokens.find((userToken) => userToken.user === user) ?? access.tokens[0])?.kubeconfig ?? "";
  const file = `${lesson}.kubeconfig`;
  const line = `kubectl --kubeconfig ${file} get pods`;
  return (
    <div class="panel own-kubectl">
      <p>{messages.kubeconfigSaved}</p>
      <pre tabIndex={0} aria-label={messages.listing}>
        <code>{line}</code>
      </pre>
      <div class="actions">
        <CopyButton label={messages.copyConfig} text={() => config} file={file} class="primary" />
        <SaveButton label={messages.saveConfig} text={() => config} file={file} />
      </div>
    </div>
  );
}
