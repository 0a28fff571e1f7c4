import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedJson } from '../../test/stages/shared-data.ts';
import { decodeName, encodeText } from './rows/texts.ts';
import { openSqlite } from './sqlite.ts';

const NOW = new Date('2026-11-15T08:00:00Z');
const ACCOUNT = { id: 'acct_one', name: 'one', plan: 'paid', xRules: 9, createdAt: NOW } as const;

describe.runIf(hasSharedData)('shared: hostile strings in the store', () => {
  it.each([
    'security/sql-injection.json',
    'security/markup-and-format-strings.json',
    'conformance/strings/naughty-strings.json',
  ])('%s come back as they were', async (path) => {
    const texts = [...new Set(sharedJson<string[]>(path))];
    await using store = await openSqlite(':memory:');
    await store.addAccount(ACCOUNT);
    for (const [index, text] of texts.entries()) {
      const id = `rule_${index}`;
      // Signs that nobody can see in a name are written out.
      const name = decodeName(encodeText(text));
      const platforms = { x: { value: text, flags: {} } };
      await store.addRule({ id, accountId: ACCOUNT.id, name: text, intent: text, createdAt: NOW, platforms }, {});
      const event = { platform: 'x', postId: text, payload: { [text]: text }, accountId: undefined } as const;
      const matches = [{ ruleId: id, version: 1, highlights: [] }];
      expect(await store.commit({ platform: 'x', at: NOW, events: [{ event, matches }] })).toMatchObject({ added: 1 });
      expect(await store.rule(ACCOUNT.id, id)).toMatchObject({ name, intent: text, platforms });
      const page = await store.matches({ accountId: ACCOUNT.id, ruleId: id, limit: 2 });
      expect(page.matches).toMatchObject([{ platformPostId: text, ruleName: name, payload: event.payload }]);
      expect(await store.rule(text, text)).toBeUndefined();
    }
    const { matches } = await store.matches({ accountId: ACCOUNT.id, limit: 1000 });
    expect(matches).toHaveLength(texts.length);
  });
});
