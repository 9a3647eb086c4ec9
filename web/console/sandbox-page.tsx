// A sandbox: its facts, its actions, and its tabs. The address says which tab is open.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Scope } from "../../shared/contract/scope.ts";
import type { Sandbox, ShownSandbox } from "../../shared/contract/sandbox.ts";
import type { ClusterAccess } from "../api/cluster.ts";
import { type Control, ControlFailure, messageOf } from "../api/control.ts";
import { adminTokens, viewTokens } from "../api/own-view.ts";
import { statesOf } from "../api/states.ts";
import { may } from "../api/session.ts";
import { type Gate, newGate } from "../live/ended.ts";
import { ListRefused } from "../live/informer.ts";
import { Docked } from "../dock/dock.tsx";
import { type DockTabs, newDockTabs } from "../dock/tabs.ts";
import { addressPlace, type Place } from "../live/place.ts";
import { messages } from "../messages.ts";
import { Age, Expiry } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { isNumber, remembered } from "../parts/remembered.ts";
import { LiveProvider } from "../view/context.ts";
import { Frame, initialDetail, Overview, useCluster } from "../view/live-view.tsx";
import { ActionDialog } from "../objects/action-dialog.tsx";
import { Keys } from "../objects/keys.tsx";
import { chosenAction, sandboxSource } from "../objects/palette-source.ts";
import { dockLogs, terminal } from "../objects/terminal.ts";
import { type Entry, offer } from "../palette/entries.ts";
import { texts as createTexts } from "../messages/create.ts";
import { texts as dockTexts } from "../messages/dock.ts";
import { texts as paletteTexts } from "../messages/palette.ts";
import { createText, isManifest, textOfFiles } from "../objects/create/create-text.ts";
import { CommandOutput, showOutput } from "../objects/command-output.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { go, pathTo } from "./route.ts";
import { SandboxFacts } from "./sandbox-fields.tsx";
import { TimelineBar } from "./timeline/timeline-bar.tsx";
import { Loading } from "../parts/loading.tsx";

/** The tabs of a sandbox's page in order. Each loads when it is first shown. */
const tabPages = {
  overview: Overview,
  // The terminal tab shows the dock at full height.
  terminal: () => null,
  objects: onDemand(async () => (await import("../objects/list/objects-page.tsx")).ObjectsPage),
  topology: onDemand(async () => (await import("../objects/topology/topology-page.tsx")).TopologyPage),
  access: onDemand(async () => (await import("../objects/access/access-page.tsx")).AccessPage),
  history: onDemand(async () => (await import("../objects/states/history-page.tsx")).HistoryPage),
  snapshots: onDemand(async () => (await import("../objects/states/snapshots-page.tsx")).SnapshotsPage),
} as const;

const CreateDialog = onDemand(async () => (await import("../objects/create/create-dialog.tsx")).CreateDialog);

type Part = keyof typeof tabPages;

const detailShare = remembered("detail-share", initialDetail, isNumber);

const partNames = Object.keys(tabPages) as Part[];

/** The scopes that tabs need because they use the control API. */
const scopes: Partial<Record<Part, Scope>> = {
  terminal: "sandboxes:connect",
  history: "sandboxes:connect",
  snapshots: "snapshots:read",
};

interface Props {
  readonly control: Control;
  readonly id: string;
}

export function SandboxPage({ control, id }: Props) {
  const [sandbox, setSandbox] = useState<ShownSandbox>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    control.find(id).then(
      (foundSandbox) => {
        if (!foundSandbox) return setFailure(messages.ended.gone);
        setSandbox(foundSandbox);
        document.title = `${foundSandbox.name} · Sandbar`;
      },
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [control, id]);
  if (failure) {
    return (
      <p class="notice" role="alert">
        {failure} <a href="#/">{messages.ended.all}</a>
      </p>
    );
  }
  return sandbox ? <Found control={control} sandbox={sandbox} /> : <Loading />;
}

