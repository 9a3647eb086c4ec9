// Numbers as people read them.

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function countText(value: number): string {
  return count.format(value);
}

/** `12.3K`. */
export function shortCountText(value: number): string {
  return short.format(value);
}

/** `1.5 MiB`. */
export function bytesText(value: number): string {
  let left = value;
  let unit = 0;
  while (left >= 1024 && unit < units.length - 1) {
    left /= 1024;
    unit += 1;
  }
  return `${count.format(left)} ${units[unit]}`;
}

/** Of a price in US dollars: what is less than a cent keeps its digits. */
export function dollarsText(value: number): string {
  const digits = value === 0 || value >= 1 ? 2 : 4;
  return value > 0 && value < 0.0001 ? "< $0.0001" : `$${value.toFixed(digits)}`;
}

/** `3 d`, `12 h`, `10 min`. */
export function secondsText(seconds: number): string {
  const parts = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ] as const;
  const [size, unit] = parts.find(([one]) => seconds >= one && seconds % one === 0) ?? [1, "s"];
  return `${count.format(seconds / size)} ${unit}`;
}
