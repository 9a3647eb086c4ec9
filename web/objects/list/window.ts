// Computes which of many rows are rendered: the visible ones and some around them. Independent of the page.

export interface View {
  readonly scrollPx: number;
  readonly heightPx: number;
}

export interface Window {
  readonly from: number;
  /** The index after the last rendered row. */
  readonly to: number;
  /** The height above the first rendered row. */
  readonly offsetPx: number;
  readonly totalPx: number;
}

const overscanRows = 8;

export function windowOf(count: number, rowPx: number, { scrollPx, heightPx }: View): Window {
  const first = Math.max(0, Math.min(Math.floor(scrollPx / rowPx), count - 1) - overscanRows);
  const to = Math.min(count, Math.ceil((scrollPx + heightPx) / rowPx) + overscanRows);
  const from = Math.min(first, Math.max(0, to));
  return { from, to, offsetPx: from * rowPx, totalPx: count * rowPx };
}

/** Returns the scroll position that makes a row visible, unchanged if it is visible already. */
export function scrollTo(at: number, rowPx: number, { scrollPx, heightPx }: View): number {
  if (at * rowPx < scrollPx) return at * rowPx;
  return (at + 1) * rowPx > scrollPx + heightPx ? (at + 1) * rowPx - heightPx : scrollPx;
}
