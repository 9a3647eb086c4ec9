// A simulated product as a module: its images, the programs that they bring, and what stands around them.
import type { Keys } from "../../controllers/common/keys.ts";
import type { Controller } from "../../runtime/controller.ts";
import type { KnownImage } from "../images/known-image.ts";
import type { Programs } from "../shell/program.ts";
import type { Server } from "../shell/server.ts";

export interface Product {
  /** The words that only this product has. No file outside of its module contains one of them: `test/tidy.test.ts` checks it. */
  readonly names: readonly string[];
  /** By the last part of an image's name, or by the last two. */
  readonly images?: Readonly<Record<string, KnownImage>>;
  /** Lines of the table in `images/configurations.ts`: what the images' configurations say. */
  readonly configurations?: string;
  /** Lines of the table in `images/official.ts`: the versions that Docker's official image has. */
  readonly official?: string;
  /** Lines of the table in `images/hub.ts`: the organisation on Docker Hub and its repositories. */
  readonly hub?: string;
  readonly programs?: Programs;
  /** Programs that the images have and the simulator lacks. */
  readonly notSimulated?: string;
  /** Folders of the images, each with the programs that lie there; by default `/usr/bin` and the like. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Programs that packages of the distributions bring, by the package. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Processes that a program is shown as, by the program; by default the command itself. */
  readonly processes?: Readonly<Record<string, (command: string, uid: number) => readonly ProcessLine[]>>;
  /** The server at the address of the cluster's ingress controller, if no Service has it. */
  readonly ingress?: { readonly ports: readonly number[]; readonly server: Server };
  /** The controllers of an operator, which act on the cluster's objects once it is installed. */
  readonly controllers?: (tools: { readonly keys: Keys }) => readonly Controller[];
}

export interface ProcessLine {
  readonly uid: number;
  readonly command: string;
}