function Found({ control, sandbox }: { readonly control: Control; readonly sandbox: ShownSandbox }) {
  const place = useMemo(addressPlace, []);
  const access = useMemo(() => accessTo(control, sandbox, place), [control, sandbox, place]);
  const states = useMemo(() => statesOf(control, sandbox), [control, sandbox]);
  const live = useCluster(access, place, { states, moment: place.get("at") });
  useExpiry(sandbox, access.gate);
  const isOver = access.gate.ended.value !== undefined;
  const visibleTabs = partNames.filter((tabName) => {
    const scope = scopes[tabName];
    return scope === undefined || may(scope);
  });
  const tab = visibleTabs.find((tabName) => tabName === place.get("tab")) ?? "overview";
  const Shown = tabPages[tab];
  const hasTerminals = visibleTabs.includes("terminal");
  const tabs = useDockTabs(sandbox.id, hasTerminals);
  const isFull = tab === "terminal";
  const fill = (is: boolean) => {
    if (is !== isFull) place.go({ tab: is ? "terminal" : "", from: "", to: "" });
  };
  useEffect(() => {
    if (isFull && tabs.shownId.peek() === undefined) tabs.showTerminal();
  }, [isFull, tabs]);
  useEffect(() => offer(sandboxSource(live, partEntries(visibleTabs, place, tabs))), [live]);
  return (
    <LiveProvider value={live}>
      <div class="workspace">
        <Head control={control} sandbox={sandbox} isOver={isOver} mayWrite={access.mayWrite} />
        {isOver && live.cluster.served.value === undefined ? null : (
          <nav class="tabs page-tabs" aria-label={messages.tabs.of}>
            {visibleTabs.map((tabName) => {
              const addressed = { tab: tabName === "overview" ? "" : tabName, from: "", to: "" };
              return (
                <a
                  key={tabName}
                  href={place.href(addressed)}
                  aria-current={tabName === tab ? "page" : undefined}
                  onClick={(event) => {
                    if (event.ctrlKey || event.metaKey) return;
                    event.preventDefault();
                    place.go(addressed);
                  }}
                >
                  {messages.tabs[tabName]}
                </a>
              );
            })}
          </nav>
        )}
        {isOver ? (
          <Frame detailShare={detailShare}>
            <Shown />
          </Frame>
        ) : (
          <Docked tabs={tabs} name={sandbox.name} hasTerminals={hasTerminals} isFull={isFull} fill={fill}>
            <Frame detailShare={detailShare}>
              <Shown />
            </Frame>
          </Docked>
        )}
        {!isOver && (
          <TimelineBar control={control} id={sandbox.id} place={place} canChangeClock={may("sandboxes:write")} />
        )}
      </div>
      <CommandOutput />
      {!isOver && <Keys />}
      {!isOver && <ChosenAction />}
      {!isOver && access.mayWrite && <Creating />}
    </LiveProvider>
  );
}

/** Returns the tabs of the sandbox's dock, in which the pages of objects open terminals and logs. */
function useDockTabs(id: string, hasTerminals: boolean): DockTabs {
  const tabs = useMemo(() => newDockTabs(dockTexts), [id]);
  useEffect(() => {
    if (hasTerminals) terminal.value = (line) => tabs.addTerminal(line);
    dockLogs.value = (of) => tabs.addLogs(of);
    return () => {
      terminal.value = undefined;
      dockLogs.value = undefined;
    };
  }, [tabs, hasTerminals]);
  return tabs;
}

/** Opens the dialog that creates objects: from its button, from dropped files, and from a manifest pasted onto the page. */
function Creating() {
  useEffect(() => {
    const isFree = () => document.querySelector("dialog[open]") === null;
    const drag = (event: DragEvent) => {
      if (isFree() && event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      const files = event.dataTransfer?.files;
      if (event.defaultPrevented || !isFree() || !files || files.length === 0) return;
      event.preventDefault();
      textOfFiles(files).then(
        (text) => void (createText.value = text),
        (error: unknown) => showOutput(createTexts.title, messageOf(error)),
      );
    };
    const paste = (event: ClipboardEvent) => {
      const isWritten =
        event.target instanceof Element && event.target.closest("input, textarea, select, .xterm, .cm-editor, dialog");
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!isWritten && isFree() && isManifest(text)) createText.value = text;
    };
    const stop = new AbortController();
    addEventListener("dragover", drag, { signal: stop.signal });
    addEventListener("drop", drop, { signal: stop.signal });
    addEventListener("paste", paste, { signal: stop.signal });
    return () => stop.abort();
  }, []);
  return createText.value === undefined ? null : <CreateDialog text={createText.value} />;
}

/** The dialog of an action that was chosen in the palette. */
function ChosenAction() {
  const action = chosenAction.value;
  if (!action) return null;
  const close = () => void (chosenAction.value = undefined);
  return <ActionDialog key={action.subject} {...action} close={close} done={() => undefined} />;
}

