// A terminal in the dock. Its code loads when the first is opened; it keeps running while another tab is visible.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ClusterAccess } from "../api/cluster.ts";
import { connectionTo } from "../api/connection.ts";
import { messageOf } from "../api/control.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { texts } from "../messages/dock.ts";

interface Props {
  readonly access: ClusterAccess;
  /** The name of the cluster in the kubeconfig that the terminal shows. */
  readonly name: string;
  /** Runs as soon as the terminal is open. */
  readonly line: string;
  readonly isShown: boolean;
}

export function TerminalTab({ access, name, line, isShown }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef<Terminal>(undefined);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let isLeft = false;
    const open = async () => {
      const { openTerminal } = await import("../terminal/terminal.ts");
      if (isLeft) return;
      const cluster = connectionTo(access, name);
      const terminal = openTerminal(element, { cluster, namespace: "default", storageKey: access.id });
      opened.current = terminal;
      if (line) void terminal.run(line);
      terminal.focus();
    };
    open().catch((error: unknown) => setFailure(messageOf(error)));
    return () => {
      isLeft = true;
      opened.current?.dispose();
    };
  }, [access, name]);
  useEffect(() => {
    if (isShown) opened.current?.focus();
  }, [isShown]);
  return failure ? (
    <p class="notice" role="alert">
      {texts.notOpened} {failure}
    </p>
  ) : (
    <div class="terminal-pane" ref={place} />
  );
}
