// A list that is loaded page by page: its table, a text if it is empty or nothing matches the filter, and the button for more.
import type { ComponentChildren } from "preact";
import { MoreButton } from "./more-button.tsx";
import type { Pages } from "./pages.ts";

interface Props<T> {
  readonly pages: Pages<T>;
  /** Reports whether the filter shows an item. */
  readonly matches?: (item: T) => boolean;
  readonly empty: string;
  /** The text if no loaded item matches. */
  readonly noMatch?: (count: number) => string;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

export function PagedList<T>({ pages: { items, more }, matches = () => true, empty, noMatch, children }: Props<T>) {
  const matchingItems = items?.filter(matches) ?? [];
  const text = items?.length === 0 ? empty : items && noMatch?.(items.length);
  return (
    <>
      {matchingItems.length > 0 ? children(matchingItems) : text && <p class="panel empty">{text}</p>}
      <MoreButton more={more} />
    </>
  );
}
