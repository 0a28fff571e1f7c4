/** `npm run docs`: writes the pages that are printed from the code. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedDocs, ROOT } from './printed-docs.ts';

for (const [path, content] of Object.entries(printedDocs())) writeFileSync(join(ROOT, path), content);
