/** Hearing from another server that its skills or tools have changed, in either era of the protocol. */

import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';

export type PeerNotice = 'skills' | 'tools';

/** Notices within this time of one another are told once, ms: a list that changes ten times is fetched once. */
const TOGETHER_MS = 500;

export class Notices {
  readonly #listeners: Readonly<Record<PeerNotice, Set<() => void>>> = {
    skills: new Set(),
    tools: new Set(),
  };
  readonly #timers = new Map<PeerNotice, NodeJS.Timeout>();

  /** True while anybody listens. */
  get wanted(): boolean {
    return this.#listeners.skills.size + this.#listeners.tools.size > 0;
  }

  listen(notice: PeerNotice, listener: () => void): () => void {
    this.#listeners[notice].add(listener);
    return () => this.#listeners[notice].delete(listener);
  }

  /** Hears what a connected server tells. `onLost` is called where it stops telling while it was to go on. */
  follow(client: Client, onLost: () => void): void {
    client.setNotificationHandler('notifications/resources/list_changed', () => this.#tell('skills'));
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#tell('tools'));
    // Of the older drafts: the SDK does not know it.
    client.setNotificationHandler('notifications/skills/list_changed', { params: z.unknown() }, () =>
      this.#tell('skills'),
    );
    if (client.getProtocolEra() !== 'modern') return;
    const { resources, tools } = client.getServerCapabilities() ?? {};
    const filter = {
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
      ...(tools?.listChanged === true && { toolsListChanged: true }),
    };
    if (Object.keys(filter).length === 0) return;
    client.listen(filter).then(
      ({ closed }) => closed.then((cause) => cause === 'local' || onLost()),
      // It offers notices and does not give them: the refresh interval is left.
      () => {},
    );
  }

  tellAll(): void {
    this.#tell('skills');
    this.#tell('tools');
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  #tell(notice: PeerNotice): void {
    if (this.#listeners[notice].size === 0 || this.#timers.has(notice)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(notice);
      for (const listener of this.#listeners[notice]) listener();
    }, TOGETHER_MS);
    timer.unref();
    this.#timers.set(notice, timer);
  }
}
