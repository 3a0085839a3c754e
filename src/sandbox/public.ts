/**
 * Runs untrusted programs, through one port (`Sandbox`). Knows nothing of skills.
 *
 * One implementation, bubblewrap; on other machines a refusal that gives the reason. `confinement.ts` describes the inside,
 * `seccomp.ts` the allowed system calls, `memory-watch.ts` the limits that are enforced from outside. Nothing of a run touches a
 * disk: files go in over descriptors, and the only writable file system is one tmpfs of fixed size. The sandbox dies with
 * skillgate.
 */

export { FORWARDER } from './launcher.ts';
export { INSTALL_FORWARDER, openSandbox } from './open.ts';
export {
  type GivenFile,
  type KilledBy,
  type Limits,
  type RunRequest,
  type RunResult,
  type Sandbox,
  SandboxError,
  type ServerRequest,
} from './sandbox.ts';
