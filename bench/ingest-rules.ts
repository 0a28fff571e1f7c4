/** Rules of set A for a server that takes events in: as many as wanted, of which an event matches about as many as wanted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import { createCoreEngine } from '../src/engine/core/core-engine.ts';
import { isRejection } from '../src/engine/events/event-view.ts';
import { languages } from '../src/rules/languages.ts';
import { ensureFirstKey } from '../src/service/access/keys.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { KEY } from '../test/black-box/server.ts';
import { analyzerFor } from './corpus.ts';
import { rulesOf, vocabularyOf } from './rule-sets.ts';

/** Only rules that X itself would take. */
export function rulesFor(payloads: readonly unknown[], count: number): string[] {
  const { x } = languages();
  const texts: string[] = [];
  for (const text of rulesOf('A', 'x', vocabularyOf('x', payloads, analyzerFor('x')))) {
    if (x.queryOf(text) !== undefined) texts.push(text);
    if (texts.length === count) break;
  }
  return texts;
}

/**
 * Takes as large a share of the rules that match posts of the sample as gives the wanted number, of those that match
 * much and of those that match little alike; the rest are rules that match none.
 */
export function rulesMatching(payloads: readonly unknown[], count: number, matchesAnEvent: number): string[] {
  const texts = rulesFor(payloads, 2 * count);
  const found = matchesOf(texts, payloads);
  const all = [...found.values()].reduce((sum, each) => sum + each, 0) / payloads.length;
  const share = matchesAnEvent / all;
  const taken = [...found]
    .toSorted(([, one], [, other]) => other - one)
    .filter((_, rank) => Math.floor((rank + 0.5) * share) !== Math.floor((rank - 0.5) * share))
    .map(([index]) => texts[index]!);
  const silent = texts.filter((_, index) => !found.has(index));
  const rules = [...taken, ...silent.slice(0, count - taken.length)];
  if (rules.length < count) throw new Error(`set A gives ${rules.length} of ${count} rules`);
  return rules;
}

/** How many of the posts each rule matches, of those that match one at least. */
function matchesOf(texts: readonly string[], payloads: readonly unknown[]): Map<number, number> {
  const { x } = languages();
  const engine = createCoreEngine();
  for (const [index, text] of texts.entries()) engine.put(String(index), x.queryOf(text)!);
  const found = new Map<number, number>();
  const analyze = analyzerFor('x');
  for (const payload of payloads) {
    const view = analyze(payload);
    if (isRejection(view)) continue;
    for (const id of engine.match(view).matches) found.set(Number(id), (found.get(Number(id)) ?? 0) + 1);
  }
  return found;
}

/** A data folder whose database has the rules, active, for the account of the key that tests use. */
export const folderWithRules = (
  rules: readonly string[],
  intentOf: (rule: string) => string = () => '',
): Promise<string> => filledFolder((folder) => fill(join(folder, 'sluice.db'), rules, intentOf));

/** A data folder whose database was filled by many small commits: in memory, since it need not survive a power cut meanwhile. */
export async function filledFolder(work: (folder: string) => Promise<void>): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const fast = mkdtempSync(join('/dev/shm', 'sluice-bench-'));
  try {
    await work(fast);
    await copyFile(join(fast, 'sluice.db'), join(dataDir, 'sluice.db'));
  } finally {
    rmSync(fast, { recursive: true, force: true });
  }
  return dataDir;
}

async function fill(path: string, rules: readonly string[], intentOf: (rule: string) => string): Promise<void> {
  await using store = await openSqlite(path);
  await ensureFirstKey(store, systemClock.now(), KEY);
  const account = (await store.account('default'))!;
  await store.changeAccount(account.id, { xRules: 2 * rules.length });
  const left = rules.entries();
  const creator = async () => {
    for (const [index, value] of left) {
      const id = newId('rule', systemClock.now());
      const createdAt = systemClock.now();
      const platforms = { x: { value, flags: {} } };
      const rule = { id, accountId: account.id, name: `rule ${index}`, intent: intentOf(value), createdAt, platforms };
      await store.addRule(rule, {});
      await store.setRuleStatus(id, 'x', { status: 'active', platformRuleId: id });
    }
  };
  await Promise.all(Array.from({ length: 16 }, creator));
}
