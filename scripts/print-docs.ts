/**
 * `npm run docs`: writes the pages that are printed from the code. With `--release` it also writes the descriptions of the
 * interface of this version, which later versions are compared with.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApi } from '../src/http/asyncapi.ts';
import { openApi } from '../src/http/openapi.ts';
import { printedDocs, ROOT } from './printed-docs.ts';

for (const [path, content] of Object.entries(printedDocs())) writeFileSync(join(ROOT, path), content);
if (process.argv.includes('--release')) await writeRelease();

async function writeRelease(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const folder = join(ROOT, 'docs/api', version);
  if (existsSync(folder)) {
    console.error(`${version} is released already: docs/api/${version} stays as it is. Raise the version first.`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(folder);
  const documents = { 'openapi.json': await openApi(version), 'asyncapi.json': await asyncApi(version) };
  for (const [name, document] of Object.entries(documents))
    writeFileSync(join(folder, name), `${JSON.stringify(document, null, 2)}\n`);
}
