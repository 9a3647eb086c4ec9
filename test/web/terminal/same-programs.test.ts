// The console's terminal and containers run the same text programs: a line prints the same in both.
import { describe, expect, test } from "vitest";
import { inImage } from "../../node/shell/in-image.ts";
import { shellWith } from "./shell.ts";

/** Outputs of GNU's programs (coreutils 9). */
const rows: readonly (readonly [line: string, out: string, code?: number])[] = [
  ["echo hi | base64", "aGkK\n"],
  ["echo aGkK | base64 -d", "hi\n"],
  ["printf '%060d' 0 | base64", `${"MDAw".repeat(19)}\nMDAw\n`],
  ["printf '%060d' 0 | base64 -w 0", "MDAw".repeat(20)],
  ["echo abcdef | base64 -w 4", "YWJj\nZGVm\nCg==\n"],
  ["echo 'a!' | base64 -d", "base64: invalid input\n", 1],
  ["echo hi | base64 -w 1.5", "base64: invalid wrap size: '1.5'\n", 1],
  ["seq 5 | shuf -n 3 | wc -l", "3\n"],
  ["seq 5 | shuf -n3 | wc -l", "3\n"],
  ["seq 5 | shuf | sort | paste -sd,", "1,2,3,4,5\n"],
];

describe("A line prints the same in a container and in the terminal", () => {
  for (const [line, out, code = 0] of rows)
    test(line, async () => {
      const { all, exit } = inImage("debian:13", ["sh", "-c", line]);
      expect({ all, exit }).toEqual({ all: out, exit: code });
      const ran = await shellWith().run(line);
      expect({ all: ran.out + ran.err, exit: ran.code }).toEqual({ all: out, exit: code });
    });
});
