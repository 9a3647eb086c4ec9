// Renders a page of a lesson. Its headings are one level below those of the page.
import { Fragment } from "preact";
import { useMemo } from "preact/hooks";
import { CopyButton } from "../parts/copy-button.tsx";
import { type Block, type Inline, readMarkdown } from "./markdown.ts";
import { messages } from "../messages/learn.ts";

interface Props {
  /** The Markdown text. */
  readonly text: string;
  /** Runs a shell line in the learner's terminal, if there is one. */
  readonly run?: ((line: string) => void) | undefined;
}

const shells = ["sh", "bash", "shell", "console"];

export function PageText({ text, run }: Props) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div class="prose">
      <Blocks blocks={blocks} run={run} />
    </div>
  );
}

interface BlocksProps {
  readonly blocks: readonly Block[];
  readonly run: Props["run"];
}

function Blocks({ blocks, run }: BlocksProps) {
  return (
    <>
      {blocks.map((block, at) => (
        <BlockNode key={at} block={block} run={run} />
      ))}
    </>
  );
}

function BlockNode({ block, run }: { readonly block: Block; readonly run: Props["run"] }) {
  switch (block.kind) {
    case "heading":
      return <Heading level={block.level} inside={block.inside} />;
    case "paragraph":
      return (
        <p>
          <Inlines all={block.inside} />
        </p>
      );
    case "code":
      return <Code language={block.language} text={block.text} run={run} />;
    case "list":
      return <List block={block} run={run} />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} run={run} />
        </blockquote>
      );
    case "table":
      return <Table block={block} />;
    case "rule":
      return <hr />;
  }
}

function Heading({ level, inside }: { readonly level: number; readonly inside: readonly Inline[] }) {
  const text = <Inlines all={inside} />;
  if (level === 1) return <h2>{text}</h2>;
  return level === 2 ? <h3>{text}</h3> : <h4>{text}</h4>;
}

function List({ block, run }: { readonly block: Block & { kind: "list" }; readonly run: Props["run"] }) {
  const items = block.items.map(({ done, blocks }, at) => (
    <li key={at}>
      {done !== undefined && <input type="checkbox" checked={done} disabled aria-label={messages.toDo} />}
      <Blocks blocks={blocks} run={run} />
    </li>
  ));
  return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
}

function Table({ block: { head, rows } }: { readonly block: Block & { kind: "table" } }) {
  return (
    // A wide table scrolls, so it must be reachable by the keyboard.
    <div class="wide" role="region" aria-label={messages.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col">
                <Inlines all={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>
                  <Inlines all={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Code({
  language,
  text,
  run,
}: {
  readonly language: string;
  readonly text: string;
  readonly run: Props["run"];
}) {
  const lines = shells.includes(language) ? text.replaceAll(/^\$ /gm, "") : text;
  return (
    <div class="listing">
      <pre tabIndex={0} aria-label={messages.listing}>
        <code>{text}</code>
      </pre>
      <div class="actions">
        {run && shells.includes(language) && (
          <button type="button" class="quiet" onClick={() => run(lines)}>
            {messages.run}
          </button>
        )}
        <CopyButton label={messages.copy} text={() => lines} file="listing.txt" class="quiet" />
      </div>
    </div>
  );
}

function Inlines({ all }: { readonly all: readonly Inline[] }) {
  return (
    <>
      {all.map((inline, at) => (
        <Fragment key={at}>
          <InlineNode inline={inline} />
        </Fragment>
      ))}
    </>
  );
}

function InlineNode({ inline }: { readonly inline: Inline }) {
  switch (inline.kind) {
    case "text":
      return <>{inline.text}</>;
    case "code":
      return <code>{inline.text}</code>;
    case "strong":
      return (
        <strong>
          <Inlines all={inline.inside} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines all={inline.inside} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines all={inline.inside} />
        </del>
      );
    case "link":
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          <Inlines all={inline.inside} />
        </a>
      );
    case "image":
      return <img src={inline.src} alt={inline.text} />;
    case "break":
      return <br />;
  }
}
