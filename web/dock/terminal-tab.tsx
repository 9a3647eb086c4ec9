// A terminal in a dock. Its code loads when the first is opened; it keeps running while another tab is visible.
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/control-failure.ts";
import type { Terminal, TerminalOptions } from "../terminal/terminal.ts";
import { texts } from "../messages/dock.ts";

export type TabTerminalOptions = Omit<TerminalOptions, "namespace" | "readOnly">;

interface Props {
  /** Returns the options of the terminal. Another function opens another terminal. */
  readonly connect: () => TabTerminalOptions;
  /** Runs as soon as the terminal is open. */
  readonly line: string;
  readonly isShown: boolean;
  /** Leaves the focus where it is when the terminal opens. */
  readonly opensQuietly?: boolean;
  /** Receives the terminal when it has opened, and undefined when it closes. */
  readonly onChange?: (terminal: Terminal | undefined) => void;
}

export function TerminalTab({ connect, line, isShown, opensQuietly = false, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef<Terminal>(undefined);
  const listener = useRef(onChange);
  listener.current = onChange;
  const [failure, setFailure] = useState("");
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let isLeft = false;
    const open = async () => {
      const { openTerminal } = await import("../terminal/terminal.ts");
      if (isLeft) return;
      const terminal = openTerminal(element, { ...connect(), namespace: "default" });
      opened.current = terminal;
      listener.current?.(terminal);
      if (line) void terminal.run(line);
      if (!opensQuietly) terminal.focus();
    };
    open().catch((error: unknown) => setFailure(messageOf(error)));
    return () => {
      isLeft = true;
      if (opened.current) listener.current?.(undefined);
      opened.current?.dispose();
      opened.current = undefined;
    };
  }, [connect]);
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
