// One sandbox: what it is, what can be done with it, and its parts, of which the address says which is shown.
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
import { askedAction, sandboxSource } from "../objects/palette-source.ts";
import { dockLogs, terminal } from "../objects/terminal.ts";
import { type Entry, offer } from "../palette/entries.ts";
import { texts as createTexts } from "../messages/create.ts";
import { texts as dockTexts } from "../messages/dock.ts";
import { texts as paletteTexts } from "../messages/palette.ts";
import { createText, isManifest, textOfFiles } from "../objects/create/asked.ts";
import { Said, say } from "../objects/said.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { go, pathTo } from "./route.ts";
import { TimelineBar } from "./timeline/timeline-bar.tsx";
import { Loading } from "../parts/loading.tsx";

/** The parts of a sandbox's page, in their order; each comes when it is first shown. */
const parts = {
  overview: Overview,
  // The dock at its full height.
  terminal: () => null,
  objects: onDemand(async () => (await import("../objects/list/objects-page.tsx")).ObjectsPage),
  topology: onDemand(async () => (await import("../objects/topology/topology-page.tsx")).TopologyPage),
  access: onDemand(async () => (await import("../objects/access/access-page.tsx")).AccessPage),
  history: onDemand(async () => (await import("../objects/states/history-page.tsx")).HistoryPage),
  snapshots: onDemand(async () => (await import("../objects/states/snapshots-page.tsx")).SnapshotsPage),
} as const;

const CreateDialog = onDemand(async () => (await import("../objects/create/create-dialog.tsx")).CreateDialog);

type Part = keyof typeof parts;

const detailShare = remembered("detail-share", initialDetail, isNumber);

const partNames = Object.keys(parts) as Part[];

/** Parts of which a page of the control API tells, for whoever may read that. */
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
      (found) => {
        if (!found) return setFailure(messages.ended.gone);
        setSandbox(found);
        document.title = `${found.name} · Sandbar`;
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
  const shown = partNames.filter((one) => {
    const scope = scopes[one];
    return scope === undefined || may(scope);
  });
  const part = shown.find((one) => one === place.get("tab")) ?? "overview";
  const Shown = parts[part];
  const hasTerminals = shown.includes("terminal");
  const tabs = useDockTabs(sandbox.id, hasTerminals);
  const isFull = part === "terminal";
  const fill = (is: boolean) => {
    if (is !== isFull) place.go({ tab: is ? "terminal" : "", from: "", to: "" });
  };
  useEffect(() => {
    if (isFull && tabs.shown.peek() === undefined) tabs.showTerminal();
  }, [isFull, tabs]);
  useEffect(() => offer(sandboxSource(live, partEntries(shown, place, tabs))), [live]);
  return (
    <LiveProvider value={live}>
      <div class="workspace">
        <Head control={control} sandbox={sandbox} isOver={isOver} mayWrite={access.mayWrite} />
        {isOver && live.cluster.served.value === undefined ? null : (
          <nav class="tabs page-tabs" aria-label={messages.tabs.of}>
            {shown.map((one) => {
              const addressed = { tab: one === "overview" ? "" : one, from: "", to: "" };
              return (
                <a
                  key={one}
                  href={place.href(addressed)}
                  aria-current={one === part ? "page" : undefined}
                  onClick={(event) => {
                    if (event.ctrlKey || event.metaKey) return;
                    event.preventDefault();
                    place.go(addressed);
                  }}
                >
                  {messages.tabs[one]}
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
      <Said />
      {!isOver && <Keys />}
      {!isOver && <AskedAction />}
      {!isOver && access.mayWrite && <Creating />}
    </LiveProvider>
  );
}

/** The tabs of the sandbox's dock, which the pages of objects open terminals and logs in. */
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

/** Creating objects: asked for by a button, by files that are dropped, and by a manifest that is pasted onto the page. */
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
        (error: unknown) => say(createTexts.title, messageOf(error)),
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
function AskedAction() {
  const asked = askedAction.value;
  if (!asked) return null;
  const close = () => void (askedAction.value = undefined);
  return <ActionDialog key={asked.subject} {...asked} close={close} done={() => undefined} />;
}

/** The sandbox's parts and a new terminal, for the palette. */
function partEntries(shown: readonly Part[], place: Place, tabs: DockTabs): Entry[] {
  const entries = shown.map(
    (one): Entry => ({
      id: `part/${one}`,
      group: paletteTexts.sandbox,
      label: messages.tabs[one],
      run: () => place.go({ tab: one === "overview" ? "" : one, from: "", to: "" }),
    }),
  );
  if (!shown.includes("terminal")) return entries;
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
  const [asked, ask] = useState<"delete" | "embed" | "rotate">();
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
      {asked === "delete" && (
        <DeleteDialog control={control} sandbox={sandbox} close={close} deleted={() => go("#/")} />
      )}
      {asked === "rotate" && <RotateDialog control={control} sandbox={sandbox} close={close} />}
      {asked === "embed" && <EmbedDialog control={control} sandbox={sandbox} close={close} />}
    </div>
  );
}

/** The longest that a timer of a browser waits. */
const timerMs = 2 ** 31 - 1;

/** When its time is up nothing more is asked: the page knows without. */
function useExpiry({ expiresAt }: Sandbox, gate: Gate): void {
  useEffect(() => {
    const leftMs = Date.parse(expiresAt) - Date.now();
    if (leftMs > timerMs) return;
    const timer = setTimeout(() => gate.end({ status: 410, message: messages.ended.expired }), Math.max(0, leftMs));
    return () => clearTimeout(timer);
  }, [expiresAt, gate]);
}

/** With the administrator's token for whoever may have it; else with one that may only look. */
function accessTo(control: Control, { id, token }: ShownSandbox, place: Place): ClusterAccess {
  const at = () => place.get("at");
  const gate = newGate(async () => {
    const found = await control.find(id).catch(refuse);
    if (!found) throw new ListRefused(410, messages.ended.gone);
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
