// The texts of the terminal around its shell.
import { ofReader } from "./language.ts";

const en = {
  checks: {
    missingApiVersionOrKind: "apiVersion and kind must be set",
    kindNotServed: (kind: string | number, apiVersion: string | number) =>
      `the cluster serves no ${kind} of ${apiVersion}`,
    mustNotBeMap: (path: string | number, type: string | number) => `${path}: must be of type ${type}, not an object`,
    mustNotBeList: (path: string | number, type: string | number) => `${path}: must be of type ${type}, not a list`,
    wrongScalarType: (path: string | number, type: string | number, actual: string | number) =>
      `${path}: must be of type ${type}, not ${actual}`,
    mustBeOneOf: (path: string | number, text: string | number) => `${path}: must be one of ${text}`,
    unknownField: (path: string | number) => `unknown field "${path}"`,
    missingRequiredField: (text: string | number) => `missing required field "${text}"`,
  },
  editor: {
    editor: (name: string | number) => `Editor: ${name}`,
    viKeys: "vi's keys: i to type, Esc, :wq. Esc, then Tab leaves the text",
    editorKeys: "Ctrl+S saves and closes. Esc, then Tab leaves the text",
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
    ctrlTitle: "Control, for the next key",
    screenReader: "Screen reader",
    screenReaderTitle: "Screen reader: output is read aloud",
  },
  readOnly: {
    terminalReadOnly: "this terminal is read-only",
  },
  storage: {
    storageFull: "write: no space left in this browser's storage",
  },
  terminal: {
    welcome: 'A shell beside your cluster. Type "help" for its commands.\r\n',
  },
};

export const texts = ofReader({ en });
