// A part of a page that is loaded when it is needed.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/control.ts";

interface Props<P extends object> {
  /** The same one each time. */
  readonly load: () => Promise<ComponentType<P>>;
  readonly props: P;
}

export function Later<P extends object>({ load, props }: Props<P>) {
  const [found, setFound] = useState<{ readonly part: ComponentType<P> }>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    load().then(
      (part) => setFound({ part }),
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [load]);
  if (failure) {
    return (
      <p class="notice" role="alert">
        {failure}
      </p>
    );
  }
  if (!found) return <p class="empty">Loading…</p>;
  const Part = found.part;
  return <Part {...props} />;
}
