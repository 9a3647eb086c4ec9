// Reads files and inputs as they arrive.
import { withLines } from "../lines.ts";
import { isTask, type Task } from "../task.ts";
import type { TextCall } from "./call.ts";
import { missing } from "./per-file.ts";

/** Receives the pieces of each file. */
export interface PieceReader {
  begin?(name: string): void;
  /** Takes a piece. Returns false to skip the rest of the file. */
  piece(text: string): boolean | void;
  end?(name: string): void;
}

/** Receives the lines of each file, without their ends, in batches. */
export interface LineReader {
  begin?(name: string): void;
  /** Takes lines. Returns false to skip the rest of the file. */
  lines(lines: readonly string[]): boolean | void;
  end?(name: string): void;
}

/** Reads the files, or the input if none is named. Returns the exit code, which is not 0 if a file cannot be read. */
export function* eachPiece(
  call: TextCall,
  names: readonly string[],
  reader: PieceReader,
  refuse = missing,
): Task<number> {
  let code = 0;
  for (const name of names.length > 0 ? names : ["-"]) {
    const source = call.open(name, names.length === 0);
    if (!source) {
      code = refuse(call, name);
      continue;
    }
    reader.begin?.(name);
    for (;;) {
      const next = source.next();
      const piece = isTask(next) ? yield* next : next;
      if (piece === undefined || reader.piece(piece) === false) break;
    }
    source.close();
    if (call.process.paused) return code;
    reader.end?.(name);
  }
  return code;
}

/** Like `eachPiece`, by lines. */
export function eachLine(call: TextCall, names: readonly string[], reader: LineReader, refuse = missing): Task<number> {
  let rest = "";
  const use = (lines: readonly string[]) => reader.lines(lines);
  let goesOn: boolean | void = true;
  return eachPiece(
    call,
    names,
    {
      begin: (name) => {
        rest = "";
        goesOn = true;
        reader.begin?.(name);
      },
      piece: (text) => {
        const all = rest + text;
        const end = all.lastIndexOf("\n") + 1;
        rest = all.slice(end);
        if (end > 0) goesOn = withLines(call.process, all.slice(0, end), use);
        return goesOn;
      },
      end: (name) => {
        if (rest !== "" && goesOn !== false) withLines(call.process, rest, use);
        reader.end?.(name);
      },
    },
    refuse,
  );
}
