// What a page shows of the API: read when the page opens and whenever something was done.
import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/control.ts";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: string;
  /** Does something, and reads again; what goes wrong is told. */
  readonly after: (deed: Promise<unknown>) => void;
}

export function useLoaded<T>(read: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [failure, setFailure] = useState("");
  const after = useCallback(
    (deed: Promise<unknown>) => {
      setFailure("");
      deed
        .then(read)
        .then(setValue)
        .catch((error: unknown) => setFailure(messageOf(error)));
    },
    [read],
  );
  useEffect(() => after(Promise.resolve()), [after]);
  return { value, failure, after };
}
