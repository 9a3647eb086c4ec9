// What is wrong with a text in YAML, in the words of upstream's parser where ours tells the same apart.
import type { YAMLParseError } from "yaml";

interface Wording {
  readonly text: string;
  /** Upstream's scanner counts lines from one, its parser from zero; neither names the first. */
  readonly by: "scanner" | "parser";
  /** Where upstream finds it, if that is not where ours does. */
  readonly at?: RegExp;
}

/** Undefined where upstream's words are not known. */
export function upstreamYamlError({ code, message, pos }: YAMLParseError, content: string): string | undefined {
  const wording = wordingOf(code, message);
  if (!wording) return undefined;
  const offset = wording.at?.exec(content.slice(pos[0]))?.index ?? 0;
  const before = content.slice(0, pos[0] + Math.max(offset, 0)).split("\n").length - 1;
  if (before === 0) return wording.text;
  return `line ${wording.by === "scanner" ? before + 1 : before}: ${wording.text}`;
}

function wordingOf(code: string, message: string): Wording | undefined {
  if (code === "TAB_AS_INDENT" || /^Plain value cannot start with (reserved|directive)/.test(message)) {
    return { text: "found character that cannot start any token", by: "scanner" };
  }
  if (message.startsWith("Nested mappings are not allowed")) {
    return { text: "mapping values are not allowed in this context", by: "scanner", at: /:(?=\s|$)/ };
  }
  if (/^Missing closing ['"]quote/.test(message)) return { text: "found unexpected end of stream", by: "scanner" };
  if (message.startsWith("All mapping items must start")) return { text: "did not find expected key", by: "parser" };
  const flow = /^Flow (?:map|sequence) in block collection .* end with a ([}\]])/.exec(message);
  return flow ? { text: `did not find expected ',' or '${flow[1]}'`, by: "parser" } : undefined;
}
