// All sandboxes of the organisation: the newest at once, the others in the background, so that they can be searched and sorted.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import { type Control } from "../api/control.ts";
import { messageOf } from "../api/control-failure.ts";

const firstPage = 100;
const nextPage = 500;
/** The number of sandboxes after which the user asks for more. */
const mostAtOnce = 5000;

interface State {
  readonly sandboxes?: readonly ListedSandbox[];
  /** The cursor of what is not loaded. */
  readonly cursor?: string | undefined;
  readonly failure: string;
}

/** Keeps the objects of sandboxes that did not change, so that a list that is read again renders only what did. */
function withUnchanged(
  before: readonly ListedSandbox[] | undefined,
  next: readonly ListedSandbox[],
): readonly ListedSandbox[] {
  const earlier = new Map(before?.map((sandbox) => [sandbox.id, sandbox]));
  return next.map((sandbox) => {
    const same = earlier.get(sandbox.id);
    return same && JSON.stringify(same) === JSON.stringify(sandbox) ? same : sandbox;
  });
}

/** The list as it was read last, by client, which is there at once when the user comes back to it. */
const lastRead = new WeakMap<Control, State>();

export function useAllSandboxes(control: Control) {
  const [state, setState] = useState<State>(lastRead.get(control) ?? { failure: "" });
  const turn = useRef(0);
  const load = useCallback(
    async (from: string | undefined, before: readonly ListedSandbox[]) => {
      const ownTurn = ++turn.current;
      const isCurrent = () => ownTurn === turn.current;
      let [cursor, sandboxes] = [from, before];
      const most = before.length + mostAtOnce;
      const previous = lastRead.get(control)?.sandboxes;
      try {
        do {
          const page = await control.list(cursor, cursor === undefined ? firstPage : nextPage);
          if (!isCurrent()) return;
          sandboxes = [...sandboxes, ...withUnchanged(previous, page.sandboxes)];
          cursor = page.nextCursor;
          const next: State = { sandboxes, cursor, failure: "" };
          if (cursor === undefined || sandboxes.length >= (previous?.length ?? 0)) lastRead.set(control, next);
          // A list that is read again is replaced when it is whole, so that it does not shrink meanwhile.
          setState((current) =>
            cursor !== undefined && sandboxes.length < (current.sandboxes?.length ?? 0) ? current : next,
          );
        } while (cursor !== undefined && sandboxes.length < most);
      } catch (error) {
        if (isCurrent()) setState((current) => ({ ...current, failure: messageOf(error) }));
      }
    },
    [control],
  );
  const reload = useCallback(() => void load(undefined, []), [load]);
  useEffect(() => {
    reload();
    return () => void (turn.current += 1);
  }, [reload]);
  const { sandboxes, cursor, failure } = state;
  const isWhole = cursor === undefined || (sandboxes?.length ?? 0) < mostAtOnce;
  return { sandboxes, failure, reload, more: isWhole ? undefined : () => void load(cursor, sandboxes ?? []) };
}
