// The terminal's prompt: editing, history, completion, and where keys go while something runs.
import { describe, expect, test } from "vitest";
import { memoryFiles } from "../../../web/kubectl/files.ts";
import type { Socket } from "../../../web/kubectl/surroundings.ts";
import { History } from "../../../web/terminal/shell/line/history.ts";
import { keysOf } from "../../../web/terminal/shell/line/keys.ts";
import { newSession, type SessionOptions } from "../../../web/terminal/shell/session.ts";
import { home } from "../../../web/terminal/shell/shell.ts";
import { surroundings } from "./shell.ts";

/** A fake screen: letters, newlines, and the cursor movements of the prompt. */
class FakeScreen {
  rows: string[] = [""];
  row = 0;
  at = 0;

  write(text: string, done?: () => void): void {
    for (const piece of text.match(/\x1b\[[\d;?]*[A-Za-z]|[^]/g) ?? []) this.#put(piece);
    done?.();
  }

  #put(piece: string): void {
    const [, count = "1", letter] = /^\x1b\[([\d;?]*)([A-Za-z])$/.exec(piece) ?? [];
    if (letter === "A") this.row -= Number(count || 1);
    else if (letter === "C") this.at += Number(count || 1);
    else if (letter === "J" && count === "") {
      this.rows.length = this.row + 1;
      this.rows[this.row] = (this.rows[this.row] ?? "").slice(0, this.at);
    } else if (letter === undefined) this.#letter(piece);
  }

  #letter(letter: string): void {
    if (letter === "\r") this.at = 0;
    else if (letter === "\n") {
      this.row++;
      this.rows[this.row] ??= "";
    } else if (letter === "\b") this.at--;
    else {
      const line = (this.rows[this.row] ?? "").padEnd(this.at);
      this.rows[this.row] = line.slice(0, this.at) + letter + line.slice(this.at + 1);
      this.at++;
    }
  }

  size() {
    return { columns: 200, rows: 24 };
  }

  column(): number {
    return this.at;
  }

  restore(): void {
    // Nothing was changed.
  }

  get text(): string {
    return this.rows.map((row) => row.trimEnd()).join("\n");
  }
}

function open(
  overrides: Partial<Omit<SessionOptions, "around">> & { around?: Partial<SessionOptions["surroundings"]> } = {},
) {
  const screen = new FakeScreen();
  const ran: (readonly [string, number])[] = [];
  const files = memoryFiles({ [`${home}/web.yaml`]: "a: b\n", [`${home}/deep/x.yaml`]: "", "/tmp/": "" }, home);
  const session = newSession({
    history: new History(),
    edit: () => Promise.resolve(undefined),
    onCommand: (line, code) => void ran.push([line, code]),
    ...overrides,
    surroundings: { ...surroundings(files), ...overrides.around },
    screen,
  });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setTimeout(done, 1));
  };
  const type = async (...keys: readonly string[]) => {
    for (const key of keys) {
      session.keys(key);
      await settle();
    }
  };
  const line = () => screen.text.split("\n").at(-1) ?? "";
  return { session, screen, type, ran, files, line };
}

const up = "\x1b[A";
const left = "\x1b[D";
const ctrl = (letter: string) => String.fromCharCode(letter.charCodeAt(0) & 31);

