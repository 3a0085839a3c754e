/** The part of the JavaScript API of WebAssembly that is used here: neither TypeScript's es2023 nor Node's types have it. */

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum: number });
    /** Pages of 64 KiB; another one once it has grown. */
    readonly buffer: ArrayBuffer;
    /** By so many pages. Throws `RangeError` where they are not to be had. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: Record<string, unknown>;
  }
  function validate(bytes: Uint8Array): boolean;
}
