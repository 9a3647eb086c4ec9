// A part of a page whose code comes when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messages } from "../messages.ts";

/** Until the code has come it says so; where it does not come, too. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let kept: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [phase, setPhase] = useState<"loading" | "there" | "failed">("loading");
    useEffect(() => {
      if (kept) return;
      load().then(
        (found) => {
          kept = found;
          setPhase("there");
        },
        () => setPhase("failed"),
      );
    }, []);
    if (kept) {
      const Part = kept;
      return <Part {...props} />;
    }
    return <p class="empty">{phase === "failed" ? messages.common.notLoaded : messages.common.loading}</p>;
  };
}
