/** Lucene 8.7 from Debian: each event is a `MemoryIndex`, which is asked the queries. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toLucene } from './lucene-form.ts';
import { type Peer, type PeerReport, type PeerTask, TEXT_FIELDS } from './peer.ts';
import { runProgram } from './program.ts';

/** Where Debian puts jars. */
const JARS = '/usr/share/java';
const NEEDED = ['core', 'memory', 'queryparser', 'queries', 'analyzers-common'];

const SOURCE = join(import.meta.dirname, 'LuceneMemoryIndex.java');

export const lucenePeers: readonly Peer[] = [
  { name: 'Lucene MemoryIndex, every query', missing, run: (task) => runLucene(task, 'every') },
  { name: 'Lucene MemoryIndex, queries by rarest word', missing, run: (task) => runLucene(task, 'keys') },
];

function jarPaths(): string[] {
  const files = existsSync(JARS) ? readdirSync(JARS) : [];
  return NEEDED.flatMap((name) => files.filter((file) => new RegExp(`^lucene-${name}-8[.\\d]*\\.jar$`).test(file)));
}

function missing(): string | undefined {
  if (jarPaths().length < NEEDED.length) return 'on Debian: apt-get install liblucene8-java';
  const { error } = spawnSync('javac', ['-version']);
  return error === undefined ? undefined : 'on Debian: apt-get install default-jdk-headless';
}

let compiled: string | undefined;

/** The folder of the compiled program: made once, and removed with this process. */
function compile(classPath: string): string {
  if (compiled !== undefined) return compiled;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lucene-program-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const { status, stderr } = spawnSync('javac', ['-cp', classPath, '-d', folder, SOURCE], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`javac failed: ${stderr.slice(0, 2_000)}`);
  compiled = folder;
  return folder;
}

async function runLucene(task: PeerTask, mode: 'every' | 'keys'): Promise<PeerReport | undefined> {
  const lines: string[] = [];
  const whole = new Set<number>();
  for (const { number, query, keys } of task.rules) {
    const text = toLucene(query);
    if (text === undefined || keys.length === 0) continue;
    lines.push(`${number}\t${keys.map((key) => `${key.field}=${key.text}`).join('\x1f')}\t${text}`);
    whole.add(number);
  }
  if (lines.length === 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lucene-'));
  try {
    const [rules, events] = [join(folder, 'rules'), join(folder, 'events')];
    writeFileSync(rules, lines.map((line) => `${line}\n`).join(''));
    writeFileSync(
      events,
      task.events.map((event) => `${event.map(({ field, text }) => `${field}=${text}`).join('\t')}\n`).join(''),
    );
    const jars = jarPaths()
      .map((file) => join(JARS, file))
      .join(':');
    const { told, ...report } = runProgram('java', [
      '-XX:+UseSerialGC',
      ...['-cp', `${compile(jars)}:${jars}`, 'LuceneMemoryIndex'],
      ...[mode, TEXT_FIELDS[task.platform].join(','), rules, events],
      ...[task.compared, task.budgetMilliseconds, task.turns].map(String),
    ]);
    return { ...report, whole, found: told.map((numbers) => new Set(numbers)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
