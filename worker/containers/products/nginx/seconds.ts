// Parses durations in nginx's configuration: `60`, `60s`, `1m30s`, `500ms`.

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns seconds; `otherwise` if the text is invalid. */
export function secondsOf(text: string | undefined, otherwise: number): number {
  const matches = [...(text ?? "").matchAll(/(\d+)(ms|s|m|h|d)?/g)];
  if (matches.length === 0 || matches.map(([matchText]) => matchText).join("") !== text) return otherwise;
  return matches.reduce((sum, [, count = "0", unit = "s"]) => sum + Number(count) * (units[unit] ?? 1), 0);
}
