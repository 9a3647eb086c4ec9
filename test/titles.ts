// Reads the titles of tests and groups from the source of a test file.
import ts from "typescript";

const testFunctions = ["describe", "it", "rule", "test"];

/** A call of a test function, also with `each` or `for`. The title of a template has its placeholders. */
interface TitledCall {
  readonly name: string;
  readonly title: string;
}

/** Returns the function and the title of a call, or undefined if the call is no test or its title is not a literal. */
export function titledCall({ expression, arguments: [title] }: ts.CallExpression): TitledCall | undefined {
  const name = calledName(expression);
  if (!title || name === undefined || !testFunctions.includes(name)) return undefined;
  if (ts.isStringLiteralLike(title)) return { name, title: title.text };
  return ts.isTemplateExpression(title) ? { name, title: title.getText().slice(1, -1) } : undefined;
}

/** Returns the name that a called expression begins with: `test` in `test.each(cases)`. */
function calledName(expression: ts.Expression): string | undefined {
  let callee = expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) callee = callee.expression;
    else if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
    else return undefined;
  }
  return callee.text;
}
