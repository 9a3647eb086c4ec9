// What helps who writes manifests in any editor of the page: completion and checks by the schema that the cluster serves.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import type { ClusterConnection } from "../../kubectl/surroundings.ts";
import { type Schemas, schemasOf } from "../shell/schema.ts";
import { findingsIn } from "./checks.ts";
import { completionsOf } from "./completions.ts";

const known = new WeakMap<ClusterConnection, Schemas>();
/** After so long without a key the text is looked at. */
const restMs = 400;

/** `refused`: what is to be shown beside what is found. The schemas of a connection are asked for once. */
export function yamlHelp(
  cluster: ClusterConnection,
  refused: (view: EditorView) => readonly Diagnostic[] = () => [],
): Extension {
  const schemas = known.get(cluster) ?? schemasOf(cluster);
  known.set(cluster, schemas);
  const check = async (view: EditorView): Promise<Diagnostic[]> => {
    const found = await findingsIn(view.state.doc.toString(), schemas);
    const end = view.state.doc.length;
    const own = found.map(({ from, to, message }) => ({
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      message,
      severity: "error" as const,
    }));
    return [...refused(view), ...own];
  };
  return [
    autocompletion({ icons: false, override: [completionsOf(schemas)] }),
    keymap.of(completionKeymap),
    linter(check, { delay: restMs }),
    lintGutter(),
  ];
}
