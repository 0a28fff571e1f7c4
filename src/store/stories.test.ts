/** The stories are the same, whatever the database, the number of nodes, and where a process ended. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { accountNamed, addOther, at, eventOf, range, ruleOf, stage } from '../../test/conformance/store/stage.ts';
import { expectOneBook, FIRE, inOrder } from '../../test/conformance/store/stories.ts';
import { startPostgresWithTables, type TestPostgres } from '../../test/stages/postgres.ts';
import type { Account } from '../domain/account.ts';
import { positionAt } from './order.ts';
import { openPostgres } from './postgres.ts';
import { connect } from './sqlite/connection.ts';
import { migrate } from './sqlite/migrate.ts';
import { openSqlite } from './sqlite.ts';
import { SQLITE_STEPS } from './steps.ts';
import type { CommitEvent, NewRule, Store } from './store.ts';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_115);

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
const folder = mkdtempSync(join(tmpdir(), 'sluice-stories-'));
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface World {
  readonly accounts: readonly Account[];
  readonly rules: readonly NewRule[];
}

interface Step {
  readonly platform: 'x' | 'firehose';
  readonly events: readonly CommitEvent[];
}

const WORDS = range(300).map((index) => `word${index}`);

/** Commits about many stories; one event in ten came before. Two accounts see the same events by different rules. */
function steps({ rules }: World, count: number): Step[] {
  const random = randomFrom(SEED);
  const pick = (below: number) => Math.floor(random() * below);
  const topics = range(200).map(() => range(9).map(() => WORDS[pick(WORDS.length)]!));
  const texts: string[] = [];
  return range(count).map(() => {
    const platform = random() < 0.7 ? 'x' : 'firehose';
    const events = range(1 + pick(20)).map(() => {
      const post = random() < 0.1 && texts.length > 0 ? pick(texts.length) : texts.length;
      texts[post] ??= topics[pick(topics.length)]!.filter(() => random() < 0.7).join(' ') || 'nothing';
      const matched = rules.filter(() => random() < 0.7);
      return eventOf(`post ${post}`, matched, { platform, text: texts[post] });
    });
    return { platform, events };
  });
}

async function worldOf(store: Store): Promise<World> {
  const accounts: Account[] = [];
  const rules: NewRule[] = [];
  const first = await stage(async () => store);
  const other = await addOther(store);
  accounts.push(first.account, other.account);
  rules.push(first.rule, other.rule);
  return { accounts, rules };
}

const commit = (store: Store, index: number, { platform, events }: Step) =>
  store.commit({ platform, at: at((index + 1) * 120_000), events });

const told = async (store: Store, { accounts }: World) =>
  Promise.all(
    accounts.map(async ({ id }) =>
      (await inOrder(store, id)).map(({ position, platformPostId, storyId, storyFirst }) =>
        [position, platformPostId, storyId, storyFirst].join(' '),
      ),
    ),
  );

describe(`stories, seed ${SEED}`, () => {
  it('are the same in memory, in a file that is opened again and again, and on two nodes in turns', async () => {
    const random = randomFrom(SEED + 1);
    await using memory = await openSqlite(':memory:');
    const world = await worldOf(memory);
    const file = join(folder, 'again.db');
    const url = await server!.newDatabase();
    let again = await openSqlite(file);
    await using one = await openPostgres(url);
    let two = await openPostgres(url);
    for (const store of [again, one]) {
      for (const account of world.accounts) await store.addAccount(account);
      for (const rule of world.rules) await store.addRule(rule, {});
    }
    const plan = steps(world, 100);
    for (const [index, step] of plan.entries()) {
      await commit(memory, index, step);
      await commit(again, index, step);
      await commit(random() < 0.5 ? one : two, index, step);
      if (index % 23 === 22) {
        await again[Symbol.asyncDispose]();
        again = await openSqlite(file);
        await two[Symbol.asyncDispose]();
        two = await openPostgres(url);
      }
    }
    const expected = await told(memory, world);
    expect(await told(again, world)).toEqual(expected);
    expect(await told(one, world)).toEqual(expected);
    // Everything once more changes nothing.
    for (const [index, step] of plan.slice(-20).entries()) {
      await commit(again, 200 + index, step);
      await commit(two, 200 + index, step);
    }
    expect(await told(again, world)).toEqual(expected);
    expect(await told(two, world)).toEqual(expected);
    for (const { id } of world.accounts) expectOneBook(await inOrder(memory, id));
    await again[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
  });

  it('are those of one book when two nodes commit at the same time', async () => {
    const url = await server!.newDatabase();
    await using one = await openPostgres(url);
    await using two = await openPostgres(url);
    const world = await worldOf(one);
    const plan = steps(world, 60);
    for (let from = 0; from < plan.length; from += 6)
      await Promise.all(
        plan.slice(from, from + 6).map((step, index) => commit(index % 2 === 0 ? one : two, from, step)),
      );
    for (const { id } of world.accounts) expectOneBook(await inOrder(one, id));
  });

  it('are decided as if a commit that was rolled back had never been', async () => {
    const file = join(folder, 'refused.db');
    await using store = await openSqlite(file);
    const world = await worldOf(store);
    using db = new DatabaseSync(file);
    for (const [index, step] of steps(world, 30).entries()) {
      db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON matches BEGIN SELECT RAISE(ABORT, 'refused'); END`);
      const refused = commit(store, index, step);
      await refused.catch(() => {});
      db.exec('DROP TRIGGER refuse');
      await commit(store, index, step);
    }
    for (const { id } of world.accounts) expectOneBook(await inOrder(store, id));
  });

  it('are none of matches that were stored before, and begin with the next', async () => {
    const file = join(folder, 'old.db');
    const before = SQLITE_STEPS.findIndex(({ name }) => name === '0008-stories');
    const old = connect(file);
    migrate(old, SQLITE_STEPS.slice(0, before));
    const account = accountNamed('one');
    const rule = ruleOf(account);
    old.exec(
      `INSERT INTO accounts VALUES (1, '${account.id}', '"one"', 'paid', 25, 0, NULL, NULL);
       INSERT INTO rules (number, id, account, version, paused, deleted, created_at, name, intent)
         VALUES (1, '${rule.id}', 1, 1, 0, 0, 0, '"r"', '""');
       INSERT INTO rule_platforms (rule, platform, holding, status, flags, value) VALUES (1, 'x', 1, 'active', '{}', '"v"');
       INSERT INTO events (number, platform, account, post_id, payload) VALUES (1, 'x', 0, '"old"', '{"data":{"text":"${FIRE[0]}"}}');
       INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights)
         VALUES (${positionAt(at(0).getTime())}, 1, 'x', 1, 1, 1, '${'0'.repeat(19)}', '[]');
       UPDATE state SET value = ${positionAt(at(0).getTime())} WHERE name = 'latest'`,
    );
    old.close();
    await using store = await openSqlite(file);
    await store.commit({ platform: 'x', at: at(1_000), events: [eventOf('new', [rule], { text: FIRE[1]! })] });
    const [stored, added] = await inOrder(store, account.id);
    expect([stored!.storyId, stored!.storyFirst]).toEqual([undefined, undefined]);
    expect(added).toMatchObject({ storyFirst: true, storyId: expect.stringMatching(/^st_/) });
    expect((await store.stories({ accountId: account.id, limit: 9 })).stories).toMatchObject([{ size: 1 }]);
    expect(await store.deleteMatches(account.id, 'x', 'old')).toBe(1);
  });
});
