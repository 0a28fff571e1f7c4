/** The architecture as a test: imports point down, and folders on one line never import each other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');

const floor = ['base', 'domain'];
const middle = ['engine', 'platforms', 'sources', 'store', 'delivery', 'broker'];
const low = [...floor, 'signal'];
const MAY_IMPORT: Record<string, string[]> = {
  base: [],
  domain: [],
  rules: floor,
  signal: floor,
  wakes: floor,
  engine: [...floor, 'rules'],
  platforms: [...floor, 'rules'],
  sources: [...floor, 'rules'],
  store: low,
  delivery: [...low, 'wakes'],
  broker: floor,
  service: [...low, 'rules', 'wakes', ...middle],
  compute: [...low, 'rules', ...middle, 'service'],
  http: [...floor, 'service'],
  mcp: [...floor, 'service'],
  packages: [],
  client: ['packages'],
  app: [...low, 'rules', ...middle, 'service', 'compute', 'http', 'mcp', 'bin'],
  sandbox: [...floor, 'rules', 'engine', 'sources'],
  cli: [...floor, 'rules', 'wakes', 'app', 'packages', 'sandbox'],
};

/**
 * The rooms inside four folders, each with the rooms that it may import. A file beside the rooms is in the room `.`,
 * unless it has a line of its own here.
 */
const leaf = ['.'];
/** The loops of the service, from the lowest up. */
const loops = [
  ...leaf,
  'access',
  'oauth',
  'coverage',
  'ingest',
  'reader',
  'registrations',
  'outlets',
  'upstream',
  'accounts',
  'cluster',
  'alerts',
  'rehearsal',
  'visits',
  'judging',
];
const verbs = [...loops, 'context', 'perform'];
const ROOMS_MAY_IMPORT: Record<string, Record<string, string[]>> = {
  engine: {
    events: [],
    'one-rule': ['events'],
    compile: ['events', 'one-rule'],
    core: ['events', 'one-rule', 'compile'],
    threads: ['core'],
    explain: ['events', 'one-rule'],
    '.': ['events', 'one-rule', 'core'],
  },
  delivery: { '.': [], templates: leaf, live: leaf, webhooks: [...leaf, 'templates'], syndication: [] },
  sources: {
    text: [],
    fetch: [],
    feeds: ['text'],
    watch: ['text'],
    reading: ['text', 'feeds', 'watch', 'fetch'],
    contract: ['text', 'fetch', 'reading'],
    kinds: ['text', 'feeds', 'watch', 'fetch', 'contract'],
    history: ['text', 'fetch', 'contract', 'kinds'],
    discovery: ['text', 'fetch', 'watch', 'reading', 'contract', 'kinds'],
    '.': ['contract', 'fetch', 'reading'],
  },
  service: {
    '.': [],
    access: leaf,
    oauth: [...leaf, 'access'],
    ingest: leaf,
    coverage: leaf,
    reader: leaf,
    registrations: [...leaf, 'coverage'],
    outlets: [...leaf, 'access', 'ingest', 'reader'],
    upstream: [...leaf, 'access', 'coverage', 'ingest', 'registrations', 'outlets'],
    accounts: [...leaf, 'access', 'coverage', 'ingest', 'registrations', 'outlets', 'upstream'],
    cluster: [...leaf, 'access', 'accounts', 'ingest', 'registrations', 'upstream', 'outlets'],
    alerts: [...leaf, 'coverage'],
    rehearsal: [...leaf, 'ingest'],
    visits: [...leaf, 'access', 'accounts', 'coverage', 'ingest', 'outlets'],
    judging: [...leaf, 'reader'],
    context: [...loops, 'compute'],
    parts: [...loops, 'context'],
    perform: [...loops, 'context'],
    rules: verbs,
    keys: [...verbs, 'rules'],
    previews: [...verbs, 'rules'],
    events: verbs,
    operator: verbs,
    sources: verbs,
    matches: [...verbs, 'rules'],
    suggestions: [...verbs, 'rules', 'matches', 'previews'],
    webhooks: [...verbs, 'rules', 'matches'],
    agents: [...verbs, 'rules', 'matches', 'webhooks'],
    status: [...verbs, 'rules', 'agents', 'sources'],
    operations: [
      'perform',
      'rules',
      'keys',
      'previews',
      'events',
      'operator',
      'sources',
      'matches',
      'suggestions',
      'webhooks',
      'agents',
      'status',
    ],
    service: ['.', 'cluster', 'context', 'ingest', 'parts'],
  },
};

/** The console sees what everybody sees, and for the editor the languages with what they stand on. Types cost it nothing. */
const CONSOLE = join(ROOT, 'console/src');
const CONSOLE_MAY_IMPORT = ['packages', 'rules', 'domain', 'base'];

