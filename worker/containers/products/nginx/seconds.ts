// Times as nginx' configuration writes them: `60`, `60s`, `1m30s`, `500ms`.

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** In seconds; what is none counts as `otherwise`. */
export function secondsOf(text: string | undefined, otherwise: number): number {
  const parts = [...(text ?? "").matchAll(/(\d+)(ms|s|m|h|d)?/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== text) return otherwise;
  return parts.reduce((sum, [, count = "0", unit = "s"]) => sum + Number(count) * (units[unit] ?? 1), 0);
}
