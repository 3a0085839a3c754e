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
