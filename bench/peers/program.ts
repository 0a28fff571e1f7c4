/** Peers that are programs of their own: files in, lines out. */
import { spawnSync } from 'node:child_process';
import type { PeerTurn } from './peer.ts';

export interface ProgramReport {
  readonly loadSeconds: number;
  /** The size of the rules in memory. */
  readonly bytes: number;
  readonly turns: readonly PeerTurn[];
  /** For each event that is compared, the numbers that the program told. */
  readonly told: readonly (readonly number[])[];
}

/** A program that takes longer than this, mostly to take its rules, is of no use to anybody. */
const LONGEST_MS = 900_000;

/** Runs it to its end. Throws with what it said where it fails. */
export function runProgram(command: string, args: readonly string[]): ProgramReport {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    timeout: LONGEST_MS,
  });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.slice(0, 2_000)}`);
  return readReport(stdout);
}

/** `loaded`, `match`, `compared` and `measured`, as the programs in this folder print them. */
export function readReport(text: string): ProgramReport {
  let [loadSeconds, bytes] = [0, 0];
  let compared = 0;
  const turns: PeerTurn[] = [];
  const told = new Map<number, number[]>();
  for (const line of text.split('\n')) {
    const [word, first, second, third] = line.split('\t');
    if (word === 'loaded') loadSeconds = Number(first);
    if (word === 'bytes') bytes = Number(first);
    if (word === 'compared') compared = Number(first);
    if (word === 'match') told.set(Number(first), [...(told.get(Number(first)) ?? []), Number(second)]);
    if (word === 'measured') turns.push({ events: Number(first), micros: Number(second), matches: Number(third) });
  }
  return { loadSeconds, bytes, turns, told: Array.from({ length: compared }, (_, event) => told.get(event) ?? []) };
}
