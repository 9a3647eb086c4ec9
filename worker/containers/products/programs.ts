// The programs of all products, and facts of them.
import type { Keys } from "../../controllers/common/keys.ts";
import type { Controller } from "../../runtime/controller.ts";
import type { Program } from "../shell/program.ts";
import { products } from "./catalogue.ts";
import type { ProcessLine, Product } from "./module.ts";

function wordsOf(text = ""): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

function entriesOf<T>(pick: (product: Product) => Readonly<Record<string, T>> | undefined): [string, T][] {
  return products.flatMap((product) => Object.entries(pick(product) ?? {}));
}

/** Programs by name, or by path if only that path is the program. */
export const productPrograms: readonly (readonly [string, Program])[] = entriesOf(({ programs }) => programs);

/** Programs that images of the products have and the simulator lacks. */
export const lackedPrograms: ReadonlySet<string> = new Set(
  products.flatMap(({ notSimulated }) => wordsOf(notSimulated)),
);

const folders: ReadonlyMap<string, string> = new Map(
  entriesOf((product) => product.folders).flatMap(([folder, names]) => wordsOf(names).map((name) => [name, folder])),
);

/** Returns the folder of a product's program; undefined for other programs. */
export function folderOf(program: string): string | undefined {
  return folders.get(program);
}

const processes = new Map(entriesOf((product) => product.processes));

/** Returns the processes that `ps` shows for a command and its user. */
export function processesOf(words: readonly string[], uid: number): readonly ProcessLine[] {
  const command = words.join(" ");
  return processes.get(words[0] ?? "")?.(command, uid) ?? [{ uid, command }];
}

/** The server at the address of the cluster's ingress controller. */
export const ingressController = products.find(({ ingress }) => ingress)?.ingress;

export function operators(tools: { readonly keys: Keys }): readonly Controller[] {
  return products.flatMap(({ controllers }) => controllers?.(tools) ?? []);
}
