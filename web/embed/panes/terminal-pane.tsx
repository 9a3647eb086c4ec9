// The terminal's place in a frame.
import { useEffect, useRef, useState } from "preact/hooks";
import { connectionTo } from "../frame/access.ts";
import type { FrameState, Opened } from "../frame/model.ts";
import { LivePane } from "./live.tsx";
import { openTerminalPane, type Terminal } from "./terminal.ts";

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
      cluster: connectionTo(access),
      namespace: settings.namespace || "default",
      readOnly: session.current().readOnly,
      storageKey: access.id,
      onCommand: (line: string, exitCode: number) => link.send({ type: "command", line, exitCode }),
    };
    const resize = new ResizeObserver(() => mine?.resize());
    void openTerminalPane(element, options).then((made) => {
      if (isOver) return made?.dispose();
      mine = made;
      terminal.value = made;
      setMissing(made === undefined);
      resize.observe(element);
    });
    return () => {
      isOver = true;
      resize.disconnect();
      terminal.value = undefined;
      mine?.dispose();
    };
  }, [frame, opened]);
  // The live view stands beside it already where it was asked for.
  const isAlone = !frame.settings.panes.includes("live");
  return (
    <>
      <div ref={place} class="terminal-place" hidden={isMissing} />
      {isMissing && isAlone && <LivePane frame={frame} opened={opened} />}
    </>
  );
}
