/** What the tests use of Express, whose package has no types. */
declare module 'express' {
  import type { Server } from 'node:http';

  interface Application {
    use(handler: unknown): void;
    all(path: string, handler: unknown): void;
    listen(port: number, host: string, listening: () => void): Server;
  }
  const express: { (): Application; json(): unknown };
  export default express;
}
