/** The part in use of Stryker, which `npm ci --prefix test/mutation` installs: types are checked without it. */

declare module '@stryker-mutator/core' {
  export class Stryker {
    constructor(options: object);
    runMutationTest(): Promise<unknown>;
  }
}
