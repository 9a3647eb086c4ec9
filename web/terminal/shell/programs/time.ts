// `date` and `sleep`.
import { formatDate, momentOf } from "../../../../shared/shell/date.ts";
import { type ProgramCall, optionsOf, type Programs } from "../program.ts";
import { Interrupted } from "../streams.ts";
import { durationMs } from "./running.ts";

export const timePrograms: Programs = {
  date,
  sleep: async ({ args, shell, signal }) => {
    if (args.length === 0) throw new Error("missing operand");
    const ms = args.reduce((sum, argument) => sum + durationMs(argument), 0);
    await shell.machine.kubectl.surroundings.wait(ms, signal);
    if (signal.aborted) throw new Interrupted();
    return 0;
  },
};

/** Prints the date in UTC, like a container. */
function date({ args, shell, out }: ProgramCall): number {
  const options = optionsOf(args, "uId:RIr: --utc --iso-8601 --iso-8601= --rfc-3339= --date=");
  const now = shell.machine.kubectl.surroundings.clock.nowMs();
  const dateText = options.value("d", "date");
  const at = dateText === undefined ? now : momentOf(dateText, now);
  if (at === undefined || Number.isNaN(at) || Math.abs(at) > 8.64e15)
    throw new Error(`invalid date '${dateText ?? ""}'`);
  const format = options.rest.find((argument) => argument.startsWith("+"))?.slice(1);
  const iso = options.has("I", "iso-8601")
    ? options.value("iso-8601") === "seconds"
      ? "%Y-%m-%dT%H:%M:%S+00:00"
      : "%F"
    : undefined;
  const rfc = options.has("rfc-3339") ? "%F %T+00:00" : options.has("R") ? "%a, %d %b %Y %T +0000" : undefined;
  out.write(`${formatDate(at, format ?? iso ?? rfc ?? "%a %b %e %H:%M:%S UTC %Y")}\n`);
  return 0;
}