describe("K9: the terminal's prompt", () => {
  test("K9: echoes a line, runs it, and reports its exit code", async () => {
    const { type, screen, ran } = open();
    await type("echo hello\r", "false\r");
    expect(screen.text).toBe("~ $ echo hello\nhello\n~ $ false\n~ $");
    expect(ran).toEqual([
      ["echo hello", 0],
      ["false", 1],
    ]);
  });

  test("K9: starts on a new line after output without a newline", async () => {
    const { type, screen } = open();
    await type("printf x\r");
    expect(screen.text).toBe("~ $ printf x\nx\n~ $");
  });

  test.for([
    ["letters in the middle", ["ac", left, "b"], "abc"],
    ["to the beginning, to the end", ["bc", ctrl("A"), "a", ctrl("E"), "d"], "abcd"],
    ["a letter back, a letter ahead", ["abxc", left, "\x7f", ctrl("A"), "y", ctrl("A"), ctrl("D")], "abc"],
    ["kill a word and bring it back", ["one two", ctrl("W"), ctrl("A"), ctrl("Y")], "twoone"],
    ["kill to the end, and to the beginning", ["abcdef", left, left, ctrl("K"), left, ctrl("U")], "d"],
    ["by words", ["one two", "\x1bb", "\x1bb", "\x1bd", "\x1b\x7f", "x"], "x two"],
    ["transpose", ["ab", ctrl("T")], "ba"],
    ["wide letters", ["日本", left, "x"], "日x本"],
    ["a pasted text with lines", ["\x1b[200~a\rb\x1b[201~"], "a\n> b"],
  ] as const)("K9: %s", async ([, keys, expected]) => {
    const { type, screen } = open();
    await type(...keys);
    expect(screen.text).toBe(`~ $ ${expected}`);
  });

  test("K9: never runs pasted text by itself", async () => {
    const { type, screen, ran } = open();
    await type("\x1b[200~echo a\x1b[201~\recho b\r\x1b[201~");
    expect(ran).toEqual([]);
    expect(screen.text).toContain("> echo b");
  });

  test("K9: asks for the rest of an incomplete line", async () => {
    const { type, screen, ran } = open();
    await type("for i in 1 2\r", "do echo $i; done\r", "cat <<E\r", "text\r", "E\r", "echo 'a\r", "b'\r");
    expect(screen.text).toContain("~ $ for i in 1 2\n> do echo $i; done\n1\n2\n");
    expect(screen.text).toContain("~ $ cat <<E\n> text\n> E\ntext\n");
    expect(screen.text).toContain("\na\nb\n");
    expect(ran.map(([line]) => line)).toEqual(["for i in 1 2\ndo echo $i; done", "cat <<E\ntext\nE", "echo 'a\nb'"]);
  });

  test("K9: has a history with up, down, Ctrl-R, !! and !$", async () => {
    const { type, line, screen } = open();
    await type("echo one\r", "echo two\r", "dra", up, up);
    expect(line()).toBe("~ $ echo one");
    await type("\x1b[B", "\x1b[B");
    expect(line()).toBe("~ $ dra");
    await type(ctrl("C"), ctrl("R"), "one");
    expect(line()).toBe("(reverse-i-search)`one': echo one");
    await type("\r", "echo [!!] !$\r");
    expect(screen.text).toContain("echo [echo one] one\n[echo one] one\n");
    await type("!nothing\r");
    expect(screen.text).toContain("bash: !nothing: event not found");
  });

  test.for([
    ["kub", "kubectl "],
    ["kubectl get po", "kubectl get pods "],
    ["k get pods we", "k get pods web-"],
    ["k get pods d", "k get pods db "],
    ["kubectl get pods | gre", "kubectl get pods | grep "],
    ["kubectl get pods --show-la", "kubectl get pods --show-labels "],
    ["kubectl get pods --output=ya", "kubectl get pods --output=yaml "],
    ["kubectl -n sh", "kubectl -n sh"],
    ["X=$(kubectl get pods d", "X=$(kubectl get pods db "],
    ["cat we", "cat web.yaml "],
    ["cat de", "cat deep/"],
    ["cat < deep/x", "cat < deep/x.yaml "],
    ["kubectl apply -f w", "kubectl apply -f web.yaml "],
    ["echo $HO", "echo $HOME "],
    ["watch -n 1 kubectl get pods d", "watch -n 1 kubectl get pods db "],
    ["for i in 1; do kubectl get po", "for i in 1; do kubectl get pods "],
    ["kubectl logs web-1 -c ma", "kubectl logs web-1 -c main "],
    ["kubectl explain pods.spec.containers.im", "kubectl explain pods.spec.containers.image "],
    ["kubectl create dep", "kubectl create deployment "],
    ["kubectl create -f w", "kubectl create -f web.yaml "],
    ["kubectl -n shop logs d", "kubectl -n shop logs db "],
    ["kubectl logs --tail 5 d", "kubectl logs --tail 5 db "],
    ["kubectl logs web-1 ma", "kubectl logs web-1 main "],
    ["kubectl exec pods/d", "kubectl exec pods/db "],
    ["nothing-lik", "nothing-lik"],
  ] as const)("K9: completes %j to %j on Tab", async ([typed, completed]) => {
    const { type, screen } = open();
    await type(typed, "\t");
    expect(screen.text).toBe(`~ $ ${completed.trimEnd()}`);
    await type("|");
    expect(screen.text).toBe(`~ $ ${completed}|`);
  });

  test("K9: lists the completions on a second Tab", async () => {
    const { type, screen } = open();
    await type("k get pods we", "\t", "\t");
    expect(screen.text).toBe("~ $ k get pods web-\nweb-1  web-2\n~ $ k get pods web-");
  });

  test("K9: discards the line on Ctrl-C, and interrupts a running command", async () => {
    const { type, screen, ran } = open();
    await type("half a li", ctrl("C"), "kubectl logs -f web-1\r");
    for (let turn = 0; turn < 10; turn++) await type("");
    await type(ctrl("C"), "echo $?\r");
    expect(screen.text).toBe(
      "~ $ half a li^C\n~ $ kubectl logs -f web-1\nfirst line\nsecond line\n^C\n~ $ echo $?\n130\n~ $",
    );
    expect(ran[0]).toEqual(["kubectl logs -f web-1", 130]);
  });

  test("K9: sends typed lines to a reading program until Ctrl-D, and other input to the prompt", async () => {
    const { type, screen } = open();
    await type("cat > f\r", "helo\x7flo\r", ctrl("D"), "cat f\r");
    expect(screen.text).toBe("~ $ cat > f\nhello\n~ $ cat f\nhello\n~ $");
    await type("sleep 1\recho later\r");
    expect(screen.text).toContain("~ $ sleep 1\n~ $ echo later\nlater\n~ $");
  });

  test("K9: prints background output above the line that is typed", async () => {
    const { type, screen } = open();
    await type("(sleep 1; sleep 1; sleep 1; echo done) & \rec");
    for (let turn = 0; turn < 5; turn++) await type("");
    await type("ho x\r");
    expect(screen.text).toContain("\ndone\n~ $ echo x\nx\n");
    expect(screen.text).toContain("Done");
  });

  test("K9: run() types a line and returns its exit code, one after the other", async () => {
    const { session, screen, type } = open();
    await type("not run");
    const codes = await Promise.all([session.run("echo one"), session.run("exit 3"), session.run("foo")]);
    expect(codes).toEqual([0, 3, 127]);
    expect(screen.text).toBe("~ $ echo one\none\n~ $ exit 3\n~ $ foo\nbash: foo: command not found\n~ $");
    session.dispose();
    expect(await session.run("echo late")).toBe(130);
  });

  test("K9: sends keys unchanged to a container with a terminal, and the size", async () => {
    const sent: string[] = [];
    const listeners = new Map<string, (event: never) => void>();
    const socket: Socket = {
      binaryType: "",
      protocol: "v5.channel.k8s.io",
      send: (data) => void sent.push(`${data[0]}:${new TextDecoder().decode(data.subarray(1))}`),
      close: () => undefined,
      addEventListener: (type: string, listener: (event: never) => void) => void listeners.set(type, listener),
    };
    const { type, screen, session } = open({ around: { socket: () => socket } });
    await type("kubectl exec -it web-1 -- sh\r");
    listeners.get("open")?.(undefined as never);
    session.resized();
    await type("ls\r", ctrl("C"), "\t");
    const message = (channel: number, text: string) =>
      listeners.get("message")?.({ data: Uint8Array.of(channel, ...new TextEncoder().encode(text)).buffer } as never);
    message(1, "from the container\r\n");
    message(
      3,
      JSON.stringify({
        status: "Failure",
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: "3" }] },
      }),
    );
    listeners.get("close")?.({ code: 1000, reason: "" } as never);
    await type("echo $?\r");
    const size = '4:{"Width":200,"Height":24}';
    expect(sent).toEqual([size, size, "0:ls\r", "0:\x03", "0:\t"]);
    expect(screen.text).toContain("from the container\ncommand terminated with exit code 3\n~ $ echo $?\n3\n");
  });

  test("K9: distinguishes keys, also several in one chunk", () => {
    expect(
      keysOf("a\x1b[A\x1bOB\x1b[1;5C\x1bb\x1b\x7f\r\x1b[200~x\ry\x1b[201~\x1b").map((key) =>
        key.kind === "text" ? `"${key.text}"` : key.name,
      ),
    ).toEqual(['"a"', "up", "down", "alt-f", "alt-b", "alt-backspace", "enter", '"x\ny"', "escape"]);
  });
});
