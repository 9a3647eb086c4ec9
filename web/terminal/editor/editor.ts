// The editor above a terminal. Takes a text and returns the saved text. Loaded on demand.
import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { ClusterConnection } from "../../kubectl/surroundings.ts";
import { yamlHelp } from "./yaml-help.ts";
import { texts as all } from "../../messages/terminal.ts";

const texts = all.editor;

export interface EditorOptions {
  readonly name: string;
  /** The name of the program. `vi` and its variants use vi's keys if there is a keyboard. */
  readonly program: string;
  readonly cluster: ClusterConnection;
}

/** Shows the editor above the content of `parent`. Resolves with the text, or undefined if the editor was left without saving. */
export async function openEditor(
  parent: HTMLElement,
  text: string,
  options: EditorOptions,
): Promise<string | undefined> {
  const hasViKeys = /^n?vim?$/.test(options.program) && !matchMedia("(pointer: coarse)").matches;
  const vi = hasViKeys ? await import("./vi.ts") : undefined;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const root = document.createElement("section");
  root.className = "terminal-editor";
  root.setAttribute("aria-label", texts.editor(options.name));
  let saved: string | undefined;
  const exits = {
    write: () => void (saved = view.state.doc.toString()),
    /** Returns false if unsaved changes would be lost. */
    leave: (isForced: boolean) => {
      if (!isForced && view.state.doc.toString() !== (saved ?? text)) return false;
      resolve(saved);
      return true;
    },
  };
  const save = () => {
    exits.write();
    exits.leave(true);
    return true;
  };
  const view = new EditorView({
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        vi ? vi.viKeys(exits) : [],
        Prec.highest(
          keymap.of([
            { key: "Mod-s", run: save, preventDefault: true },
            ...(options.program === "nano" ? nanoKeys(save, exits.write) : []),
          ]),
        ),
        ...extensions(options),
      ],
    }),
  });
  root.prepend(header(options.name, vi !== undefined, save, () => exits.leave(true)));
  parent.append(root);
  view.focus();
  try {
    return await promise;
  } finally {
    view.destroy();
    root.remove();
  }
}

function nanoKeys(save: () => boolean, write: () => void) {
  const stay = () => {
    write();
    return true;
  };
  return [
    { key: "Ctrl-x", run: save, preventDefault: true },
    { key: "Ctrl-o", run: stay, preventDefault: true },
  ];
}

function header(name: string, hasViKeys: boolean, save: () => void, cancel: () => void): HTMLElement {
  const header = document.createElement("header");
  const title = document.createElement("strong");
  title.textContent = name;
  const hint = document.createElement("span");
  hint.className = "terminal-hint";
  hint.textContent = hasViKeys ? texts.viKeys : texts.editorKeys;
  header.append(title, hint, button(texts.saveAndClose, save), button(texts.closeWithoutSaving, cancel));
  return header;
}

function button(label: string, press: () => void): HTMLButtonElement {
  const control = document.createElement("button");
  control.type = "button";
  control.textContent = label;
  control.addEventListener("click", press);
  return control;
}

function extensions({ name, cluster }: EditorOptions): Extension[] {
  const isYaml = /\.ya?ml$/.test(name);
  const common = [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search(),
    syntaxHighlighting(colours),
    theme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": texts.textOf(name), "aria-description": texts.leaving }),
    keymap.of([...completionKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
  ];
  return isYaml ? [...common, yaml(), yamlHelp(cluster)] : common;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "#67cfe0" },
  { tag: [tags.string, tags.content], color: "#c8e6a0" },
  { tag: [tags.number, tags.bool, tags.null], color: "#f4b860" },
  { tag: tags.comment, color: "#9eaab1" },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: "#c2cbd0" },
]);

const theme = EditorView.theme(
  {
    "&": { backgroundColor: "#14191d", color: "#e7ebed" },
    ".cm-content": { caretColor: "#67cfe0" },
    ".cm-gutters": { backgroundColor: "#14191d", color: "#9eaab1", border: "none" },
    ".cm-activeLine": { backgroundColor: "#ffffff0d" },
    "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "#3a5560 !important" },
    ".cm-tooltip": { backgroundColor: "#20272c", color: "#e7ebed", border: "1px solid #3a464e" },
    ".cm-panels": { backgroundColor: "#20272c", color: "#e7ebed" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "#3a5560", color: "#ffffff" },
    ".cm-completionInfo": { maxWidth: "28rem", overflowWrap: "anywhere" },
  },
  { dark: true },
);
