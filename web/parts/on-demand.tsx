// A page, or a part of one, whose script is loaded when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messages } from "../messages.ts";
import { Loading } from "./loading.tsx";

export function onDemand<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Found: ComponentType<P> | undefined;
  return function OnDemand(props: P) {
    const [, setState] = useState(Found ? "there" : "awaited");
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (Found) return;
      load().then(
        (found) => {
          Found = found;
          setState("there");
        },
        () => setFailed(true),
      );
    }, []);
    if (Found) return <Found {...props} />;
    // A newer version of the service has other scripts.
    if (failed) {
      return (
        <p class="notice" role="alert">
          {messages.common.notLoaded}{" "}
          <button type="button" onClick={() => location.reload()}>
            {messages.common.loadAgain}
          </button>
        </p>
      );
    }
    return <Loading />;
  };
}
