// The part of playwright-core's bundle that `firefox.ts` uses.
declare module "playwright-core/lib/utilsBundle" {
  type Send = (this: Socket, data: string, ...more: readonly unknown[]) => void;

  interface Socket {
    send: Send;
    emit(event: "message", data: Uint8Array, isBinary: boolean): boolean;
  }

  export const ws: { readonly prototype: Socket };
}
