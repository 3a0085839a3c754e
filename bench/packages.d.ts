/** The parts in use of packages that `npm ci --prefix bench` installs: types are checked without them. */

declare module 'vega-lite' {
  export function compile(spec: object, options: { config: object }): { spec: object };
}

declare module 'vega' {
  export function parse(spec: object): object;
  export class View {
    constructor(runtime: object, options: { renderer: 'none' });
    toSVG(): Promise<string>;
    finalize(): void;
  }
}

declare module 'autocannon' {
  export interface Request {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }
  export interface Result {
    readonly requests: { readonly average: number };
    /** In milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly duration: number;
  }
  /** Sends requests over some connections for a duration in seconds. */
  export default function autocannon(options: {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly timeout: number;
    readonly requests: readonly Request[];
  }): Promise<Result>;
}
