import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storeConformance } from '../../test/conformance/store.ts';
import { openSqlite } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

storeConformance('sqlite in memory', (options) => openSqlite(':memory:', options));
storeConformance('sqlite in a file', (options) => openSqlite(join(folder, `${++files}.db`), options));
