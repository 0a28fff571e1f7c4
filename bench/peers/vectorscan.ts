/** Vectorscan from Debian: the words and phrases of the rules are literals, searched in the text of the event. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Peer, type PeerReport, type PeerTask, TEXT_FIELDS } from './peer.ts';
import { runProgram } from './program.ts';
import { type Expressions, toCombinations, toLiterals, toPatterns } from './vectorscan-form.ts';

const SOURCE = join(import.meta.dirname, 'vectorscan.c');

export const vectorscanPeers: readonly Peer[] = [
  {
    name: 'Vectorscan, finding words only',
    missing,
    run: (task) => runVectorscan(task, toLiterals(task.rules, textField(task))),
  },
  {
    name: 'Vectorscan, patterns',
    missing,
    run: (task) => runVectorscan(task, toPatterns(task.rules, textField(task))),
  },
  {
    name: 'Vectorscan, combinations',
    missing,
    run: (task) => runVectorscan(task, toCombinations(task.rules, textField(task))),
  },
];

const textField = ({ platform }: PeerTask): string => TEXT_FIELDS[platform][0]!;

function missing(): string | undefined {
  const { error } = spawnSync('cc', ['--version']);
  if (error !== undefined) return 'on Debian: apt-get install gcc libc6-dev libvectorscan-dev';
  const { status } = spawnSync('cc', ['-E', '-o', '/dev/null', '-include', 'hs/hs.h', '-x', 'c', '/dev/null']);
  return status === 0 ? undefined : 'on Debian: apt-get install libvectorscan-dev';
}

async function runVectorscan(task: PeerTask, { lines, rules }: Expressions): Promise<PeerReport | undefined> {
  if (rules.size === 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-vectorscan-'));
  try {
    const [program, expressions, texts] = ['program', 'expressions', 'texts'].map((name) => join(folder, name));
    const compiled = spawnSync('cc', ['-O2', '-o', program!, SOURCE, '-lhs'], { encoding: 'utf8' });
    if (compiled.status !== 0) throw new Error(`cc failed: ${compiled.stderr.slice(0, 2_000)}`);
    writeFileSync(expressions!, lines.map((line) => `${line}\n`).join(''));
    const text = (event: PeerTask['events'][number]) => event.filter(({ field }) => field === textField(task));
    writeFileSync(
      texts!,
      task.events
        .map(
          (event) =>
            `${text(event)
              .map((one) => one.text)
              .join(' ')}\n`,
        )
        .join(''),
    );
    const limits = [task.compared, task.budgetMilliseconds, task.turns].map(String);
    const { told, ...report } = runProgram(program!, [expressions!, texts!, ...limits]);
    const found = told.map((numbers) => new Set(numbers.flatMap((number) => rules.get(number) ?? [])));
    return { ...report, whole: new Set([...rules.values()].flat()), found };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