/** Returns the palette entries of the sandbox's tabs and of a new terminal. */
function partEntries(visibleTabs: readonly Part[], place: Place, tabs: DockTabs): Entry[] {
  const entries = visibleTabs.map(
    (tab): Entry => ({
      id: `part/${tab}`,
      group: paletteTexts.sandbox,
      label: messages.tabs[tab],
      run: () => place.go({ tab: tab === "overview" ? "" : tab, from: "", to: "" }),
    }),
  );
  if (!visibleTabs.includes("terminal")) return entries;
  const create: Entry = {
    id: "action/create",
    group: paletteTexts.actions,
    label: createTexts.title,
    line: "kubectl apply --server-side -f manifests.yaml",
    run: () => void (createText.value = ""),
  };
  const terminalEntry: Entry = {
    id: "action/terminal",
    group: paletteTexts.actions,
    label: paletteTexts.newTerminal,
    run: () => tabs.addTerminal(),
  };
  return [...entries, terminalEntry, create];
}

interface HeadProps {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly isOver: boolean;
  readonly mayWrite: boolean;
}

function Head({ control, sandbox, isOver, mayWrite }: HeadProps) {
  const { id, name, createdAt, expiresAt } = sandbox;
  const [openDialog, ask] = useState<"delete" | "embed" | "rotate">();
  const close = () => ask(undefined);
  return (
    <div class="titled page">
      <div>
        <h1>{name}</h1>
        <p class="facts">
          <code>{id}</code>
          <span>
            <Age time={createdAt} isServices /> {messages.sandbox.old}
          </span>
          <span>
            {isOver && Date.parse(expiresAt) > Date.now() ? messages.sandbox.deleted : <Expiry time={expiresAt} />}
          </span>
          <SandboxFacts sandbox={sandbox} />
        </p>
      </div>
      {isOver ? (
        <a href="#/">{messages.ended.all}</a>
      ) : (
        <div class="actions">
          {mayWrite && (
            <button type="button" class="primary" onClick={() => void (createText.value = "")}>
              {createTexts.create}
            </button>
          )}
          {may("sandboxes:connect") && (
            <CopyButton
              label={messages.sandbox.kubeconfig}
              text={() => control.kubeconfig(id)}
              file={`${name}.kubeconfig`}
            />
          )}
          {may("sandboxes:connect") && (
            <button type="button" onClick={() => ask("embed")}>
              {messages.sandbox.embed}
            </button>
          )}
          {may("templates:write") && may("sandboxes:connect") && (
            <a class="button" href={pathTo("templates", [], { make: id })}>
              {messages.sandbox.makeTemplate}
            </a>
          )}
          {may("sandboxes:write") && may("sandboxes:connect") && (
            <button type="button" onClick={() => ask("rotate")}>
              {messages.sandbox.rotate}
            </button>
          )}
          {may("sandboxes:delete") && (
            <button type="button" class="danger" onClick={() => ask("delete")}>
              {messages.sandbox.remove}
            </button>
          )}
        </div>
      )}
      {openDialog === "delete" && (
        <DeleteDialog control={control} sandbox={sandbox} close={close} deleted={() => go("#/")} />
      )}
      {openDialog === "rotate" && <RotateDialog control={control} sandbox={sandbox} close={close} />}
      {openDialog === "embed" && <EmbedDialog control={control} sandbox={sandbox} close={close} />}
    </div>
  );
}

/** The maximum delay of a browser timer. */
const timerMs = 2 ** 31 - 1;

/** Ends all requests when the sandbox expires, without asking the service. */
function useExpiry({ expiresAt }: Sandbox, gate: Gate): void {
  useEffect(() => {
    const leftMs = Date.parse(expiresAt) - Date.now();
    if (leftMs > timerMs) return;
    const timer = setTimeout(() => gate.end({ status: 410, message: messages.ended.expired }), Math.max(0, leftMs));
    return () => clearTimeout(timer);
  }, [expiresAt, gate]);
}

/** Returns access with the administrator's token if the user may have it, otherwise with a read-only token. */
function accessTo(control: Control, { id, token }: ShownSandbox, place: Place): ClusterAccess {
  const at = () => place.get("at");
  const gate = newGate(async () => {
    const sandbox = await control.find(id).catch(refuse);
    if (!sandbox) throw new ListRefused(410, messages.ended.gone);
  });
  if (token === undefined) return { id, gate, at, mayWrite: false, token: viewTokens(control, id) };
  return {
    ...{ id, gate, at, token: adminTokens(control, id, token) },
    get mayWrite() {
      return at() === "";
    },
  };
}

function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}
