// Parses sizes such as `250M` or `1G`.

export function quantityOfBytes(text: string): number {
  const match = /^(\d+)([KMG]?)B?$/i.exec(text);
  if (!match) return 0;
  const unit = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[(match[2] ?? "").toUpperCase()] ?? 1;
  return Number(match[1]) * unit;
}
