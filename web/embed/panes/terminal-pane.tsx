// The pane of the terminal in a frame. The terminal's code is loaded when the pane is shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { connectionTo } from "../../api/connection.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { FrameState, Opened } from "../frame/model.ts";
import { LivePane } from "./live.tsx";

export function TerminalPane({ frame, opened }: { readonly frame: FrameState; readonly opened: Opened }) {
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const { settings, link, terminal } = frame;
    const element = place.current;
    if (!element) return undefined;
    let isUnmounted = false;
    let openedTerminal: Terminal | undefined;
    const { access, session } = opened;
    const options = {
      cluster: connectionTo(access, "sandbox"),
      namespace: settings.namespace || "default",
      readOnly: session.current().readOnly,
      storageKey: access.id,
      onCommand: (line: string, exitCode: number) => link.send({ type: "command", line, exitCode }),
    };
    const resize = new ResizeObserver(() => openedTerminal?.resize());
    const open = async () => {
      const { openTerminal } = await import("../../terminal/terminal.ts");
      if (isUnmounted) return;
      openedTerminal = openTerminal(element, options);
      terminal.value = openedTerminal;
      resize.observe(element);
    };
    // The live view stays usable if the terminal's code cannot be loaded.
    open().catch(() => setMissing(true));
    return () => {
      isUnmounted = true;
      resize.disconnect();
      terminal.value = undefined;
      openedTerminal?.dispose();
    };
  }, [frame, opened]);
  // The live view is already visible if its pane was requested.
  const isAlone = !frame.settings.panes.includes("live");
  return (
    <>
      <div ref={place} class="terminal-place" hidden={isMissing} />
      {isMissing && isAlone && <LivePane frame={frame} opened={opened} />}
    </>
  );
}
