// Formats numbers for users.

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function countText(value: number): string {
  return count.format(value);
}

/** Formats a count: `12.3K`. */
export function shortCountText(value: number): string {
  return short.format(value);
}

/** Formats bytes: `1.5 MiB`. */
export function bytesText(value: number): string {
  let left = value;
  let unit = 0;
  while (left >= 1024 && unit < units.length - 1) {
    left /= 1024;
    unit += 1;
  }
  return `${count.format(left)} ${units[unit]}`;
}

/** Formats a price in US dollars. Amounts below a cent keep their digits. */
export function dollarsText(value: number): string {
  const digits = value === 0 || value >= 1 ? 2 : 4;
  return value > 0 && value < 0.0001 ? "< $0.0001" : `$${value.toFixed(digits)}`;
}

/** Formats a duration: `3 d`, `12 h`, `10 min`. */
export function secondsText(seconds: number): string {
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ] as const;
  const [size, unit] = units.find(([unitSeconds]) => seconds >= unitSeconds && seconds % unitSeconds === 0) ?? [1, "s"];
  return `${count.format(seconds / size)} ${unit}`;
}
