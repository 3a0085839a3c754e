/** The tools' results under the tools' names, with nothing cut for a model: for programs and the command line. */

import type { FoundSkills, Gateway, LoadedSkill, ReadResult } from '../gateway/gateway.ts';
import type { ListResult, LoadResult, ReadResult as ReadAnswer, SearchResult } from './library-types.ts';
import { loadResult } from './tools/load-skill.ts';
import { textResult } from './tools/read-reference.ts';
import { wholeResult } from './tools/search-answer.ts';

export const wholeResults = {
  /** `filtered`: whether filters may be why there are no hits. */
  search: (answer: FoundSkills, filtered: boolean): SearchResult => wholeResult(answer, filtered),

  load: (loaded: LoadedSkill, isSection: boolean): LoadResult => loadResult(loaded, isSection),

  read(skill: string, read: ReadResult): ReadAnswer {
    if (read.kind === 'text') return textResult(skill, read);
    return { kind: 'image', path: read.path, mime_type: read.mimeType, data: read.base64 };
  },

  list: ({ total, entries, nextCursor }: Awaited<ReturnType<Gateway['list']>>): ListResult => ({
    total,
    skills: entries.map(({ id, name, description, uri, source, folder }) => ({
      id,
      name,
      description,
      uri,
      source,
      folder,
    })),
    next_cursor: nextCursor,
  }),
};
