/**
 * Lucene 8 from Debian. Its Monitor, which is made for this, is in Debian's source of the package alone: it is compiled here. Its
 * `MemoryIndex` asks every query, or those whose rarest word the event has.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toLucene } from './lucene-form.ts';
import { type Peer, type PeerReport, type PeerRule, type PeerTask, TEXT_FIELDS } from './peer.ts';
import { runProgram } from './program.ts';

/** The folder that Debian puts jars in. */
const JARS = '/usr/share/java';
const NEEDED = ['core', 'memory', 'queryparser', 'queries', 'analyzers-common'];
/** The folder of the Monitor's sources. */
const MONITOR = process.env['LUCENE_MONITOR'];

interface Way {
  readonly program: 'LuceneMemoryIndex' | 'LuceneMonitor';
  readonly mode: string;
  readonly takes: (rule: PeerRule) => boolean;
}

const everyRule = () => true;
const hasRegex = ({ query }: PeerRule) => query.kind === 'regex';
const hasKeys = ({ keys }: PeerRule) => keys.length > 0;

export const lucenePeers: readonly Peer[] = [
  peer('Lucene Monitor, presearcher of terms', { program: 'LuceneMonitor', mode: 'terms', takes: everyRule }),
  peer('Lucene Monitor, presearcher of four passes', { program: 'LuceneMonitor', mode: 'passes', takes: everyRule }),
  peer('Lucene Monitor, terms and parts of words', { program: 'LuceneMonitor', mode: 'ngrams', takes: everyRule }),
  peer('Lucene MemoryIndex, every query', { program: 'LuceneMemoryIndex', mode: 'every', takes: everyRule }),
  peer('Lucene MemoryIndex, queries by rarest word', { program: 'LuceneMemoryIndex', mode: 'keys', takes: hasKeys }),
];

function peer(name: string, way: Way): Peer {
  return { name, missing: () => missing(way), run: async (task) => runLucene(task, way) };
}

const jarPaths = (): string[] => NEEDED.flatMap((name) => globSync(join(JARS, `lucene-${name}-8*.jar`)));

function missing({ program }: Way): string | undefined {
  if (jarPaths().length < NEEDED.length) return 'on Debian: apt-get install liblucene8-java';
  const { error } = spawnSync('javac', ['-version']);
  if (error !== undefined) return 'on Debian: apt-get install default-jdk-headless';
  if (program === 'LuceneMemoryIndex' || (MONITOR !== undefined && existsSync(MONITOR))) return undefined;
  return 'on Debian: apt-get source --tar-only lucene8, and LUCENE_MONITOR=…/lucene-8.8.1/monitor/src/java';
}

const compiled = new Map<Way['program'], string>();

/** The folder of the compiled program: made once, and removed with this process. */
function compile(program: Way['program'], classPath: string): string {
  const known = compiled.get(program);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lucene-program-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const own = ['LucenePeer', program].map((name) => join(import.meta.dirname, `${name}.java`));
  const monitor = program === 'LuceneMonitor' ? globSync(join(MONITOR!, '**/*.java')) : [];
  const args = ['-nowarn', '-cp', classPath, '-d', folder, ...own, ...monitor];
  const { status, stderr } = spawnSync('javac', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`javac failed: ${stderr.slice(0, 2_000)}`);
  compiled.set(program, folder);
  return folder;
}

function runLucene(task: PeerTask, { program, mode, takes }: Way): PeerReport | undefined {
  const lines: string[] = [];
  const whole = new Set<number>();
  for (const rule of task.rules) {
    const text = takes(rule) ? toLucene(rule.query) : undefined;
    if (text === undefined) continue;
    lines.push(`${rule.number}\t${rule.keys.map((key) => `${key.field}=${key.text}`).join('\x1f')}\t${text}`);
    whole.add(rule.number);
  }
  if (lines.length === 0 || (mode === 'ngrams' && !task.rules.some(hasRegex))) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lucene-'));
  try {
    const [rules, events] = [join(folder, 'rules'), join(folder, 'events')];
    writeFileSync(rules, lines.map((line) => `${line}\n`).join(''));
    writeFileSync(
      events,
      task.events.map((event) => `${event.map(({ field, text }) => `${field}=${text}`).join('\t')}\n`).join(''),
    );
    const jars = jarPaths().join(':');
    const { told, ...report } = runProgram('java', [
      '-XX:+UseSerialGC',
      '-cp',
      `${compile(program, jars)}:${jars}`,
      program,
      mode,
      TEXT_FIELDS[task.platform].join(','),
      rules,
      events,
      ...[task.compared, task.budgetMilliseconds, task.turns].map(String),
    ]);
    return { ...report, whole, found: told.map((numbers) => new Set(numbers)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
