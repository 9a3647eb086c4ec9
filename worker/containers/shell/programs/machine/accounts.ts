// The names of users and groups in a container's own lists.
import { charge } from "../../../../../shared/shell/meter.ts";
import type { Process } from "../../process.ts";

/** The number of characters of a list that one unit of work reads. */
const charactersPerUnit = 64;

/** Returns the name of a user; undefined if the container has none of this number. */
export function userName(process: Process, uid: number): string | undefined {
  if (uid === 0) return "root";
  const listedName = nameIn(process, "/etc/passwd", uid);
  if (listedName !== undefined) return listedName;
  return uid === 65_534 ? "nobody" : undefined;
}

export function groupName(process: Process, gid: number): string | undefined {
  return gid === 0 ? "root" : (nameIn(process, "/etc/group", gid) ?? userName(process, gid));
}

function nameIn(process: Process, path: string, id: number): string | undefined {
  const text = process.files.get(path)?.text ?? "";
  charge(process, text.length / charactersPerUnit);
  for (const line of text.split("\n")) {
    const [name, , number] = line.split(":");
    if (Number(number) === id && number !== "") return name;
  }
  return undefined;
}
