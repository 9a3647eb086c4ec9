// Text that objects bring, as it may be shown: control characters of a terminal do nothing.

export function escapeTerminal(text: string): string {
  return text.replaceAll("\x1b", "^[").replaceAll("\r", "\\r");
}
