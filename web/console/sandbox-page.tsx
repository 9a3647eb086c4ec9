// One sandbox: what it is, what can be done with it, and what happens in it now.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { ClusterAccess } from "../api/cluster.ts";
import { type Control, ControlFailure, messageOf } from "../api/control.ts";
import { forgetViewToken, ownViewToken } from "../api/own-view.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LiveView } from "../view/live-view.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";
import { go, sandboxPath, terminalPath } from "./route.ts";
import { TerminalPane } from "./terminal-pane.tsx";

interface Props {
  readonly control: Control;
  readonly id: string;
  /** The terminal is open beside what is live. */
  readonly hasTerminal: boolean;
}

export function SandboxPage({ control, id, hasTerminal }: Props) {
  const [sandbox, setSandbox] = useState<Sandbox>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    control.get(id).then(
      (found) => {
        setSandbox(found);
        document.title = `${found.name} · Sandbar`;
      },
      (error: unknown) => setFailure(sorrow(error)),
    );
  }, [control, id]);
  if (failure) {
    return (
      <p class="notice" role="alert">
        {failure} <a href="#/">All sandboxes</a>
      </p>
    );
  }
  return sandbox ? (
    <Found control={control} sandbox={sandbox} hasTerminal={hasTerminal} />
  ) : (
    <p class="empty">Loading…</p>
  );
}

interface FoundProps {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly hasTerminal: boolean;
}

function Found({ control, sandbox, hasTerminal }: FoundProps) {
  const { id, name, createdAt, expiresAt } = sandbox;
  const [asked, ask] = useState<"delete" | "embed">();
  const access = useMemo(() => ownAccess(control, id), [control, id]);
  const close = () => ask(undefined);
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{name}</h1>
          <p class="facts">
            <code>{id}</code>
            <span>
              <Age time={createdAt} /> old
            </span>
            <span>
              expires in <TimeLeft time={expiresAt} />
            </span>
          </p>
        </div>
        <div class="actions">
          {may("sandboxes:connect") && (
            <a
              class="button"
              href={hasTerminal ? sandboxPath(id) : terminalPath(id)}
              aria-current={hasTerminal ? "page" : undefined}
            >
              {hasTerminal ? "Close terminal" : "Terminal"}
            </a>
          )}
          {may("sandboxes:connect") && (
            <CopyButton label="Copy kubeconfig" text={() => control.kubeconfig(id)} file={`${name}.kubeconfig`} />
          )}
          {may("sandboxes:connect") && (
            <button type="button" onClick={() => ask("embed")}>
              Embed
            </button>
          )}
          {may("sandboxes:delete") && (
            <button type="button" class="danger" onClick={() => ask("delete")}>
              Delete
            </button>
          )}
        </div>
      </div>
      {hasTerminal && may("sandboxes:connect") && <TerminalPane control={control} sandbox={sandbox} />}
      <LiveView access={access} />
      {asked === "delete" && (
        <DeleteDialog control={control} sandbox={sandbox} close={close} deleted={() => go("#/")} />
      )}
      {asked === "embed" && <EmbedDialog control={control} sandbox={sandbox} close={close} />}
    </>
  );
}

/** Informers ask for the token all at once, and it is made once. */
function ownAccess(control: Control, id: string): ClusterAccess {
  let pending: Promise<string> | undefined;
  return {
    id,
    token(stale) {
      if (stale && !pending) forgetViewToken(id);
      pending ??= ownViewToken(control, id, Date.now()).finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}

function sorrow(error: unknown): string {
  if (!(error instanceof ControlFailure)) return messageOf(error);
  if (error.status === 404) return "There is no such sandbox.";
  return error.status === 410 ? "This sandbox has expired." : error.message;
}
