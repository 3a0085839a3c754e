/** A gateway over real folders, for tests that compare files, index and answers. */

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { openLibrary } from '../../../src/app/open-library.ts';
import { readSettings } from '../../../src/app/settings.ts';
import type { Library } from '../../../src/catalog/library.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { openGateway } from '../../../src/gateway/pipeline.ts';
import { endWithTest } from '../../end-with-test.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export interface RealCatalog {
  /** The folder of its only source, `dialects`. */
  readonly root: string;
  readonly gateway: Gateway;
  readonly library: Library;
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  close(): Promise<void>;
}

/** Modification time of every file. */
const MODIFIED = '2026-03-01T12:00:00.000Z';

export async function realCatalog(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<RealCatalog> {
  const folder = temporaryFolder();
  const root = join(folder, 'dialects');
  const write: RealCatalog['write'] = (written) => {
    for (const [path, text] of Object.entries(written)) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      utimesSync(file, new Date(MODIFIED), new Date(MODIFIED));
    }
  };
  write(files);
  const settings = await readSettings(
    { skills: [root], vectors: 'exact' },
    { cwd: folder, home: folder, env: {} },
  );
  const library = await openLibrary(settings, { log: () => {}, directory: memoryDirectory() });
  await library.update();
  return {
    root,
    gateway: openGateway(library),
    library,
    write,
    close: endWithTest(() => library.close()),
  };
}

/** A skill with everything, one in a nested folder, two with the same name, and one that is only lenient. */
export const DIALECT_SKILLS: Readonly<Record<string, string>> = {
  'pdf-forms/SKILL.md': `---
name: pdf-forms
description: Fill in and flatten PDF forms.
metadata:
  title: PDF forms
  tags: pdf, forms
  version: "1.2.0"
  skillgate.tools: pdf_read pdf_write
allowed-tools: Read Bash(qpdf:*)
---
# PDF forms

Open $form and fill each field.

See [fields](references/fields.md).
`,
  'pdf-forms/references/fields.md': '# Fields\n\nText, check box, radio.\n',
  'pdf-forms/references/deep/limits.md': '# Limits\n\nA thousand fields.\n',
  'pdf-forms/scripts/fill.py': 'print("fill")\n',
  'pdf-forms/assets/template.csv': 'field,value\n',
  'team-a/deploy/SKILL.md':
    '---\nname: deploy\ndescription: Deploy to the cluster of team A.\n---\nApply A.\n',
  'team-b/deploy/SKILL.md':
    '---\nname: deploy\ndescription: Deploy to the cluster of team B.\n---\nApply B.\n',
  'kiln/SKILL.md': `---
name: Kiln Firing
description: Fire stoneware in an electric kiln.
arguments:
  - name: cone
    description: Cone to fire to
    required: true
  - glaze
---
Fire to $cone with $glaze, not $conetop.
`,
  'kiln/references/cones.md': '# Cones\n\nCone 6 is 1,222 degrees.\n',
};
