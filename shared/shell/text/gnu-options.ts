// The options that GNU's programs accept. A program refuses all others, like the original.
import type { TextCall, TextProgram } from "./call.ts";

/** Letters and long names by program. `:` and `=` mean that a value follows; `::` that an optional value is attached to the letter. */
const acceptedOptions: Readonly<Record<string, string>> = {
  cat: "AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
  cut: "b:c:d:f:nsz bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated",
  head: "c:n:qvz bytes= lines= quiet silent verbose zero-terminated",
  tail: "c:fFn:qs:vz bytes= follow lines= max-unchanged-stats= pid= quiet silent retry sleep-interval= verbose zero-terminated",
  tee: "aip append ignore-interrupts output-error",
  tr: "cCdst complement delete squeeze-repeats truncate-set1",
  uniq: "cdDf:is:uzw: count repeated all-repeated group skip-fields= ignore-case skip-chars= unique zero-terminated check-chars=",
  sort: "bdfghiMnRrVcCk:mo:sS:t:T:uz ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort random-source= reverse sort= version-sort batch-size= check compress-program= debug files0-from= key= merge output= stable buffer-size= field-separator= temporary-directory= parallel= unique zero-terminated",
  wc: "cmlLw bytes chars lines files0-from= max-line-length words total=",
  tac: "brs: before regex separator=",
  nl: "b:d:f:h:i:l:n:ps:v:w: body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= join-blank-lines= number-format= no-renumber number-separator= starting-line-number= number-width=",
  paste: "d:sz delimiters= serial zero-terminated",
  comm: "123z check-order nocheck-order output-delimiter= total zero-terminated",
  shuf: "ei:n:o:rz echo input-range= head-count= output= random-source= repeat zero-terminated",
  base64: "diw: decode ignore-garbage wrap=",
  grep: "0123456789EFGPe:f:iywxzsvVm:bnHhoqaId:D:rRLlcTZA:B:C:U extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case word-regexp line-regexp null-data no-messages invert-match max-count= byte-offset line-number line-buffered with-filename no-filename label= only-matching quiet silent binary-files= text directories= devices= recursive dereference-recursive include= exclude= exclude-from= exclude-dir= files-without-match files-with-matches count initial-tab null before-context= after-context= context= color colour binary",
  sed: "nEre:f:i::l:suzb quiet silent debug expression= file= follow-symlinks in-place line-length= posix regexp-extended separate sandbox unbuffered null-data zero-terminated binary",
  cmp: "bi:ln:sv print-bytes ignore-initial= verbose bytes= quiet silent",
};

/** Programs whose exit code for errors is 2 instead of 1. */
const trouble = new Set(["sort", "grep", "cmp"]);

/** Returns the program with GNU's refusal of unknown options. */
export function refusing(name: string, program: TextProgram): TextProgram {
  const options = acceptedOptions[name === "egrep" || name === "fgrep" ? "grep" : name];
  if (options === undefined) return program;
  return (call) => {
    const problem = call.tools === "gnu" ? problemOf(call.args, options) : undefined;
    return problem === undefined ? program(call) : refuse(call, problem);
  };
}

function refuse(call: TextCall, problem: string): number {
  const { name } = call;
  const usage =
    name === "sed"
      ? "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n"
      : `${/grep$/.test(name) ? `Usage: ${name} [OPTION]... PATTERNS [FILE]...\n` : ""}Try '${name} --help' for more information.\n`;
  call.err(`${name}: ${problem}\n${usage}`);
  return trouble.has(name) || /grep$/.test(name) ? 2 : 1;
}

/** Returns the message of GNU's getopt for the first unknown option. */
function problemOf(args: readonly string[], options: string): string | undefined {
  const [letters = "", ...longs] = options.split(" ");
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return undefined;
    // This is a count, as in `head -5`.
    if (!/^-[^\d]/.test(arg)) continue;
    if (arg.startsWith("--")) {
      const name = /^--([^=]*)/.exec(arg)?.[1] ?? "";
      const long = [...longs, "help", "version"].find((longName) => longName.startsWith(name));
      if (long === undefined) return `unrecognized option '--${name}'`;
      if (!long.endsWith("=") || arg.includes("=")) continue;
      if (++at >= args.length) return `option '--${long.slice(0, -1)}' requires an argument`;
      continue;
    }
    const problem = letterProblem(arg, letters, args[at + 1] === undefined);
    if (typeof problem === "string") return problem;
    if (problem) at++;
  }
  return undefined;
}

/** Returns an error, or whether the last letter takes the next argument. */
function letterProblem(arg: string, letters: string, isLast: boolean): string | boolean {
  for (let at = 1; at < arg.length; at++) {
    const letter = arg.charAt(at);
    const place = letter === ":" ? -1 : letters.indexOf(letter);
    if (place < 0) return `invalid option -- '${letter}'`;
    if (letters[place + 1] !== ":") continue;
    if (letters[place + 2] === ":" || at + 1 < arg.length) return false;
    return isLast ? `option requires an argument -- '${letter}'` : true;
  }
  return false;
}
