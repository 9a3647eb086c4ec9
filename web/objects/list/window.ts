// Which rows of many are drawn: those that are seen, and some around them. Knows no page.

export interface View {
  readonly scrollPx: number;
  readonly heightPx: number;
}

export interface Window {
  readonly from: number;
  /** The first that is not drawn. */
  readonly to: number;
  /** Above the first that is drawn. */
  readonly offsetPx: number;
  readonly totalPx: number;
}

const around = 8;

export function windowOf(count: number, rowPx: number, { scrollPx, heightPx }: View): Window {
  const first = Math.max(0, Math.min(Math.floor(scrollPx / rowPx), count - 1) - around);
  const to = Math.min(count, Math.ceil((scrollPx + heightPx) / rowPx) + around);
  const from = Math.min(first, Math.max(0, to));
  return { from, to, offsetPx: from * rowPx, totalPx: count * rowPx };
}

/** Where to scroll to so that a row is seen; as it was, where it is. */
export function scrollTo(at: number, rowPx: number, { scrollPx, heightPx }: View): number {
  if (at * rowPx < scrollPx) return at * rowPx;
  return (at + 1) * rowPx > scrollPx + heightPx ? (at + 1) * rowPx - heightPx : scrollPx;
}
