/** A network namespace with one cable to this machine, which a test can pull. Needs Linux, root and `ip`. */

import { execFileSync } from 'node:child_process';

export interface OwnNetwork {
  /** Of programs inside. */
  readonly address: string;
  /** What runs a program inside: its first arguments. */
  readonly within: readonly string[];
  /** Packets are lost silently, in both directions. */
  cut(): void;
  restore(): void;
  remove(): void;
}

/** Null where this machine does not permit it. */
export function ownNetwork(): OwnNetwork | null {
  const id = `sg${process.pid}`;
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  const inside = (...args: string[]) => ip('-n', id, ...args);
  // Addresses that are reserved for tests of networks (RFC 2544).
  const subnet = `198.18.${process.pid % 256}`;
  const remove = () => {
    try {
      ip('netns', 'del', id);
    } catch {}
  };
  try {
    ip('netns', 'add', id);
    ip('link', 'add', id, 'type', 'veth', 'peer', 'name', 'cable', 'netns', id);
    ip('address', 'add', `${subnet}.1/24`, 'dev', id);
    ip('link', 'set', id, 'up');
    inside('address', 'add', `${subnet}.2/24`, 'dev', 'cable');
    inside('link', 'set', 'lo', 'up');
    inside('link', 'set', 'cable', 'up');
  } catch {
    remove();
    return null;
  }
  return {
    address: `${subnet}.2`,
    within: ['ip', 'netns', 'exec', id],
    cut: () => inside('link', 'set', 'cable', 'down'),
    restore: () => inside('link', 'set', 'cable', 'up'),
    remove,
  };
}
