// The protocol between a terminal and a shell for completing a line.

const asks = "\t";

/** Encodes a request to complete the line that was typed so far. */
export function completionOf(line: string): string {
  return asks + line;
}

/** Returns the line of a completion request, or undefined for other input. */
export function completedLine(piece: string): string | undefined {
  // A piece with a line end is a typed line, which may begin with anything.
  return piece.startsWith(asks) && !piece.endsWith("\n") ? piece.slice(asks.length) : undefined;
}

/** An application program command, which terminals do not display. */
const [begin, end] = ["\u001b_complete:", "\u001b\\"] as const;

export function additionText(addition: string): string {
  return begin + addition + end;
}

/** Returns a program's output without its completions, which are passed to the callback. */
export function withoutAdditions(text: string, onAddition: (addition: string) => void): string {
  let rest = text;
  for (let at; (at = rest.indexOf(begin)) >= 0; ) {
    const close = rest.indexOf(end, at);
    if (close < 0) break;
    onAddition(rest.slice(at + begin.length, close));
    rest = rest.slice(0, at) + rest.slice(close + end.length);
  }
  return rest;
}
