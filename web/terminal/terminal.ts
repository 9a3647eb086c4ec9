// A terminal in an element of a page: a shell with kubectl connected to a cluster. Loaded on demand by `import()`.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Xterm } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { systemClock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { currentConnection } from "../kubectl/kubeconfig.ts";
import type { ClusterConnection, Surroundings } from "../kubectl/surroundings.ts";
import { readOnly as readOnlyConnection } from "./read-only.ts";
import { History } from "./shell/line/history.ts";
import { newSession, type Screen } from "./shell/session.ts";
import { browserStorage, openStore, type Store } from "./storage.ts";
import "./terminal.css";
import { keyBar } from "./key-bar.ts";
import { texts as all } from "../messages/terminal.ts";

const texts = all.terminal;

export interface TerminalOptions {
  readonly cluster: ClusterConnection;
  /** Further clusters, each with a context of its name. The shell's programs reach that of the current context. */
  readonly further?: readonly ClusterConnection[];
  /** The initial namespace of commands without `-n`. */
  readonly namespace: string;
  /** Reports whether changes of the cluster are refused. */
  readonly readOnly?: boolean;
  /** The name under which files, history and namespace are stored in this browser. Without it they end with the page. */
  readonly storageKey?: string;
  /** Called before each line is run. */
  onStart?(line: string): void;
  /** Called after each line that was run. */
  onCommand?(line: string, exitCode: number): void;
  /** Receives everything that is shown. */
  onOutput?(text: string): void;
}

export interface Terminal {
  /** Types and runs a line. Resolves with its exit code. */
  run(line: string): Promise<number>;
  /** Presses Ctrl-C: ends the running command, or drops the line that is typed. */
  interrupt(): void;
  focus(): void;
  /** Fits the terminal to its element. Needed only if the element's size changed while it was hidden. */
  resize(): void;
  /** Ends the running command and empties the element. */
  dispose(): void;
}

const scrollback = 5000;
/** The key Ctrl-C. */
const interruptKey = "\x03";
/** The escape sequence that leaves the alternate screen of full-screen programs. */
const mainScreen = "\x1b[?1049l";

export function openTerminal(element: HTMLElement, options: TerminalOptions): Terminal {
  const { store, leave: leaveStore } = enterStore(options.storageKey);
  const root = document.createElement("div");
  root.className = "terminal";
  const body = document.createElement("div");
  body.className = "terminal-screen";
  root.append(body);
  element.append(root);
  const xterm = newXterm(() => bar.leave());
  const fit = new FitAddon();
  xterm.loadAddon(fit);
  xterm.open(body);
  fit.fit();
  const { surroundings, current } = surroundingsOf(options, store);
  const { context } = surroundings;
  xterm.write(texts.welcome);
  const session = newSession({
    surroundings,
    screen: screenOf(xterm, (text) => options.onOutput?.(text)),
    history: new History(store.history, store.keepHistory),
    edit: async (text, place) => {
      const { openEditor } = await import("./editor/editor.ts");
      const saved = await openEditor(root, text, { ...place, cluster: current() });
      xterm.focus();
      return saved;
    },
    onStart: (line) => options.onStart?.(line),
    onCommand: (line, exitCode) => {
      store.keepNamespace(context.namespace);
      options.onCommand?.(line, exitCode);
    },
  });
  const bar = keyBar({ press: (data) => xterm.input(data), focus: () => xterm.focus(), xterm });
  root.append(bar.element);
  xterm.textarea?.setAttribute("aria-describedby", bar.hintId);
  xterm.onData((data) => session.keys(bar.applied(data)));
  xterm.onResize(() => session.resized());
  const resize = () => {
    // A hidden element has no size.
    if (body.clientWidth > 0 && body.clientHeight > 0) fit.fit();
  };
  const watcher = new ResizeObserver(resize);
  watcher.observe(body);
  return {
    run: (line) => session.run(line),
    interrupt: () => session.keys(interruptKey),
    focus: () => xterm.focus(),
    resize,
    dispose: () => {
      watcher.disconnect();
      leaveStore();
      session.dispose();
      xterm.dispose();
      root.remove();
    },
  };
}

