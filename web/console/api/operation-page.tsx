// An operation of the API: its clients, parameters, body and responses.
import { curlLine } from "../../api/lines.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { pathTo } from "../route.ts";
import {
  type Answer,
  type ApiDocument,
  type FieldLine,
  fieldsOf,
  type Operation,
  type Schema,
  typeText,
} from "./document.ts";
import { texts as all } from "../../messages/api.ts";

const texts = all.operationPage;

interface Props {
  readonly document: ApiDocument;
  readonly operation: Operation;
}

export function OperationPage({ document, operation }: Props) {
  const { id, method, path, summary, scope, who, parameters, body, answers } = operation;
  const key = who.includes("operator") ? "SANDBAR_OPERATOR_KEY" : undefined;
  const hasBody = method !== "GET" && body !== undefined;
  const parameterFields: FieldLine[] = parameters.map((parameter) => ({
    path: `${parameter.name} (${parameter.in})`,
    type: typeText(document, parameter.schema),
    required: parameter.required,
    description: parameter.description,
  }));
  return (
    <>
      <p class="facts">
        <a href={pathTo("api")}>{texts.allOperations}</a>
        <span>{id}</span>
      </p>
      <section class="panel padded">
        <h2>
          <code>
            {method} {path}
          </code>
        </h2>
        <p>{summary}</p>
        <p class="facts">
          <span>
            {texts.access} {who}
          </span>
          {scope && (
            <span>
              {texts.scope} <code>{scope}</code>
            </span>
          )}
        </p>
      </section>
      <CommandLine line={curlLine(method, path, hasBody ? exampleOf(document, body) : undefined, key)} />
      {parameterFields.length > 0 && <Fields title={texts.parameters} fields={parameterFields} />}
      {body && <Fields title={texts.body} fields={fieldsOf(document, body)} />}
      {answers.map((answer) => (
        <AnswerPart key={answer.status} document={document} answer={answer} />
      ))}
    </>
  );
}

function AnswerPart({ document, answer }: { readonly document: ApiDocument; readonly answer: Answer }) {
  const { status, description, types, schema } = answer;
  const isError = Number(status) >= 400;
  const fields = schema && !isError ? fieldsOf(document, schema) : [];
  return (
    <>
      <section class="panel padded">
        <h3>{status}</h3>
        {description.split("\n\n").map((line) => (
          <p key={line}>{line.replaceAll("`", "")}</p>
        ))}
        {types.length > 0 && <p class="hint">{types.join(", ")}</p>}
      </section>
      {fields.length > 0 && <Fields title={texts.fieldsOf(status)} fields={fields} />}
    </>
  );
}

function Fields({ title, fields }: { readonly title: string; readonly fields: readonly FieldLine[] }) {
  const isDescribed = fields.some(({ description }) => description !== "");
  return (
    <section class="panel scroll" tabIndex={0} aria-label={title}>
      <h2>{title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.name}</th>
            <th scope="col">{texts.type}</th>
            {isDescribed && <th scope="col">{texts.description}</th>}
          </tr>
        </thead>
        <tbody>
          {fields.map(({ path, type, required, description }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td class="wide">
                {type}
                {required && texts.required}
              </td>
              {isDescribed && <td class="wide">{description.replaceAll("`", "")}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Builds an example of the required fields, with placeholders as values. */
function exampleOf(document: ApiDocument, schema: Schema): Record<string, unknown> {
  const top = fieldsOf(document, schema).filter(({ path, required }) => required && !/[.[]/.test(path));
  return Object.fromEntries(top.map(({ path, type }) => [path, valueOf(type)]));
}

function valueOf(type: string): unknown {
  if (type.startsWith("list")) return [];
  if (/^(integer|number)/.test(type)) return 1;
  if (type.startsWith("boolean")) return true;
  const chosen = /^one of ("[^"]*")/.exec(type)?.[1];
  // The chosen value is a JSON string.
  return chosen === undefined ? "..." : (JSON.parse(chosen) as string);
}
