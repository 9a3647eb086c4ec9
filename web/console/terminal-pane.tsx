// A sandbox's terminal in the console. Its code is loaded when it is first shown; then it goes on while something else is looked at.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ClusterAccess } from "../api/cluster.ts";
import { connectionTo } from "../api/connection.ts";
import { messageOf } from "../api/control.ts";
import { terminal } from "../objects/terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.terminalPane;

interface Props {
  readonly access: ClusterAccess;
  /** What the kubeconfig that it shows calls the cluster. */
  readonly name: string;
  readonly isShown: boolean;
  /** Has it shown, whatever is. */
  readonly show: () => void;
}

export function TerminalPane({ access, name, isShown, show }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef<Promise<Terminal> | undefined>(undefined);
  /** Lines that run as soon as the terminal is open; its script may still be on its way. */
  const waiting = useRef<string[]>([]);
  const runWaiting = (one: Terminal) => {
    for (const line of waiting.current.splice(0)) void one.run(line);
  };
  const [wasShown, setShown] = useState(isShown);
  const [failure, setFailure] = useState("");
  if (isShown && !wasShown) setShown(true);
  useEffect(() => {
    terminal.value = (line) => {
      show();
      setShown(true);
      waiting.current.push(line);
      void opened.current?.then(runWaiting);
    };
    return () => {
      terminal.value = undefined;
    };
  }, [access]);
  useEffect(() => {
    const element = place.current;
    if (!wasShown || !element) return undefined;
    let isLeft = false;
    const open = async () => {
      const { openTerminal } = await import("../terminal/terminal.ts");
      if (isLeft) throw new Error("the page was left");
      const cluster = connectionTo(access, name);
      return openTerminal(element, { cluster, namespace: "default", storageKey: access.id });
    };
    const opening = open();
    opened.current = opening;
    opening.then(
      (one) => {
        runWaiting(one);
        one.focus();
      },
      (error: unknown) => setFailure(messageOf(error)),
    );
    return () => {
      isLeft = true;
      opened.current = undefined;
      opening.then(
        (one) => one.dispose(),
        () => undefined,
      );
    };
  }, [access, name, wasShown]);
  if (!wasShown) return null;
  return (
    <div hidden={!isShown}>
      {failure ? (
        <p class="notice" role="alert">
          {texts.theTerminalCould} {failure}
        </p>
      ) : (
        <div class="terminal-pane" ref={place} />
      )}
    </div>
  );
}