/** Returns the surroundings of the shell, and the connection to the cluster of the current context. */
function surroundingsOf({ cluster: first, further = [], readOnly, namespace }: TerminalOptions, store: Store) {
  const cluster = readOnly ? readOnlyConnection(first) : first;
  const clusters = [cluster, ...further.map((connection) => (readOnly ? readOnlyConnection(connection) : connection))];
  const { name, server } = cluster;
  const current = () => (further.length > 0 ? (currentConnection(surroundings) ?? cluster) : cluster);
  const surroundings: Omit<Surroundings, "edit" | "forward"> = {
    fetch: async (path, init) => current().fetch(path, init),
    socket: (path, protocols) => current().socket(path, protocols),
    context: { name, cluster: name, user: name, server, namespace: store.namespace || namespace },
    ...(further.length > 0 ? { clusters } : {}),
    // Terminals share files. The copy gives each its own working folder, which is a field beside the functions.
    files: { ...store.files },
    clock: systemClock,
    random: systemRandom,
    wait,
  };
  return { surroundings, current };
}

/** The stores of open terminals, so that terminals of one sandbox share their files. */
const stores = new Map<string, { readonly store: Store; terminals: number }>();

function enterStore(key: string | undefined): { readonly store: Store; leave(): void } {
  if (key === undefined) return { store: openStore(key, browserStorage(), systemClock.nowMs), leave: () => undefined };
  const entry = stores.get(key) ?? { store: openStore(key, browserStorage(), systemClock.nowMs), terminals: 0 };
  stores.set(key, entry);
  entry.terminals += 1;
  return {
    store: entry.store,
    leave: () => {
      entry.terminals -= 1;
      if (entry.terminals === 0) stores.delete(key);
    },
  };
}

/** Creates the terminal. `leave` moves the focus out of it. */
function newXterm(leave: () => void): Xterm {
  const mono = getComputedStyle(document.documentElement).getPropertyValue("--mono").trim();
  const xterm = new Xterm({
    scrollback,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    fontFamily: mono || "ui-monospace, Menlo, Consolas, monospace",
    fontSize: 13,
    minimumContrastRatio: 4.5,
    // The user of a screen reader turns this on with the button.
    screenReaderMode: false,
    theme: { background: "#14191d", foreground: "#e7ebed", cursor: "#67cfe0", selectionBackground: "#3a5560" },
  });
  let wasEscape = false;
  xterm.attachCustomKeyEventHandler((event) => {
    if (event.type !== "keydown") return true;
    // After Esc, the browser handles Tab and Shift+Tab, so that the keyboard is not trapped here (WCAG 2.1.2). Shift alone does not count.
    const isLeaving = wasEscape && event.key === "Tab";
    if (event.key !== "Shift") wasEscape = event.key === "Escape";
    if (isLeaving) return false;
    // Ctrl-Shift-C copies; the browser itself pastes with Ctrl-Shift-V.
    if (!event.ctrlKey || !event.shiftKey) return true;
    if (event.key === "Tab") {
      leave();
      event.preventDefault();
      return false;
    }
    if (event.code === "KeyC" && xterm.hasSelection()) {
      void navigator.clipboard.writeText(xterm.getSelection());
      event.preventDefault();
      return false;
    }
    return event.code !== "KeyV";
  });
  return xterm;
}

function screenOf(xterm: Xterm, onOutput: (text: string) => void): Screen {
  return {
    write: (text, done) => {
      onOutput(text);
      xterm.write(text, done);
    },
    size: () => ({ columns: xterm.cols, rows: xterm.rows }),
    column: () => xterm.buffer.active.cursorX,
    restore: () => {
      const isAlternate = xterm.buffer.active.type === "alternate";
      // Default colours, visible cursor, no application keys, no bracketed paste, no mouse.
      const defaults = "\x1b[0m\x1b[?25h\x1b[?1l\x1b[?2004l\x1b[?1000l";
      xterm.write(isAlternate ? `${mainScreen}${defaults}` : defaults);
    },
  };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
