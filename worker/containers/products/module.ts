// The interface of a simulated product: its images, their programs, and related facts.
import type { Keys } from "../../controllers/common/keys.ts";
import type { Controller } from "../../runtime/controller.ts";
import type { KnownImage } from "../images/known-image.ts";
import type { Programs } from "../shell/program.ts";
import type { Server } from "../shell/server.ts";

export interface Product {
  /** The words that only this product has. No file outside its module contains one of them: `test/product-names.test.ts` checks it. */
  readonly names: readonly string[];
  /** The images, by the last part of their name or the last two. */
  readonly images?: Readonly<Record<string, KnownImage>>;
  /** Lines of the table in `images/configurations.ts`. */
  readonly configurations?: string;
  /** Lines of the table in `images/official.ts`: the versions of Docker's official image. */
  readonly official?: string;
  /** Lines of the table in `images/hub.ts`: the organisation on Docker Hub and its repositories. */
  readonly hub?: string;
  readonly programs?: Programs;
  /** Programs that the images have and the simulator lacks. */
  readonly notSimulated?: string;
  /** Folders of the images with their programs; default: `/usr/bin` and similar folders. */
  readonly folders?: Readonly<Record<string, string>>;
  /** The processes that `ps` shows for a program; default: the command itself. */
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
