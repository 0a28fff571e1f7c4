/**
 * A process that commits until it is killed: `node committer.ts FILE FROM`. It writes the number of each commit to
 * standard output once the store has acknowledged it; a commit that fails ends it with the reason. Two events a commit,
 * each with two rules; then a certificate is logged.
 */
import { writeSync } from 'node:fs';
import { entryHash } from '../../src/base/merkle.ts';
import { StoreError } from '../../src/store/error.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { CommitEvent } from '../../src/store/store.ts';

const ACCOUNT = 'acct_crash';
const RULES = ['rule_one', 'rule_two'];

const [file, from] = process.argv.slice(2) as [string, string];
const store = await openSqlite(file, { recent: { events: 20 }, settleAfter: 7 });
if ((await store.account(ACCOUNT)) === undefined) {
  await store.addAccount({ id: ACCOUNT, name: 'crash', plan: 'paid', xRules: 9, createdAt: new Date() });
}
for (const id of RULES) {
  if ((await store.rule(ACCOUNT, id)) !== undefined) continue;
  const platforms = { x: { value: 'a', flags: {} } };
  await store.addRule({ id, accountId: ACCOUNT, name: id, intent: '', createdAt: new Date(), platforms }, {});
}
for (let number = Number(from); ; number++) {
  // The one before comes again, as it does after a resume.
  const events = [number - 1, number].map(eventOf);
  try {
    await store.commit({ platform: 'x', at: new Date(), events, cursor: { name: 'x', value: `${number}` } });
    await store.logCertificate(entryHash(`certificate ${number}`).toString('base64url'), new Date());
    writeSync(1, `${number}\n`);
  } catch (error) {
    writeSync(1, `${error instanceof StoreError && error.retryable ? error.reason : String(error)}\n`);
    process.exit(1);
  }
}

function eventOf(number: number): CommitEvent {
  const payload = { data: { id: `${number}`, text: 'storm '.repeat(300) } };
  const matches = RULES.map((ruleId) => ({ ruleId, version: 1, highlights: [] }));
  return { event: { platform: 'x', postId: `${number}`, payload, accountId: undefined }, matches };
}
