// Sizes as programs take them: `250M`, `1G`.

export function quantityOfBytes(text: string): number {
  const parts = /^(\d+)([KMG]?)B?$/i.exec(text);
  if (!parts) return 0;
  const unit = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[(parts[2] ?? "").toUpperCase()] ?? 1;
  return Number(parts[1]) * unit;
}