/** The sandbox, the client's package and the launcher stand beside `src`, as three more of its folders. */
const BESIDE = ['sandbox', 'packages', 'bin'];
const CLIENT = join('packages', 'client', 'src');

const sources = [
  ...readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }),
  ...['sandbox', CLIENT].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ),
]
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .toSorted();

const consoleSources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
  .toSorted();

const folderOf = (path: string): string => path.split(sep)[0]!;

function roomOf(path: string, rooms: Record<string, string[]>): string {
  const [, room = '.', ...deeper] = path.split(sep);
  if (deeper.length > 0) return room;
  const own = room.replace(/\.ts$/, '');
  return own in rooms ? own : '.';
}

/** Folders that a file imports from, type imports included. */
function importedFolders(path: string): string[] {
  const file = join(BESIDE.includes(folderOf(path)) ? ROOT : SOURCE, path);
  const specifiers = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)];
  return specifiers.map(([, specifier]) => {
    const target = resolve(file, '..', specifier!);
    return placeOf(target);
  });
}

/** The folder of a file, in `src` or beside it. */
function placeOf(target: string): string {
  const beside = folderOf(relative(ROOT, target));
  return BESIDE.includes(beside) ? beside : folderOf(relative(SOURCE, target));
}

describe('structure', () => {
  it.each(sources)('%s imports only what its folder may', (path) => {
    const folder = folderOf(path);
    const allowed = MAY_IMPORT[folder];
    expect(allowed, `src/${folder} is not in the picture`).toBeDefined();
    for (const imported of importedFolders(path)) expect([folder, ...allowed!]).toContain(imported);
  });

  it.each(consoleSources)('console/src/%s imports only what the console may', (path) => {
    const file = join(CONSOLE, path);
    const imports = readFileSync(file, 'utf8').matchAll(/(import type [^;]*|from|import\()\s*'(\.[^']*)'/g);
    for (const [, how, specifier] of imports) {
      const target = resolve(file, '..', specifier!);
      if (target.startsWith(CONSOLE) || how!.startsWith('import type')) continue;
      expect(CONSOLE_MAY_IMPORT).toContain(placeOf(target));
    }
  });

  it.each(sources.filter((path) => !BESIDE.includes(folderOf(path)) && path !== join('engine', 'scan.ts')))(
    '%s leaves the scan alone',
    (path) => {
      // The scan is the oracle of tests: its phrase search takes exponential time, so nothing that serves may reach it.
      const file = join(SOURCE, path);
      const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)];
      const targets = imports.map(([, specifier]) => relative(SOURCE, resolve(file, '..', specifier!)));
      expect(targets).not.toContain(join('engine', 'scan.ts'));
    },
  );

  it.each(sources.filter((path) => folderOf(path) in ROOMS_MAY_IMPORT))('%s imports only what its room may', (path) => {
    const folder = folderOf(path);
    const rooms = ROOMS_MAY_IMPORT[folder]!;
    const room = roomOf(path, rooms);
    const file = join(SOURCE, path);
    const imported = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)]
      .map(([, specifier]) => relative(SOURCE, resolve(file, '..', specifier!)))
      .filter((target) => folderOf(target) === folder)
      .map((target) => roomOf(target, rooms));
    expect([room, ...rooms[room]!]).toEqual(expect.arrayContaining(imported));
  });

  it.each(Object.entries(ROOMS_MAY_IMPORT))('draws every arrow between the rooms of %s downwards', (_, rooms) => {
    const order = Object.keys(rooms);
    for (const [room, allowed] of Object.entries(rooms)) {
      for (const below of allowed) expect(order.indexOf(below)).toBeLessThan(order.indexOf(room));
    }
  });

  it.each(sources.filter((path) => path.startsWith(CLIENT)))('%s imports nothing from outside the package', (path) => {
    const specifiers = [...readFileSync(join(ROOT, path), 'utf8').matchAll(/(?:\bfrom|\bimport\()\s*'([^']*)'/g)];
    expect(specifiers.map(([, specifier]) => specifier!).filter((one) => !/^\.\/[\w-]+\.ts$/.test(one))).toEqual([]);
  });

  it('draws every arrow downwards', () => {
    const order = Object.keys(MAY_IMPORT);
    for (const [folder, allowed] of Object.entries(MAY_IMPORT)) {
      for (const below of allowed) expect(order.indexOf(below)).toBeLessThan(order.indexOf(folder));
    }
  });

  it.each([...sources, ...consoleSources.map((path) => join('console/src', path))])('%s has a plain name', (path) => {
    expect(path).toMatch(/^[a-z0-9/-]+(\.d)?\.tsx?$/);
    expect(path).not.toMatch(/utils|helpers|common|manager/);
  });
});
