// The YAML editor and the comparison view: CodeMirror in the style of the page.
import { closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  HighlightStyle,
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { forceLinting, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { ClusterConnection } from "../../kubectl/surroundings.ts";
import { messages } from "../../messages.ts";
import { yamlHelp } from "../../terminal/editor/yaml-help.ts";
import type { Problem } from "./problems.ts";

export interface Editor {
  text(): string;
  replace(text: string): void;
  /** Marks problems at their lines until the text changes, and moves to the first. */
  show(problems: readonly Problem[]): void;
  goTo(line: number): void;
  focus(): void;
  dispose(): void;
}

const look = EditorView.theme({
  "&": { backgroundColor: "var(--raised)", color: "var(--text)", fontSize: "0.8125rem" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent) !important",
  },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-changedLine": { backgroundColor: "var(--ok-wash) !important" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--ok-dot) 35%, transparent) !important" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-wash) !important" },
  ".cm-deletedText": { background: "color-mix(in srgb, var(--bad-dot) 35%, transparent) !important" },
  // The syntax colors have too little contrast on the backgrounds of changes.
  ".cm-changedLine span, .cm-deletedChunk span": { color: "var(--text) !important" },
  ".cm-collapsedLines": { background: "var(--idle-wash)", color: "var(--muted)" },
});

const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--busy)" },
    { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  ]),
);

export interface EditorOptions {
  readonly label: string;
  /** The cluster whose schemas complete and check the text. */
  readonly cluster: ClusterConnection;
  /** Called to save the text. */
  readonly submit: () => void;
}

export function openEditor(parent: HTMLElement, text: string, { label, cluster, submit }: EditorOptions): Editor {
  /** The problems that the server reported for the current text. */
  let refused: readonly Problem[] = [];
  const marks = ({ state: { doc } }: EditorView) =>
    refused.map(({ line, message }) => {
      const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
      return { from, to, severity: "error" as const, message };
    });
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        codeFolding(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        yamlHelp(cluster, marks),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) refused = [];
        }),
        highlightActiveLine(),
        highlightSelectionMatches(),
        yaml(),
        look,
        colours,
        EditorView.contentAttributes.of({ "aria-label": label, "aria-description": messages.edit.leaving }),
        keymap.of([
          { key: "Mod-s", run: () => (submit(), true) },
          ...defaultKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...searchKeymap,
          indentWithTab,
        ]),
      ],
    }),
  });
  const goTo = (line: number) => {
    const { from } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.focus();
  };
  return {
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    show(problems) {
      refused = problems;
      view.dispatch(setDiagnostics(view.state, marks(view)));
      forceLinting(view);
      const [first] = problems;
      if (first) goTo(first.line);
    },
    goTo,
    focus: () => view.focus(),
    dispose: () => view.destroy(),
  };
}

/** Shows a read-only comparison. Returns a function that removes it. */
export function showChanges(parent: HTMLElement, before: string, after: string, label: string): () => void {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: after,
      extensions: [
        lineNumbers(),
        yaml(),
        look,
        colours,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    }),
  });
  return () => view.destroy();
}
