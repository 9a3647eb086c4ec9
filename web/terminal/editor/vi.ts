// The editor with vi's keys, and vi's commands to save and quit.
import { type getCM, Vim, vim } from "@replit/codemirror-vim";
import type { Extension } from "@codemirror/state";

/** The actions of the editor that vi's commands call. */
export interface Exits {
  /** Saves the text and keeps the editor open. */
  write(): void;
  /** Returns false if unsaved changes would be lost and `isForced` is not set. */
  leave(isForced: boolean): boolean;
}

/** CodeMirror has one command table for all editors; only one editor is open at a time. */
let openEditor: Exits | undefined;

export function viKeys(exits: Exits): Extension {
  openEditor = exits;
  return vim({ status: true });
}

interface Parameters {
  readonly argString?: string;
}

function leave(cm: unknown, { argString = "" }: Parameters): void {
  if (openEditor?.leave(argString.startsWith("!"))) return;
  const editorView = cm as Pick<NonNullable<ReturnType<typeof getCM>>, "openNotification">;
  const note = document.createElement("span");
  note.textContent = "E37: No write since last change (add ! to override)";
  editorView.openNotification(note, { bottom: true, duration: 5000 });
}

function writeAndLeave(): void {
  openEditor?.write();
  openEditor?.leave(true);
}

Vim.defineEx("write", "w", () => openEditor?.write());
Vim.defineEx("quit", "q", leave);
Vim.defineEx("wq", "wq", writeAndLeave);
Vim.defineEx("xit", "x", writeAndLeave);
Vim.defineAction("writeAndLeave", writeAndLeave);
Vim.mapCommand("ZZ", "action", "writeAndLeave", {}, { context: "normal" });
