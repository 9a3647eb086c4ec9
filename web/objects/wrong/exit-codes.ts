// The meanings of exit codes that do not depend on the program.
import { messages } from "../../messages.ts";

export function meaningOf(exitCode: number, reason = ""): string {
  const { exitCodes, outOfMemory, otherCode } = messages.wrong;
  return reason === "OOMKilled" ? outOfMemory : (exitCodes[exitCode] ?? otherCode);
}
