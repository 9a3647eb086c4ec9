// Python programs: execution, output and exit codes.
import { describe, expect, test } from "vitest";
import { answers, type ProgramWorld, runProgram, startMs, visitor } from "./program-run.ts";

const python = (code: string, world: ProgramWorld = {}) => runProgram(["python3", "-c", code], world);

const trace = (...lines: string[]) =>
  `Traceback (most recent call last):\n${lines.map((line) => `${line}\n`).join("")}`;

type Row = readonly [code: string, expected: string, given?: ProgramWorld];

function table(rows: readonly Row[]) {
  return rows.map(([code, expected, world]) => ({ code, expected, ...(world ? { world } : {}) }));
}

describe("Python", () => {
  test.each<{ readonly code: string; readonly expected: string; readonly world?: ProgramWorld }>(
    table([
      ["print('a', 1, [2, None], {'b': True}, sep='-')", "a-1-[2, None]-{'b': True}\n"],
      [
        "import os, sys\nprint(os.environ['A'], os.getenv('B', 'none'), sys.argv)",
        "x none ['-c']\n",
        { environment: { A: "x" } },
      ],
      ["n = 3\nprint(f'{n + 1:>4}|{n:.2f}')", "   4|3.00\n"],
      [
        "import json\nprint(json.dumps({'b': [1, None], 'a': 'x'}, indent=2, sort_keys=True))",
        '{\n  "a": "x",\n  "b": [\n    1,\n    null\n  ]\n}\n',
      ],
      [
        "import datetime\nprint(datetime.datetime.now().isoformat(), datetime.date.today() + datetime.timedelta(days=31))",
        "2026-01-01T00:00:00 2026-02-01\n",
      ],
      ["import time\nprint(time.strftime('%Y-%m-%d %H:%M:%S %a %b'))", "2026-01-01 00:00:00 Thu Jan\n"],
      [
        String.raw`import re
print(re.findall(r'\d+', 'a1b22'), re.sub(r'(\w)=(\d)', r'\2=\1', 'a=1'), re.match(r'(?P<x>a+)', 'aab').groupdict())`,
        "['1', '22'] 1=a {'x': 'aa'}\n",
      ],
      ["print(open('/etc/own').read(), end='')", "text\n", { files: { "/etc/own": "text\n" } }],
      [
        "import os\nos.makedirs('/data/a')\nwith open('/data/a/b', 'w') as f:\n    f.write('one\\n')\nwith open('/data/a/b', 'a') as f:\n    print('two', file=f)\nprint(open('/data/a/b').read(), os.listdir('/data/a'), os.stat('/data/a/b').st_size)",
        "one\ntwo\n ['b'] 8\n",
      ],
      [
        "import subprocess\nprint(subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout, subprocess.call('exit 3', shell=True))",
        "hi\n 3\n",
      ],
      ["import sys\nfor line in sys.stdin:\n    print(line.strip().upper())", "A\nB\n", { input: "a\nb\n" }],
      ["import socket\nprint(socket.gethostname())", "pod-1\n"],
      [
        "from collections import Counter, defaultdict\nd = defaultdict(list)\nd['a'].append(1)\nprint(Counter('hello').most_common(1), list(d.items()))",
        "[('l', 2)] [('a', [1])]\n",
      ],
      [
        "import random\nrandom.seed(1)\na = random.randint(1, 6)\nrandom.seed(1)\nprint(a == random.randint(1, 6), 1 <= a <= 6)",
        "True True\n",
      ],
    ]),
  )("runs $code", ({ code, expected, world }) => {
    expect(python(code, world)).toMatchObject({ out: expected, err: "", exit: 0 });
  });

  test.each<readonly [code: string, exit: number, err: string]>([
    ["import sys; sys.exit(3)", 3, ""],
    ["exit('no more')", 1, "no more\n"],
    [
      "def f():\n    return 1 / 0\nf()",
      1,
      trace(
        '  File "<string>", line 3, in <module>',
        "    f()",
        '  File "<string>", line 2, in f',
        "    return 1 / 0",
        "ZeroDivisionError: division by zero",
      ),
    ],
    [
      "print(x)",
      1,
      trace('  File "<string>", line 1, in <module>', "    print(x)", "NameError: name 'x' is not defined"),
    ],
    ["{}['a']", 1, trace('  File "<string>", line 1, in <module>', "    {}['a']", "KeyError: 'a'")],
    [
      "import nope",
      1,
      trace('  File "<string>", line 1, in <module>', "    import nope", "ModuleNotFoundError: No module named 'nope'"),
    ],
    [
      "open('/nope')",
      1,
      trace(
        '  File "<string>", line 1, in <module>',
        "    open('/nope')",
        "FileNotFoundError: [Errno 2] No such file or directory: '/nope'",
      ),
    ],
    [
      "class Own(Exception): pass\nraise Own('x')",
      1,
      trace('  File "<string>", line 2, in <module>', "    raise Own('x')", "Own: x"),
    ],
    [
      "def f(n): return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    pass\nexcept RuntimeError:\n    raise SystemExit(5)",
      5,
      "",
    ],
  ])("exits %j with %d", (code, exit, err) => {
    expect(python(code)).toMatchObject({ exit, err });
  });

  test("reports a program that is missing or has a syntax error in Python's words", () => {
    const missing = "python3: can't open file '/app.py': [Errno 2] No such file or directory\n";
    expect(runProgram(["python3", "app.py"])).toMatchObject({ exit: 2, err: missing });
    expect(runProgram(["python3", "/app.py"], { files: { "/app.py": "x = (\n" } })).toMatchObject({
      exit: 1,
      err: expect.stringContaining("SyntaxError: invalid syntax") as string,
    });
  });

  test("finds the modules beside a program, and its arguments", () => {
    const files = {
      "/app/main.py": "import sys, helper\nprint(helper.twice(int(sys.argv[1])), __name__)\n",
      "/app/helper.py": "def twice(n):\n    return 2 * n\n",
    };
    expect(runProgram(["python", "/app/main.py", "4"], { files })).toMatchObject({ out: "8 __main__\n", exit: 0 });
  });

  test("sleeps on the sandbox's clock, and buffers its output as Python does", () => {
    const code = "import time\nfor i in range(3):\n    print(i)\n    time.sleep(2)\nprint(time.time())\n";
    expect(python(code)).toMatchObject({ seconds: 6, out: `0\n1\n2\n${startMs / 1000 + 6}.0\n` });
    expect(python("import time\nprint('x')\ntime.sleep(100)").out).toBe("");
    expect(python("import time\nprint('x', flush=True)\ntime.sleep(100)").out).toBe("x\n");
    expect(runProgram(["python3", "-u", "-c", "import time\nprint('x')\ntime.sleep(100)"]).out).toBe("x\n");
    expect(python("import time\nprint('x')\ntime.sleep(100)", { environment: { PYTHONUNBUFFERED: "1" } }).out).toBe(
      "x\n",
    );
  });

  test("stops an endless program at its work limit, and kills one that takes too much memory", () => {
    expect(python("while True: pass")).toMatchObject({ exit: "runs", run: { isSpent: true } });
    expect(python("sum(range(10 ** 9))")).toMatchObject({ exit: "runs", run: { isSpent: true } });
    expect(python("10 ** 10 ** 8")).toMatchObject({ exit: "runs", run: { isSpent: true } });
    expect(python("x = 'a' * 200_000_000")).toMatchObject({ exit: "oom" });
    expect(python("x = bytearray(30_000_000)")).toMatchObject({ exit: "oom" });
  });

  test("starts processes with the work that is left, so that a program that starts itself is not followed forever", () => {
    const again = "import subprocess\nprint(subprocess.run(['python3', '/again.py']).returncode)\n";
    expect(runProgram(["python3", "/again.py"], { files: { "/again.py": again } }).run.isSpent).toBe(true);
    const once = "import subprocess\nprint(subprocess.run(['python3', '-c', 'print(1)']).returncode)\n";
    for (let count = 0; count < 10; count++) expect(python(once).out).toBe("1\n0\n");
  });

  test("handles SIGTERM only if the program installs a handler", () => {
    const waits = "import time\nwhile True:\n    time.sleep(1)\n";
    const traps = `import signal, sys\nsignal.signal(signal.SIGTERM, lambda n, f: (print('bye', n), sys.exit(0)))\n${waits}`;
    const termMs = startMs + 5500;
    expect(python(traps, { termMs })).toMatchObject({ out: "bye 15\n", exit: 0, seconds: 5.5 });
    expect(python(waits, { termMs })).toMatchObject({ exit: "runs", run: { heedsTerm: false } });
  });
});

