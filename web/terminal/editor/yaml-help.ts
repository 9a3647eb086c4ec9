// Completion and validation of manifests by the schema of the cluster, in all editors of the page.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import type { ClusterConnection } from "../../kubectl/surroundings.ts";
import { type Schemas, schemasOf } from "../shell/schema.ts";
import { findingsIn } from "./checks.ts";
import { completionsOf } from "./completions.ts";

const schemasByConnection = new WeakMap<ClusterConnection, Schemas>();
/** The pause in typing after which the text is checked. */
const restMs = 400;

/** Creates the extension. `refused` adds problems of the server. The schemas of a connection are loaded once. */
export function yamlHelp(
  cluster: ClusterConnection,
  refused: (view: EditorView) => readonly Diagnostic[] = () => [],
): Extension {
  const schemas = schemasByConnection.get(cluster) ?? schemasOf(cluster);
  schemasByConnection.set(cluster, schemas);
  const check = async (view: EditorView): Promise<Diagnostic[]> => {
    const findings = await findingsIn(view.state.doc.toString(), schemas);
    const end = view.state.doc.length;
    const clippedFindings = findings.map(({ from, to, message }) => ({
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      message,
      severity: "error" as const,
    }));
    return [...refused(view), ...clippedFindings];
  };
  return [
    autocompletion({ icons: false, override: [completionsOf(schemas)] }),
    keymap.of(completionKeymap),
    linter(check, { delay: restMs }),
    lintGutter(),
  ];
}
