// The bar below a terminal: keys that phone keyboards lack, and the switch for screen readers.
import type { Terminal as Xterm } from "@xterm/xterm";
import { texts as all } from "../messages/terminal.ts";

const texts = all.keyBar;

interface KeyBarOptions {
  /** Sends data as if it was typed. */
  press(data: string): void;
  focus(): void;
  readonly xterm: Xterm;
}

export interface KeyBar {
  readonly element: HTMLElement;
  /** The id of the text that explains how to leave the terminal. */
  readonly hintId: string;
  /** Moves the focus out of the terminal. */
  leave(): void;
  /** Applies a touched Ctrl key to the data that is typed next. */
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

/** The number of bars, for unique ids on a page. */
let bars = 0;

const spokenPlace = "sandbar.terminal-spoken";

export function keyBar({ press, focus, xterm }: KeyBarOptions): KeyBar {
  const element = document.createElement("div");
  element.className = "terminal-keys";
  element.setAttribute("role", "toolbar");
  element.setAttribute("aria-label", texts.keys);
  let isCtrl = false;
  const ctrl = button(texts.ctrl, texts.ctrlTitle);
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
    const keyButton = button(label, name);
    // Keeps the focus, so that the phone's keyboard stays open.
    keyButton.addEventListener("pointerdown", (event) => event.preventDefault());
    keyButton.addEventListener("click", () => {
      press(data);
      focus();
    });
    return keyButton;
  });
  for (const keyButton of [touched[0], touched[1], ctrl, ...touched.slice(2)]) {
    if (!keyButton) continue;
    keyButton.classList.add("terminal-key");
    element.append(keyButton);
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

/** The switch that reads the screen aloud. It is remembered for all terminals of this browser. */
function spokenButton(xterm: Xterm): HTMLButtonElement {
  const toggle = button(texts.screenReader, texts.screenReaderTitle);
  const set = (isOn: boolean) => {
    xterm.options.screenReaderMode = isOn;
    toggle.setAttribute("aria-pressed", String(isOn));
  };
  let isOn = remembered() === "yes";
  set(isOn);
  toggle.addEventListener("click", () => {
    isOn = !isOn;
    set(isOn);
    remember(isOn ? "yes" : "no");
    xterm.focus();
  });
  return toggle;
}

function button(label: string, name: string): HTMLButtonElement {
  const control = document.createElement("button");
  control.type = "button";
  control.textContent = label;
  control.setAttribute("aria-label", name);
  return control;
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
    // Without storage the choice applies to this page only.
  }
}
