/** Notifications of an upstream server that its skills or tools changed, in either protocol era. */

import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';

export type ChangedList = 'skills' | 'tools';

/** Notifications within this time count as one, ms: a list that changes ten times is fetched once. */
const DEBOUNCE_MS = 500;

export class ChangeNotifications {
  readonly #listeners: Readonly<Record<ChangedList, Set<() => void>>> = {
    skills: new Set(),
    tools: new Set(),
  };
  readonly #timers = new Map<ChangedList, NodeJS.Timeout>();

  get hasListeners(): boolean {
    return this.#listeners.skills.size + this.#listeners.tools.size > 0;
  }

  /** Returns how to stop. */
  listen(list: ChangedList, listener: () => void): () => void {
    this.#listeners[list].add(listener);
    return () => this.#listeners[list].delete(listener);
  }

  /** Subscribes to the server's notifications. Calls `onLost` if the subscription ends on the server's side. */
  subscribe(client: Client, onLost: () => void): void {
    client.setNotificationHandler('notifications/resources/list_changed', () => this.#notify('skills'));
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#notify('tools'));
    // Of the older drafts, unknown to the SDK.
    client.setNotificationHandler('notifications/skills/list_changed', { params: z.unknown() }, () =>
      this.#notify('skills'),
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
      // The server declares notifications but does not send them: the refresh interval remains.
      () => {},
    );
  }

  notifyAll(): void {
    this.#notify('skills');
    this.#notify('tools');
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  #notify(list: ChangedList): void {
    if (this.#listeners[list].size === 0 || this.#timers.has(list)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(list);
      for (const listener of this.#listeners[list]) listener();
    }, DEBOUNCE_MS);
    timer.unref();
    this.#timers.set(list, timer);
  }
}
