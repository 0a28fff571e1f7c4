import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, ruleOf } from '../../../test/conformance/store/stage.ts';
import { openSqlite } from '../sqlite.ts';
import type { Store } from '../store.ts';
import { connect } from './connection.ts';
import { liveRules } from './live-rules.ts';
import { sqlOf } from './sql.ts';

const ACCOUNT = { id: 'acct_one', name: 'one', plan: 'paid', xRules: 25, createdAt: at(0) } as const;
const RULE = ruleOf(ACCOUNT, { id: 'rule_a', platforms: { x: { value: 'storm', flags: {} } } });

describe('the rules that a commit may store matches of', () => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-live-'));
    store = await openSqlite(join(folder, 'sluice.db'));
    await store.addAccount(ACCOUNT);
    await store.addRule(RULE, {});
  });
  afterAll(async () => {
    await store[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** The connection of a writer, and how often it has looked for a rule. */
  function stand() {
    const sql = sqlOf(connect(join(folder, 'sluice.db')));
    let looks = 0;
    const counted: typeof sql = {
      ...sql,
      row<Row>(text: string, values?: readonly SQLInputValue[] | Readonly<Record<string, SQLInputValue>>) {
        if (text.includes('FROM rules')) looks++;
        return sql.row<Row>(text, values);
      },
    };
    const rules = liveRules(counted);
    const seen = (): boolean => {
      rules.watch();
      rules.begin();
      return rules.get(RULE.id) !== undefined;
    };
    return {
      sql,
      rules,
      seen,
      looks: () => looks,
      [Symbol.dispose]: () => sql.file.close(),
    };
  }

  it('are looked for once while this connection writes other things', () => {
    using test = stand();
    expect([test.seen(), test.looks()]).toEqual([true, 1]);
    test.sql.run(`UPDATE state SET value = value WHERE name = 'latest'`);
    test.sql.run('UPDATE rules SET relevance_version = relevance_version + 1');
    expect([test.seen(), test.seen(), test.looks()]).toEqual([true, true, 1]);
  });

  it.each([
    ['a deleted rule', 'UPDATE rules SET deleted = 1', 'UPDATE rules SET deleted = 0'],
    ['a paused rule', 'UPDATE rules SET paused = 1', 'UPDATE rules SET paused = 0'],
    [
      'the rule of a suspended account',
      'UPDATE accounts SET suspended_at = 5',
      'UPDATE accounts SET suspended_at = NULL',
    ],
  ])('do not have %s any more when this connection has written that', (_, change, back) => {
    using test = stand();
    expect(test.seen()).toBe(true);
    test.sql.run(change);
    expect(test.seen()).toBe(false);
    test.sql.run(back);
    expect(test.seen()).toBe(true);
  });

  it('have the version that this connection has written', () => {
    using test = stand();
    expect(test.seen()).toBe(true);
    const before = test.rules.get(RULE.id)!.version;
    test.sql.run('UPDATE rules SET version = version + 1');
    expect(test.rules.get(RULE.id)!.version).toBe(before + 1);
  });

  it('are looked for again when another connection has written', async () => {
    using test = stand();
    expect(test.seen()).toBe(true);
    await store.changeRule(ACCOUNT.id, RULE.id, { paused: true });
    expect(test.seen()).toBe(false);
    await store.changeRule(ACCOUNT.id, RULE.id, { paused: false });
    expect(test.seen()).toBe(true);
  });
});
