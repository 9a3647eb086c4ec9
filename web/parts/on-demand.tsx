// A page or component whose script loads when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messages } from "../messages.ts";
import { Loading } from "./loading.tsx";

export function onDemand<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined;
  return function OnDemand(props: P) {
    const [, setState] = useState(Loaded ? "there" : "awaited");
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (component) => {
          Loaded = component;
          setState("there");
        },
        () => setFailed(true),
      );
    }, []);
    if (Loaded) return <Loaded {...props} />;
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
