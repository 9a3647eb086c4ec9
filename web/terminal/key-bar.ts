// Below a terminal: the keys that a phone's keyboard does not have, and what makes the screen readable aloud.
import type { Terminal as Xterm } from "@xterm/xterm";
import { texts as all } from "../messages/terminal.ts";

const texts = all.keyBar;

interface KeyBarOptions {
  /** Sends as if it was typed. */
  press(data: string): void;
  focus(): void;
  readonly xterm: Xterm;
}

export interface KeyBar {
  readonly element: HTMLElement;
  /** The id of the text that says how to leave the terminal. */
  readonly hintId: string;
  /** Moves the focus out of the terminal. */
  leave(): void;
  /** What is typed after Ctrl was touched is with it. */
  applied(data: string): string;
}

const keys: readonly (readonly [label: string, name: string, data: string])[] = [
  [texts.esc, "Escape", "\x1b"],
  ["Tab", "Tab", "\t"],
  ["↑", texts.up, "\x1b[A"],
  ["↓", texts.down, "\x1b[B"],
  ["←", texts.left, "\x1b[D"],
  ["→", texts.right, "\x1b[C"],
  ["|", texts.pipe, "|"],
  ["-", texts.dash, "-"],
  ["/", texts.slash, "/"],
  ["^C", texts.interrupt, "\x03"],
];

/** How many bars were made; ids are unique on a page. */
let bars = 0;

const spokenPlace = "sandbar.terminal-spoken";

export function keyBar({ press, focus, xterm }: KeyBarOptions): KeyBar {
  const element = document.createElement("div");
  element.className = "terminal-keys";
  element.setAttribute("role", "toolbar");
  element.setAttribute("aria-label", texts.keys);
  let isCtrl = false;
  const ctrl = button(texts.ctrl, texts.controlForThe);
  const hold = (isHeld: boolean) => {
    isCtrl = isHeld;
    ctrl.setAttribute("aria-pressed", String(isHeld));
  };
  ctrl.addEventListener("click", () => {
    hold(!isCtrl);
    focus();
  });
  hold(false);
  const touched = keys.map(([label, name, data]) => {
    const made = button(label, name);
    // The keyboard of a phone stays open as long as the focus is where it was.
    made.addEventListener("pointerdown", (event) => event.preventDefault());
    made.addEventListener("click", () => {
      press(data);
      focus();
    });
    return made;
  });
  for (const made of [touched[0], touched[1], ctrl, ...touched.slice(2)]) {
    if (!made) continue;
    made.classList.add("terminal-key");
    element.append(made);
  }
  const spoken = spokenButton(xterm);
  const hint = document.createElement("span");
  hint.className = "terminal-hint";
  hint.id = `terminal-hint-${++bars}`;
  hint.textContent = texts.leaving;
  element.prepend(hint);
  element.append(spoken);
  return {
    element,
    hintId: hint.id,
    leave: () => spoken.focus(),
    applied: (data) => {
      if (!isCtrl || !/^[a-z@[\\\]^_ ]$/i.test(data)) return data;
      hold(false);
      return String.fromCharCode(data.toUpperCase().charCodeAt(0) & 31);
    },
  };
}

/** The screen's lines as text that is read aloud; kept for all terminals of this browser. */
function spokenButton(xterm: Xterm): HTMLButtonElement {
  const made = button(texts.screenReader, texts.screenReaderWhat);
  const set = (isOn: boolean) => {
    xterm.options.screenReaderMode = isOn;
    made.setAttribute("aria-pressed", String(isOn));
  };
  let isOn = remembered() === "yes";
  set(isOn);
  made.addEventListener("click", () => {
    isOn = !isOn;
    set(isOn);
    remember(isOn ? "yes" : "no");
    xterm.focus();
  });
  return made;
}

function button(label: string, name: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.setAttribute("aria-label", name);
  return made;
}

function remembered(): string | null {
  try {
    return localStorage.getItem(spokenPlace);
  } catch {
    return null;
  }
}

function remember(value: string): void {
  try {
    localStorage.setItem(spokenPlace, value);
  } catch {
    // Without storage it is for this page alone.
  }
}
