// What the exit code of a container says, as far as it is known beyond the program.

const known: Readonly<Record<number, string>> = {
  0: "it ended without an error",
  1: "the program ended with an error",
  2: "the program was called wrongly, or a shell could not read its script",
  125: "the container could not be run",
  126: "the command is there and cannot be run",
  127: "the command was not found",
  128: "the program gave an exit code that is none",
  130: "it was interrupted (SIGINT)",
  134: "the program aborted (SIGABRT)",
  137: "it was killed (SIGKILL)",
  139: "the program touched memory that is not its own (SIGSEGV)",
  143: "it was asked to end (SIGTERM)",
};

export function meaningOf(exitCode: number, reason = ""): string {
  if (reason === "OOMKilled") return "it used more memory than its limit";
  return known[exitCode] ?? "the program says by it what went wrong";
}
