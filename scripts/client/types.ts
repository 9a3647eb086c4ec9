// Writes out the exported types of a file in full, because the package does not contain the types that they refer to. Comments of the
// contract's fields are kept.
import ts from "typescript";

/** Returns the exported aliases of a file, each as a type that names no other but those that contain themselves. */
export function writtenTypes(path: string, options: ts.CompilerOptions): string {
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  if (!source) throw new Error(`${path} cannot be read`);
  const lines: string[] = [];
  const writer = new Writer(checker);
  for (const statement of source.statements) {
    if (!ts.isTypeAliasDeclaration(statement)) continue;
    const type = checker.getTypeAtLocation(statement.name);
    lines.push(`export type ${statement.name.text} = ${writer.write(type, "")};`);
  }
  return `${[...writer.recursive, ...lines].join("\n\n")}\n`;
}

class Writer {
  readonly #checker: ts.TypeChecker;
  /** Object types that are being written. Types that contain themselves have a name. */
  readonly #open = new Map<ts.Type, string | undefined>();
  readonly #named = new Map<ts.Type, string>();
  /** Declarations of types that contain themselves. */
  readonly recursive: string[] = [];

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  write(type: ts.Type, indent: string): string {
    const checker = this.#checker;
    if (type.isUnion()) return this.#union(type, indent);
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference);
      return element ? `Array<${this.write(element, indent)}>` : "unknown[]";
    }
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(type);
    const index = checker.getIndexInfosOfType(type)[0];
    const properties = checker.getPropertiesOfType(type);
    if (properties.length === 0 && index) return `Record<string, ${this.write(index.type, indent)}>`;
    return this.#named.get(type) ?? this.#recursiveObject(type, indent, (at) => this.#object(properties, index, at));
  }

  #recursiveObject(type: ts.Type, indent: string, write: (indent: string) => string): string {
    if (this.#open.has(type)) {
      const name = this.#open.get(type) ?? `Nested${this.#named.size + 1}`;
      this.#open.set(type, name);
      this.#named.set(type, name);
      return name;
    }
    this.#open.set(type, undefined);
    const text = write(indent);
    const name = this.#open.get(type);
    this.#open.delete(type);
    if (name === undefined) return text;
    this.recursive.push(`type ${name} = ${write("")};`);
    return name;
  }

  /** Writes a union. True and false together are `boolean`. Undefined is dropped, since a question mark marks an optional property. */
  #union({ types: all }: ts.UnionType, indent: string): string {
    const types = all.filter((member) => (member.flags & ts.TypeFlags.Undefined) === 0);
    const isBoolean = (member: ts.Type) => (member.flags & ts.TypeFlags.BooleanLiteral) !== 0;
    const texts = types.filter((member) => !isBoolean(member)).map((member) => this.write(member, indent));
    return [...texts, ...(types.some(isBoolean) ? ["boolean"] : [])].join(" | ");
  }

  #object(properties: readonly ts.Symbol[], index: ts.IndexInfo | undefined, indent: string): string {
    const deeper = `${indent}  `;
    const lines = properties.map((property) => this.#property(property, deeper));
    if (index) lines.push(`${deeper}[name: string]: ${this.write(index.type, deeper)};`);
    return lines.length > 0 ? `{\n${lines.join("\n")}\n${indent}}` : "Record<string, never>";
  }

  #property(symbol: ts.Symbol, indent: string): string {
    const checker = this.#checker;
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const type = checker.getTypeOfSymbol(symbol);
    const documentation = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    const comment = documentation ? `${indent}/** ${documentation.replaceAll("\n", " ")} */\n` : "";
    const name = /^\w+$/.test(symbol.name) ? symbol.name : JSON.stringify(symbol.name);
    return `${comment}${indent}${name}${isOptional ? "?" : ""}: ${this.write(type, indent)};`;
  }
}
