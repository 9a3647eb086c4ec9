// A list that loads page by page.
import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/control-failure.ts";

export interface Pages<T> {
  readonly items: readonly T[] | undefined;
  /** Absent on the last page. */
  readonly more: (() => void) | undefined;
  readonly failure: string;
  /** From the first page on. */
  readonly reload: () => void;
}

interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | undefined;
}

/** Begins anew when `of` is another. */
export function usePages<T>(read: (cursor: string | undefined) => Promise<PageOf<T>>, of: unknown): Pages<T> {
  const [items, setItems] = useState<readonly T[]>();
  const [cursor, setCursor] = useState<string>();
  const [failure, setFailure] = useState("");
  const load = useCallback(
    async (from: string | undefined, before: readonly T[]) => {
      try {
        const page = await read(from);
        setItems([...before, ...page.items]);
        setCursor(page.nextCursor);
        setFailure("");
      } catch (error) {
        setFailure(messageOf(error));
      }
    },
    [of],
  );
  const reload = useCallback(() => void load(undefined, []), [load]);
  useEffect(reload, [reload]);
  const more = cursor === undefined ? undefined : () => void load(cursor, items ?? []);
  return { items, more, failure, reload };
}
