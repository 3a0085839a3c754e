/** The part of the WebAssembly JavaScript API in use: neither TypeScript's es2023 nor Node's types declare it. */

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum: number });
    /** In pages of 64 KiB; replaced when the memory grows. */
    readonly buffer: ArrayBuffer;
    /** Adds pages. Throws `RangeError` if they are not available. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: Record<string, unknown>;
  }
  function validate(bytes: Uint8Array): boolean;
}
