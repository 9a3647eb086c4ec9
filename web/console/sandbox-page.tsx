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
import { addressPlace } from "../live/place.ts";
import { messages } from "../messages.ts";
import { Age, Expiry } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { LiveProvider } from "../view/context.ts";
import { Frame, Overview, useCluster } from "../view/live-view.tsx";
import { Keys } from "../objects/keys.tsx";
import { Said } from "../objects/said.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { go, pathTo } from "./route.ts";
import { TerminalPane } from "./terminal-pane.tsx";

/** The parts of a sandbox's page, in their order; each comes when it is first shown. */
const parts = {
  overview: Overview,
  // It stays where it is once it was opened: see below.
  terminal: () => null,
  objects: onDemand(async () => (await import("../objects/list/objects-page.tsx")).ObjectsPage),
  topology: onDemand(async () => (await import("../objects/topology/topology-page.tsx")).TopologyPage),
  access: onDemand(async () => (await import("../objects/access/access-page.tsx")).AccessPage),
  history: onDemand(async () => (await import("../objects/states/history-page.tsx")).HistoryPage),
  snapshots: onDemand(async () => (await import("../objects/states/snapshots-page.tsx")).SnapshotsPage),
} as const;

type Part = keyof typeof parts;

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
  return sandbox ? <Found control={control} sandbox={sandbox} /> : <p class="empty">{messages.common.loading}</p>;
}

function Found({ control, sandbox }: { readonly control: Control; readonly sandbox: ShownSandbox }) {
  const access = useMemo(() => accessTo(control, sandbox), [control, sandbox]);
  const place = useMemo(addressPlace, []);
  const states = useMemo(() => statesOf(control, sandbox), [control, sandbox]);
  const live = useCluster(access, place, { states });
  useExpiry(sandbox, access.gate);
  const isOver = access.gate.ended.value !== undefined;
  const shown = partNames.filter((one) => {
    const scope = scopes[one];
    return scope === undefined || may(scope);
  });
  const part = shown.find((one) => one === place.get("tab")) ?? "overview";
  const Shown = parts[part];
  return (
    <LiveProvider value={live}>
      <Head control={control} sandbox={sandbox} isOver={isOver} />
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
      {shown.includes("terminal") && !isOver && (
        <TerminalPane
          access={access}
          name={sandbox.name}
          isShown={part === "terminal"}
          show={() => place.go({ tab: "terminal", from: "", to: "" })}
        />
      )}
      {part !== "terminal" && (
        <Frame>
          <Shown />
        </Frame>
      )}
      <Said />
      {!isOver && <Keys />}
    </LiveProvider>
  );
}

interface HeadProps {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly isOver: boolean;
}

function Head({ control, sandbox, isOver }: HeadProps) {
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
            <Age time={createdAt} /> {messages.sandbox.old}
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
function accessTo(control: Control, { id, token }: ShownSandbox): ClusterAccess {
  const gate = newGate(async () => {
    const found = await control.find(id).catch(refuse);
    if (!found) throw new ListRefused(410, messages.ended.gone);
  });
  if (token !== undefined) return { id, gate, mayWrite: true, token: adminTokens(control, id, token) };
  return { id, gate, mayWrite: false, token: viewTokens(control, id) };
}

function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}
