/**
 * Bundles the declarations that a module exports, with those that they use, into one file. For declarations that `tsc` emits
 * from this repository: names are unique, and no package is needed to understand them. Anything else is an error.
 */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The text of the bundle for `entry`, a `.d.ts` file. */
export function bundledTypes(entry) {
  const read = reader();
  const exported = read(entry).exportedNames();
  /** Name → its declaration, in the order in which they were reached. */
  const taken = new Map();
  const take = (file, name) => {
    const found = definition(read, file, name);
    const before = taken.get(found.name);
    if (before !== undefined) {
      if (before.file !== found.file)
        throw new Error(
          `Two types are called ${found.name}: in ${before.file} and ${found.file}. Rename one.`,
        );
      return;
    }
    const { doc, text, uses } = read(found.file).declarations.get(found.name);
    taken.set(found.name, { file: found.file, doc, text });
    for (const used of uses) if (used !== found.name) take(found.file, used);
  };
  for (const name of exported) take(entry, name);
  const declarations = [...taken].map(
    ([name, { doc, text }]) => `${doc}${exported.includes(name) ? 'export ' : ''}${text}`,
  );
  // Without this line, declarations that are not exported would be visible as well.
  // TypeScript knows `await using` only with this library.
  return `/// <reference lib="esnext.disposable" />\n\n${declarations.join('\n\n')}\n\nexport {};\n`;
}

/** The file that declares what `file` calls `name`, and its name there. */
function definition(read, file, name) {
  const module = read(file);
  if (module.declarations.has(name)) return { file, name };
  const origin = module.imports.get(name) ?? module.reexports.get(name);
  if (origin !== undefined) {
    if (!origin.from.startsWith('.'))
      throw new Error(`${file}: the public type ${name} comes from the package ${origin.from}.`);
    return definition(read, resolve(dirname(file), origin.from.replace(/\.ts$/, '.d.ts')), origin.name);
  }
  for (const from of module.stars) {
    try {
      return definition(read, resolve(dirname(file), from.replace(/\.ts$/, '.d.ts')), name);
    } catch {}
  }
  throw new Error(`${file} does not declare ${name}.`);
}

function reader() {
  const files = new Map();
  return (file) => {
    const path = resolve(file);
    if (!files.has(path)) files.set(path, parsed(path));
    return files.get(path);
  };
}

function parsed(path) {
  const source = readFileSync(path, 'utf8');
  const { program, module, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const imports = new Map();
  for (const { moduleRequest, entries } of module.staticImports)
    for (const { importName, localName } of entries)
      imports.set(localName.value, { from: moduleRequest.value, name: importName.name ?? localName.value });
  const reexports = new Map();
  const stars = [];
  const own = [];
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, importName, exportName } of entries) {
      if (moduleRequest === null) own.push(exportName.name);
      else if (exportName.name === null) stars.push(moduleRequest.value);
      else reexports.set(exportName.name, { from: moduleRequest.value, name: importName.name });
    }
  const declarations = new Map();
  for (const statement of program.body) {
    const declared = statement.declaration ?? statement;
    const names = declared.declarations?.map(({ id }) => id.name) ?? [declared.id?.name];
    for (const name of names.filter((each) => each !== undefined)) {
      const doc = comments.findLast(
        ({ type, value, end }) =>
          type === 'Block' &&
          value.startsWith('*') &&
          end <= statement.start &&
          source.slice(end, statement.start).trim() === '',
      );
      declarations.set(name, {
        doc: doc === undefined ? '' : `/*${doc.value}*/\n`,
        text: source.slice(declared.start, statement.end),
        uses: [],
      });
    }
  }
  const known = (name) => declarations.has(name) || imports.has(name);
  for (const each of declarations.values()) {
    const code = each.text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/'[^'\n]*'|"[^"\n]*"/g, '');
    each.uses = [...new Set(code.match(/[A-Za-z_$][\w$]*/g) ?? [])].filter(known);
  }
  return {
    imports,
    reexports,
    stars,
    declarations,
    exportedNames: () => [...reexports.keys(), ...own],
  };
}
