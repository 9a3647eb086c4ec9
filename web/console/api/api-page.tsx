// The reference of the control API, from its OpenAPI document: a searchable list of operations, and one operation by its name in the
// address. It needs no sign-in.
import { useMemo } from "preact/hooks";
import { asking } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { SearchField } from "../../parts/search-field.tsx";
import { become, pathTo } from "../route.ts";
import { type ApiDocument, type Operation, operationsOf } from "./document.ts";
import { OperationPage } from "./operation-page.tsx";
import { texts as all } from "../../messages/api.ts";

const texts = all.apiPage;

interface Props {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

const documentPath = "/v1/openapi.json";
const ask = asking(undefined);

async function readDocument(): Promise<ApiDocument> {
  // The document of the service itself has this type.
  return (await (await ask(documentPath)).json()) as ApiDocument;
}

export function ApiPage({ segments: [open], query }: Props) {
  const { value: document, failure } = useLoaded(readDocument);
  const operations = useMemo(() => (document ? operationsOf(document) : []), [document]);
  const sought = query.get("q") ?? "";
  const opened = operations.find(({ id }) => id === open);
  return (
    <>
      <div class="titled page">
        <h1>{texts.apiReference}</h1>
        {open === undefined && (
          <SearchField
            label={texts.filter}
            placeholder={texts.filterHint}
            value={sought}
            change={(value) => become(pathTo("api", [], { q: value }))}
          />
        )}
      </div>
      <Alert text={failure} />
      {document && opened && <OperationPage document={document} operation={opened} />}
      {document && open !== undefined && !opened && (
        <p class="panel empty">
          {texts.unknownOperation} <a href={pathTo("api")}>{texts.allOperations}</a>
        </p>
      )}
      {document && open === undefined && (
        <>
          <p class="about">{document.info.description}</p>
          <Operations operations={operations.filter((operation) => isSought(operation, sought))} />
        </>
      )}
      <CommandLine label={texts.openApiDocument} line={curlLine("GET", documentPath)} />
    </>
  );
}

function Operations({ operations }: { readonly operations: readonly Operation[] }) {
  const groups = [...Map.groupBy(operations, ({ group }) => group)];
  if (groups.length === 0) return <p class="panel empty">{texts.noMatch}</p>;
  return (
    <>
      {groups.map(([group, all]) => (
        <section key={group} class="panel scroll" tabIndex={0} aria-label={group}>
          <h2>{group}</h2>
          <table>
            <tbody>
              {all.map(({ id, method, path, summary }) => (
                <tr key={id} data-name={id}>
                  <th scope="row">
                    <a href={pathTo("api", [id])}>
                      <code>
                        {method} {path}
                      </code>
                    </a>
                  </th>
                  <td class="wide">{summary}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </>
  );
}

function isSought({ id, method, path, summary }: Operation, sought: string): boolean {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${method} ${path} ${id} ${summary}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
