// Markdown as elements: of a lesson's page, which others have written. What is HTML in it stays a text, and links lead only to the web.
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";

export function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown">{blocks(lexer(text))}</div>;
}

function blocks(tokens: readonly Token[] = []): ComponentChildren {
  // Without extensions the lexer makes no others.
  return tokens.map((token, at) => <Block key={at} token={token as MarkedToken} />);
}

function Block({ token }: { readonly token: MarkedToken }) {
  switch (token.type) {
    case "heading": {
      const Heading = (["h2", "h3", "h4"] as const)[token.depth - 1] ?? "h5";
      return <Heading>{blocks(token.tokens)}</Heading>;
    }
    case "paragraph":
      return <p>{blocks(token.tokens)}</p>;
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case "list": {
      const List = token.ordered ? "ol" : "ul";
      return (
        <List {...(token.ordered && token.start !== "" ? { start: token.start } : {})}>
          {token.items.map((item, at) => (
            <li key={at}>{blocks(item.tokens)}</li>
          ))}
        </List>
      );
    }
    case "table":
      return <Table token={token} />;
    case "hr":
      return <hr />;
    default:
      return <Inline token={token} />;
  }
}

function Table({ token }: { readonly token: Tokens.Table }) {
  return (
    <table>
      <thead>
        <tr>
          {token.header.map((cell, at) => (
            <th key={at}>{blocks(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{blocks(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Inline({ token }: { readonly token: MarkedToken }) {
  switch (token.type) {
    case "strong":
      return <strong>{blocks(token.tokens)}</strong>;
    case "em":
      return <em>{blocks(token.tokens)}</em>;
    case "del":
      return <del>{blocks(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link token={token} />;
    case "text":
      return <>{token.tokens ? blocks(token.tokens) : token.text}</>;
    case "escape":
      return <>{token.text}</>;
    case "space":
    case "def":
      return null;
    default:
      // Images, HTML and other tokens are shown as written.
      return <>{token.raw}</>;
  }
}

function Link({ token }: { readonly token: Tokens.Link }) {
  const isWeb = /^https?:\/\//i.test(token.href);
  if (!isWeb) return <>{blocks(token.tokens)}</>;
  return (
    <a href={token.href} target="_blank" rel="noopener noreferrer">
      {blocks(token.tokens)}
    </a>
  );
}
