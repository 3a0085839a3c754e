/** The part of hnswlib-node in use. The package is optional: the build needs its types where it could not be installed. */

declare module 'hnswlib-node' {
  export class HierarchicalNSW {
    constructor(space: 'ip', dimensions: number);
    initIndex(rows: number, m: number, efConstruction: number, seed: number): void;
    /** Not into an index that holds points. */
    readIndex(path: string): Promise<boolean>;
    writeIndex(path: string): Promise<boolean>;
    addPoint(point: number[], label: number): void;
    searchKnn(query: number[], k: number): { distances: number[]; neighbors: number[] };
    getCurrentCount(): number;
    setEf(ef: number): void;
  }

  const library: { HierarchicalNSW: typeof HierarchicalNSW };
  export default library;
}

/** Of the WebAssembly JavaScript API: neither TypeScript’s es2023 nor Node’s types declare it. */
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
