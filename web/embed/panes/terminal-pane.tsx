// The terminal's place in a frame, loaded when it is shown.
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
    let isOver = false;
    let mine: Terminal | undefined;
    const { access, session } = opened;
    const options = {
      cluster: connectionTo(access, "sandbox"),
      namespace: settings.namespace || "default",
      readOnly: session.current().readOnly,
      storageKey: access.id,
      onCommand: (line: string, exitCode: number) => link.send({ type: "command", line, exitCode }),
    };
    const resize = new ResizeObserver(() => mine?.resize());
    const open = async () => {
      const { openTerminal } = await import("../../terminal/terminal.ts");
      if (isOver) return;
      mine = openTerminal(element, options);
      terminal.value = mine;
      resize.observe(element);
    };
    // The live view stays usable if the terminal's code cannot be loaded.
    open().catch(() => setMissing(true));
    return () => {
      isOver = true;
      resize.disconnect();
      terminal.value = undefined;
      mine?.dispose();
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
