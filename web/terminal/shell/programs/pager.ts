// Programs that use the whole screen: `less`, `more`, `clear`, and the editors.
import { linesOf } from "../../../../shared/shell/lines.ts";
import { type ProgramCall, filesOf, optionsOf, pathOf, type Programs, wholeInput } from "../program.ts";

export const pagerPrograms: Programs = {
  clear: ({ out }) => (out.write("\x1b[H\x1b[2J\x1b[3J"), 0),
  reset: ({ out }) => (out.write("\x1bc"), 0),
  less: (call) => page(call),
  more: (call) => page(call),
  vi: (call) => edit(call),
  vim: (call) => edit(call),
  nvim: (call) => edit(call),
  nano: (call) => edit(call),
  emacs: (call) => edit(call),
  code: (call) => edit(call),
};

/** Pages through the input. If the output is not a terminal, the program works like `cat`. */
async function page(call: ProgramCall): Promise<number> {
  const options = optionsOf(
    call.args.filter((argument) => !argument.startsWith("+")),
    "RSNFXrieEs",
  );
  const { text, code } = await wholeInput(call, options.rest);
  const { device } = call.shell.machine;
  const lines = linesOf(text);
  if (!call.out.isTerminal || lines.length < device.size().rows) {
    call.out.write(text);
    return code;
  }
  call.out.write("\x1b[?1049h\x1b[?25l");
  try {
    await turning(call, lines);
  } finally {
    call.out.write("\x1b[?25h\x1b[?1049l");
  }
  return code;
}

async function turning(call: ProgramCall, lines: readonly string[]): Promise<void> {
  const { device } = call.shell.machine;
  let top = 0;
  let searchText = "";
  let typed: string | undefined;
  for (;;) {
    const { rows, columns } = device.size();
    const height = Math.max(rows - 1, 1);
    const last = Math.max(lines.length - height, 0);
    top = Math.min(Math.max(top, 0), last);
    const visibleLines = Array.from({ length: height }, (_, at) =>
      marked((lines[top + at] ?? "~").slice(0, columns), searchText),
    );
    const status = typed === undefined ? (top >= last ? "\x1b[7m(END)\x1b[0m" : ":") : `/${typed}`;
    call.out.write(`\x1b[H\x1b[2J${visibleLines.join("\n")}\n${status}`);
    const key = await device.key(call.signal);
    if (typed !== undefined) {
      if (key === "\r") {
        searchText = typed;
        typed = undefined;
        top = nextWith(lines, searchText, top) ?? top;
      } else if (key === "\x7f") typed = typed === "" ? undefined : typed.slice(0, -1);
      else if (key === "\x1b") typed = undefined;
      else if (key >= " ") typed += key;
      continue;
    }
    if (key === "q" || key === "Q" || key === "\x03") return;
    if (key === "/") typed = "";
    else if (key === "n") top = nextWith(lines, searchText, top + 1) ?? top;
    else if (key === "N") top = lines.findLastIndex((line, at) => at < top && line.includes(searchText));
    else if (key === "g" || key === "\x1b[H") top = 0;
    else if (key === "G" || key === "\x1b[F") top = last;
    else top += steps(height)[key] ?? 0;
  }
}

function steps(height: number): Readonly<Record<string, number>> {
  const half = Math.ceil(height / 2);
  return {
    j: 1,
    "\r": 1,
    "\x1b[B": 1,
    k: -1,
    "\x1b[A": -1,
    " ": height,
    f: height,
    "\x1b[6~": height,
    b: -height,
    "\x1b[5~": -height,
    d: half,
    u: -half,
  };
}

function nextWith(lines: readonly string[], searchText: string, from: number): number | undefined {
  const index = lines.findIndex((line, at) => at >= from && line.includes(searchText));
  return index < 0 ? undefined : index;
}

function marked(line: string, searchText: string): string {
  return searchText === "" ? line : line.replaceAll(searchText, `\x1b[7m${searchText}\x1b[27m`);
}

async function edit(call: ProgramCall): Promise<number> {
  const [name, ...otherFiles] = call.args.filter((argument) => !/^[-+]/.test(argument));
  if (name === undefined) throw new Error("a file's name is expected: there is nothing to save it as");
  for (const file of [name, ...otherFiles]) {
    const files = filesOf(call);
    const path = pathOf(call, file);
    if (files.list(path)) throw new Error(`${file}: Is a directory`);
    const folder = path.slice(0, path.lastIndexOf("/")) || "/";
    if (!files.list(folder)) throw new Error(`${file}: No such file or directory`);
    const saved = await call.shell.machine.device.edit(files.read(path) ?? "", { name: file, program: call.name });
    if (saved !== undefined) files.write(path, saved === "" || saved.endsWith("\n") ? saved : `${saved}\n`);
  }
  return 0;
}
