// `yq`: jq over the documents of YAML files.
import { stringify } from "yaml";
import type { Json } from "../../../../shared/shell/jq/values.ts";
import { jq } from "../../../../shared/shell/jq/jq.ts";
import { finished } from "../../../../shared/shell/task.ts";
import { readYamlDocuments } from "../../../../shared/schema/yaml/read.ts";
import { drive } from "../drive.ts";
import { Failure } from "../failure.ts";
import { filesOf, optionsOf, pathOf, type ProgramCall, readFile } from "../program.ts";
import { readAll } from "../streams.ts";
import { textCall } from "../text-call.ts";

export async function yq(call: ProgramCall): Promise<number> {
  const options = optionsOf(
    call.args,
    "ierPo:p: --inplace --exit-status --unwrapScalar --prettyPrint --output-format= --input-format=",
  );
  const [first = ".", ...rest] = options.rest.filter((word, at) => at > 0 || !/^(e|eval|ea|eval-all)$/.test(word));
  const isFile = rest.length === 0 && filesOf(call).read(pathOf(call, first)) !== undefined;
  const [filter, files] = isFile ? [".", [first]] : [first, rest];
  const isInPlace = options.has("i", "inplace");
  if (isInPlace && files.length === 0)
    throw new Failure("write in place flag only applicable when giving an expression and at least one file", 1);
  const format = options.value("o", "output-format") ?? "yaml";
  for (const file of files.length > 0 ? files : ["-"]) {
    const text = file === "-" ? await readAll(call.input, call.signal) : readFile(call, file);
    const results = await filtered(
      call,
      filter,
      [...readYamlDocuments(text)].map(({ value }) => value),
    );
    if (results === undefined) return 1;
    const printed = results.map((value) => printedAs(format, value)).join(format === "yaml" ? "---\n" : "");
    if (isInPlace) filesOf(call).write(pathOf(call, file), printed);
    else call.out.write(printed);
  }
  return 0;
}

/** Returns the results of a filter for each document; undefined if jq refuses it. */
async function filtered(call: ProgramCall, filter: string, documents: readonly unknown[]): Promise<Json[] | undefined> {
  let text = "";
  const inner = {
    ...textCall({ ...call, name: "yq", args: ["-c", filter] }),
    out: (more: string) => void (text += more),
    err: (more: string) => call.err.write(more.replace(/^jq:/, "Error:")),
  };
  const input = documents.map((document) => JSON.stringify(document ?? null)).join("\n");
  const code = await drive(finished(jq({ ...inner, input: () => finished(input) })));
  // jq printed one value of JSON on each line.
  return code === 0 ? text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Json])) : undefined;
}

function printedAs(format: string, value: Json): string {
  if (format === "json" || format === "j") return `${JSON.stringify(value, undefined, 2)}\n`;
  if (typeof value === "string") return `${value}\n`;
  return stringify(value, { lineWidth: 0, indentSeq: true });
}
