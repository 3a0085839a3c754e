/**
 * Answers for principals on other machines: paths of this one mean nothing to them, and tell more than they should (a
 * checkout's folder changes with every skill of its repository, seen or not). A skill's folder is then its URI's.
 */

import type { CatalogEntry } from '../../catalog/entry.ts';
import { type Gateway, GatewayError } from '../gateway.ts';

export function fromElsewhere(gateway: Gateway): Gateway {
  /** What was shown, with what it was made from, for the calls that take entries back. */
  const originals = new WeakMap<CatalogEntry, CatalogEntry>();
  const shown = (entry: CatalogEntry): CatalogEntry => {
    const made = { ...entry, folder: entry.uri.replace(/\/[^/]*$/, '') };
    originals.set(made, entry);
    return made;
  };
  return {
    async search(request) {
      const answer = await gateway.search(request);
      return { ...answer, hits: answer.hits.map((hit) => ({ ...hit, entry: shown(hit.entry) })) };
    },
    async bundle(request) {
      const answer = await gateway.bundle(request);
      const members = answer.members.map((member) => ({ ...member, entry: shown(member.entry) }));
      return { ...answer, members };
    },
    why: gateway.why,
    async load(request) {
      const loaded = await gateway.load(request);
      return { ...loaded, entry: shown(loaded.entry) };
    },
    read: (request) => gateway.read(request).catch(withoutFolder),
    async list(request) {
      const page = await gateway.list(request);
      return { ...page, entries: page.entries.map(shown) };
    },
    labels: (entries) => gateway.labels(entries.map((entry) => originals.get(entry) ?? entry)),
    complete: gateway.complete,
    summary: gateway.summary,
    async publishable(request) {
      const page = await gateway.publishable(request);
      return { ...page, skills: page.skills.map((skill) => ({ ...skill, entry: shown(skill.entry) })) };
    },
    async publishableAt(uri) {
      const skill = await gateway.publishableAt(uri);
      return skill && { ...skill, entry: shown(skill.entry) };
    },
    completeUri: gateway.completeUri,
    onChange: gateway.onChange,
    ...(gateway.useTool === undefined ? {} : { useTool: gateway.useTool }),
  };
}

/** The one message that says where a file lies. */
function withoutFolder(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'FILE_BINARY') throw error;
  const { path, mimeType, size } = error.data;
  const message = `${path} is neither text nor an image (${mimeType}, ${size} bytes): it cannot be read from here.`;
  throw new GatewayError(error.code, message, error.data, error);
}
