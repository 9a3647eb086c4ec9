// date: formats the present time or another one.
import type { ProgramCall } from "../../program.ts";
import { absolute } from "../../files.ts";
import { formatDate, momentOf } from "../../../../../shared/shell/date.ts";
import { isBusybox } from "../per-file.ts";

const usual = "%a %b %e %H:%M:%S %Z %Y";

export function date({ process, args, out, err, shell }: ProgramCall): number {
  // A loop that reads the time has no two equal rounds.
  if (shell.captured) process.version++;
  let format = usual;
  let dateText: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg.startsWith("+")) format = arg.slice(1);
    else if (arg === "-d" || arg === "--date") dateText = args[++at] ?? "";
    else if (arg.startsWith("--date=")) dateText = arg.slice("--date=".length);
    else if (/^-[uR]*d./.test(arg)) dateText = arg.slice(arg.indexOf("d") + 1);
    else if (/^-[uR]+d$/.test(arg)) dateText = args[++at] ?? "";
    else if (arg === "-r")
      dateText = `@${Math.floor((process.files.get(absolute(args[++at] ?? "", shell.folder))?.changedMs ?? 0) / 1000)}`;
    else if (/^-I|^--iso-8601/.test(arg))
      format = /s/.test(arg.replace("--iso-8601", "")) ? "%Y-%m-%dT%H:%M:%S+00:00" : "%Y-%m-%d";
    else if (/^-R|^--rfc-(2822|email)/.test(arg)) format = "%a, %d %b %Y %H:%M:%S +0000";
    else if (arg.startsWith("--rfc-3339")) format = arg.endsWith("date") ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S+00:00";
    else if (arg === "-s" || arg === "--set") {
      err(
        isBusybox(process)
          ? "date: can't set date: Operation not permitted\n"
          : "date: cannot set date: Operation not permitted\n",
      );
      return 1;
    }
  }
  const atMs = dateText === undefined ? process.clockMs : momentOf(dateText, process.clockMs);
  if (atMs === undefined || Number.isNaN(atMs) || Math.abs(atMs) > 8.64e15) {
    err(`date: invalid date '${dateText ?? ""}'\n`);
    return 1;
  }
  out(`${formatDate(atMs, format)}\n`);
  return 0;
}