describe("a Python server", () => {
  const counting = `
from http.server import BaseHTTPRequestHandler, HTTPServer
count = 0
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        global count
        count += 1
        if self.path == "/fail":
            raise ValueError("no")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{count} {self.path}".encode())
HTTPServer(("", 8080), Handler).serve_forever()
`;

  test("answers each request with its own code, keeps its state, and logs its requests", () => {
    const outside = [visitor(1, "/a"), visitor(2, "/fail"), visitor(3, "/b"), visitor(4, "/c", { method: "PUT" })];
    const done = python(counting, { outside });
    expect(answers(done).slice(0, 3)).toEqual([
      [200, "1 /a"],
      [0, ""],
      [200, "3 /b"],
    ]);
    expect(answers(done)[3]?.[0]).toBe(501);
    expect(done.err).toContain('10.244.0.9 - - [01/Jan/2026 00:00:01] "GET /a HTTP/1.1" 200 -\n');
    expect(done.err).toContain("ValueError: no\n");
    expect(done.exit).toBe("runs");
    expect([...done.run.ports.keys()]).toEqual([8080]);
  });

  test("serves files with http.server", () => {
    const files = { "/www/index.html": "<p>page</p>" };
    const outside = [visitor(1, "/"), visitor(2, "/nope")];
    const done = runProgram(["python3", "-m", "http.server", "8080", "-d", "/www"], { files, outside });
    expect(answers(done).map(([status]) => status)).toEqual([200, 404]);
    expect(answers(done)[0]?.[1]).toBe("<p>page</p>");
  });

  test("serves Flask routes if the package is installed", () => {
    const app = `
from flask import Flask, request, jsonify
app = Flask(__name__)
@app.route("/items/<int:n>", methods=["GET", "POST"])
def item(n):
    return jsonify(n=n, got=request.get_json(silent=True))
@app.route("/bad")
def bad():
    return {}["x"]
app.run(host="0.0.0.0", port=8080)
`;
    const outside = [
      visitor(1, "/items/3", { method: "POST", body: '{"a":1}' }),
      visitor(2, "/nope"),
      visitor(3, "/bad"),
    ];
    const done = runProgram(["python3", "/app.py"], { files: { "/app.py": app }, outside });
    expect(answers(done).map(([status]) => status)).toEqual([200, 404, 500]);
    expect(JSON.parse(answers(done)[0]?.[1] ?? "")).toEqual({ n: 3, got: { a: 1 } });
    expect(done.out).toBe(" * Serving Flask app 'app'\n * Debug mode: off\n");
    const bare = runProgram(["python3", "/app.py"], { files: { "/app.py": app }, image: "python:3.13" });
    expect(bare).toMatchObject({ exit: 1, err: expect.stringContaining("No module named 'flask'") as string });
  });

  test("reads from sockets, and continues beside a server in a thread", () => {
    const raw = `
import socket
s = socket.socket()
s.bind(("", 8080))
s.listen()
while True:
    c, a = s.accept()
    c.sendall(b"HTTP/1.1 202 Accepted\\r\\n\\r\\n" + c.recv(1024).split()[1])
    c.close()
`;
    expect(answers(python(raw, { outside: [visitor(1, "/x")] }))).toEqual([[202, "/x"]]);
    const beside = `
import threading, time
from http.server import *
class H(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204); self.end_headers()
threading.Thread(target=HTTPServer(("", 8080), H).serve_forever, daemon=True).start()
while True:
    print("tick", flush=True)
    time.sleep(10)
`;
    const done = python(beside, { outside: [visitor(15, "/x")], seconds: 25 });
    expect(done.out).toBe("tick\ntick\ntick\n");
    expect(answers(done)).toEqual([[204, ""]]);
  });
});
