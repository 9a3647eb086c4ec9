// The texts of the terminal around its shell.
import { ofReader } from "./language.ts";

const en = {
  checks: {
    apiversionAndKind: "apiVersion and kind must be set",
    theClusterServes: (kind: string | number, apiVersion: string | number) =>
      `the cluster serves no ${kind} of ${apiVersion}`,
    mustBeOf: (path: string | number, type: string | number) => `${path}: must be of type ${type}, not an object`,
    mustBeOfType: (path: string | number, type: string | number) => `${path}: must be of type ${type}, not a list`,
    mustBeOfTypeNot: (path: string | number, type: string | number, actual: string | number) =>
      `${path}: must be of type ${type}, not ${actual}`,
    mustBeOneOf: (path: string | number, text: string | number) => `${path}: must be one of ${text}`,
    unknownField: (path: string | number) => `unknown field "${path}"`,
    missingRequiredField: (text: string | number) => `missing required field "${text}"`,
  },
  editor: {
    editor: (name: string | number) => `Editor: ${name}`,
    visKeysI: "vi's keys: i to type, Esc, :wq. Esc, then Tab leaves the text",
    ctrlSSaves: "Ctrl+S saves and closes. Esc, then Tab leaves the text",
    leaving: "Esc, then Tab leaves the text.",
    saveAndClose: "Save and close",
    closeWithoutSaving: "Close without saving",
    textOf: (name: string | number) => `Text of ${name}`,
  },
  keyBar: {
    esc: "Esc",
    up: "Up",
    down: "Down",
    left: "Left",
    right: "Right",
    pipe: "Pipe",
    dash: "Dash",
    slash: "Slash",
    interrupt: "Interrupt",
    keys: "Keys",
    leaving: "Esc, then Tab leaves the terminal",
    ctrl: "Ctrl",
    controlForThe: "Control, for the next key",
    screenReader: "Screen reader",
    screenReaderWhat: "Screen reader: output is read aloud",
  },
  readOnly: {
    thisTerminalIs: "this terminal is read-only",
  },
  storage: {
    writeNoSpace: "write: no space left in this browser's storage",
  },
  terminal: {
    aShellBeside: 'A shell beside your cluster. Type "help" for its commands.\r\n',
  },
};

export const texts = ofReader({ en });
