// A sandbox's terminal in the console, with the rights of its administrator. Its code is loaded when it is opened.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import { connectionTo } from "../api/connection.ts";
import { type Control, messageOf } from "../api/control.ts";

interface Props {
  readonly control: Control;
  readonly sandbox: Pick<Sandbox, "id" | "name">;
}

export function TerminalPane({ control, sandbox: { id, name } }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let close: (() => void) | undefined;
    let isLeft = false;
    const open = async () => {
      const { openTerminal } = await import("../terminal/terminal.ts");
      if (isLeft || !place.current) return;
      const cluster = connectionTo({ id, token: administratorToken(control, id) }, name);
      const terminal = openTerminal(place.current, { cluster, namespace: "default", storageKey: id });
      close = terminal.dispose;
      terminal.focus();
    };
    open().catch((error: unknown) => setFailure(messageOf(error)));
    return () => {
      isLeft = true;
      close?.();
    };
  }, [control, id, name]);
  if (failure) {
    return (
      <p class="notice" role="alert">
        The terminal could not be opened: {failure}
      </p>
    );
  }
  return <div class="terminal-pane" ref={place} />;
}

/** The token of the kubeconfig, asked for once and again after it was refused. It is kept in memory alone. */
function administratorToken(control: Control, id: string): (isStale: boolean) => Promise<string> {
  let asked: Promise<string> | undefined;
  return (isStale) => {
    if (isStale) asked = undefined;
    asked ??= control.kubeconfig(id).then((text) => {
      const token = / token: *"?([^"\s]+)/.exec(text)?.[1];
      if (token === undefined) throw new Error("the kubeconfig has no token");
      return token;
    });
    asked.catch(() => {
      asked = undefined;
    });
    return asked;
  };
}
