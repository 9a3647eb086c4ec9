// Data of a page that is loaded from the API when the page opens and after each change.
import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/control-failure.ts";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: string;
  /** Waits for a change and loads again. Errors are shown. */
  readonly after: (change: Promise<unknown>) => void;
  /** Loads again. Errors are shown. */
  readonly reload: () => void;
}

export function useLoaded<T>(read: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [failure, setFailure] = useState("");
  const after = useCallback(
    (change: Promise<unknown>) => {
      setFailure("");
      change
        .then(read)
        .then(setValue)
        .catch((error: unknown) => setFailure(messageOf(error)));
    },
    [read],
  );
  const reload = useCallback(() => after(Promise.resolve()), [after]);
  useEffect(reload, [reload]);
  return { value, failure, after, reload };
}
