// The files of a node, as far as its tools read them.
import type { Entry } from "../shell/files.ts";

export interface NodeFiles {
  get(path: string): Entry | undefined;
}
