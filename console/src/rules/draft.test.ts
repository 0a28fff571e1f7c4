import { describe, expect, it } from 'vitest';
import { languages } from '../../../src/rules/languages.ts';
import { ownWords } from './diagnostic-list.tsx';
import { EMPTY, isDraft, obstacle, proposedName } from './draft.ts';
import { lastValid } from './use-last-valid.ts';

const spoken = languages({ local: true });
const draft = (x: string, name = '') => ({ ...EMPTY, name, texts: { x } });

describe('a rule in the editor', () => {
  it('gets a name from its text', () => {
    expect(proposedName(draft('(volcano OR lava) lang:en -is:retweet -game'))).toBe('Volcano, lava');
    expect(proposedName(draft('"status page" from:nasa'))).toBe('Status page, nasa');
    expect(proposedName({ ...EMPTY, texts: { firehose: 'title:storm AND NOT added:football' } })).toBe('Storm');
    expect(proposedName(EMPTY)).toBe('');
  });

  it('says what is in the way of saving it, of which platform', () => {
    expect(obstacle(spoken, draft('', 'Storms'))).toBe('Write the rule for X posts first.');
    expect(obstacle(spoken, draft('storm OR', 'Storms'))).toBe('Fix the errors in the rule for X posts first.');
    expect(obstacle(spoken, draft('storm'))).toBe('Enter a name first.');
    expect(obstacle(spoken, draft('storm', 'Storms'))).toBeUndefined();
  });

  it('keeps the preview of its last valid text while a letter makes it invalid', () => {
    expect(lastValid({ x: 'storm' }, {}, { x: 'storm OR ' })).toEqual({ x: 'storm' });
    expect(lastValid({ x: 'storm' }, { x: 'storm rain' }, { x: 'storm rain' })).toEqual({ x: 'storm rain' });
    expect(lastValid({ x: 'storm' }, {}, { x: ' ' })).toEqual({});
    expect(lastValid({ x: 'storm', firehose: 'a' }, { x: 'storm' }, { x: 'storm' })).toEqual({ x: 'storm' });
  });

  it('is read back from the browser only if it is one', () => {
    expect(isDraft(JSON.parse(JSON.stringify(draft('storm'))))).toBe(true);
    for (const value of [null, 1, {}, { ...EMPTY, texts: { bluesky: 'a' } }, { ...EMPTY, texts: { x: 1 } }])
      expect(isDraft(value)).toBe(false);
  });

  it('says what to do before what the platform says', () => {
    const [first] = spoken.x.parse('storm OR').diagnostics;
    const words = ownWords(first!.message, first!.wording);
    expect(words).toBe(
      'Nothing stands on one side of OR, or inside the parentheses; add a clause there or remove them.',
    );
    expect(first!.wording).toContain('no viable alternative');
  });
});
