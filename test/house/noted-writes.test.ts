/**
 * Operations are not the only way to change something: protocols of agents, links in mails, pages of consent and the loops of the
 * server write, too. Each call of a write of the store passes a note for the audit log, or stands here with the reason why it has none.
 */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { nounReads } from '../../src/store/nouns.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { type SourceFile, sourceFiles } from './measures.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Names of writes; with its arguments where other calls of the name must be noted. */
const UNNOTED: Readonly<Record<string, readonly string[]>> = {
  'It changes nothing that an account set up.': [
    'backup bell check databaseBytes figures instance retentionBacklog version',
    'claimAnswer countSourceUse noteUse noteVisits usePass',
  ].flatMap((names) => names.split(' ')),
  'It is how the server keeps itself, its nodes and its disk.': [
    'addRuleSnapshotPiece agreeOn keepRuleSnapshot markRuleChanges removeNode removeSlice reportNode',
    'forgetColdLeftovers noteColdOutcome planColdObject recordColdMerge recordColdObject replaceColdObject takeColdLeftovers',
  ].flatMap((names) => names.split(' ')),
  'An event, a match or what became of it: matches, coverage and Status tell of it.': [
    'commit dropReceived keepJudgement keepSources keepWatches logCertificate noteFeeds noteGaps putReceived',
    'rateMatch reserveJudgeCall settleJudgeCall',
  ].flatMap((names) => names.split(' ')),
  'List Deliveries and List Wakes have it.': [
    'acknowledgeUpTo acknowledgeWake addNotices beginNotice endNotice redeliver redeliverSince replay sendMatch',
  ].flatMap((names) => names.split(' ')),
  'A step of a change that is noted.': [
    'changeRegistrations moveMatches setRuleStatus',
    'addAccessToken endAccessToken keepClient redeemCode rotateRefresh takePass',
  ].flatMap((names) => names.split(' ')),
  'A rehearsal or a suggestion: it matches nothing.': [
    'addRehearsal cancelRehearsal keepRehearsal keepSuggestions',
  ].flatMap((names) => names.split(' ')),
  'A ticket for one request, or a question that a person has yet to answer.': ['addPass', 'addClient'],
  'The erasure itself was noted where it was asked for.': ['addTombstones', 'applyTombstones'],
  'Nobody ended it: its time was over.': ['endSubscription(before.id, EXPIRED_SUBSCRIPTION)'],
};

interface Call {
  readonly path: string;
  readonly name: string;
  readonly args: string;
}

/** The calls of a store by name, with the text of their arguments. */
function* callsIn({ path, text }: SourceFile): Iterable<Call> {
  for (const found of text.matchAll(/\bstore\??\.(\w+)\(/g)) {
    const from = found.index + found[0].length;
    let [at, depth] = [from, 1];
    for (; depth > 0; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    yield { path, name: found[1]!, args: text.slice(from, at - 1) };
  }
}

async function writesOfStore(): Promise<ReadonlySet<string>> {
  await using store = await openSqlite(':memory:');
  // They are looked at by name, and none is called.
  const reads = Object.keys(nounReads({} as never, {} as never));
  return new Set(Object.keys(store).filter((name) => !reads.includes(name)));
}

it('whatever writes to the store notes it, or says why not', async () => {
  const writes = await writesOfStore();
  const files = ['app', 'http', 'mcp', 'service', 'compute'].flatMap((folder) => sourceFiles(ROOT, `src/${folder}`));
  const calls = files.flatMap((file) => [...callsIn(file)]).filter(({ name }) => writes.has(name));
  expect(calls.filter(({ args }) => /note/i.test(args)).length).toBeGreaterThan(20);
  const silent = calls.filter(({ args }) => !/note/i.test(args));
  const listed = new Set(Object.values(UNNOTED).flat());
  const isListed = ({ name, args }: Call): boolean => listed.has(name) || listed.has(`${name}(${args})`);
  expect(silent.filter((call) => !isListed(call)).map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  // A reason whose call is gone goes, too.
  const told = new Set(silent.flatMap(({ name, args }) => [name, `${name}(${args})`]));
  expect([...listed].filter((one) => !told.has(one))).toEqual([]);
});
