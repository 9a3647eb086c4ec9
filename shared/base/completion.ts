// How a terminal asks a shell in which ways a line may go on, and how it is told.

const asks = "\t";

/** A piece of what is typed: no line, but the question about the one that is typed so far. */
export function completionOf(line: string): string {
  return asks + line;
}

/** The line that is asked about; undefined for any other piece. */
export function completedLine(piece: string): string | undefined {
  return piece.startsWith(asks) && !piece.endsWith("\n") ? piece.slice(asks.length) : undefined;
}

/** An application program command, which terminals do not show. */
const [begin, end] = ["\u001b_complete:", "\u001b\\"] as const;

export function additionText(addition: string): string {
  return begin + addition + end;
}

/** What a program prints, without what it says to the terminal of how a line goes on. */
export function withoutAdditions(text: string, told: (addition: string) => void): string {
  let rest = text;
  for (let at; (at = rest.indexOf(begin)) >= 0; ) {
    const close = rest.indexOf(end, at);
    if (close < 0) break;
    told(rest.slice(at + begin.length, close));
    rest = rest.slice(0, at) + rest.slice(close + end.length);
  }
  return rest;
}
