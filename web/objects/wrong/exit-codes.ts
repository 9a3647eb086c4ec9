// What the exit code of a container says, as far as it is known beyond the program.
import { messages } from "../../messages.ts";

export function meaningOf(exitCode: number, reason = ""): string {
  const { exitCodes, outOfMemory, otherCode } = messages.wrong;
  return reason === "OOMKilled" ? outOfMemory : (exitCodes[exitCode] ?? otherCode);
}
