import { describe, expect, it } from 'vitest';
import { copyOf, parquetAddress } from './copy-as.ts';
import { addressOf, queryOf, searchOf, viewShown } from './views.ts';

describe('a saved view', () => {
  it('is the filter as it stands in the address, in whatever order it was chosen', () => {
    const query = queryOf({ text: 'lava & ash', author: 'mara' });
    expect(query).toBe('author=mara&text=lava+%26+ash');
    expect(queryOf({ author: 'mara', text: 'lava & ash' })).toBe(query);
    expect(searchOf(query)).toEqual({ author: 'mara', text: 'lava & ash' });
    expect(addressOf('http://localhost:4800/', query)).toBe(`http://localhost:4800/#/matches?${query}`);
    expect(addressOf('', '')).toBe('#/matches');
  });

  it('is recognised when its filter is chosen by hand', () => {
    const views = [{ name: 'Lava', query: 'text=lava&author=mara' }];
    expect(viewShown(views, { author: 'mara', text: 'lava' })?.name).toBe('Lava');
    expect(viewShown(views, { text: 'lava' })).toBeUndefined();
  });
});

describe('a filter for programs', () => {
  const filter = { author: "o'hara", since: '2026-11-01T00:00:00.000Z' };

  it('is a command with one word for each value', () => {
    expect(copyOf('cli', 'http://localhost:4800/', filter)).toBe(
      [
        `SLUICE_URL='http://localhost:4800/' SLUICE_API_KEY="$KEY" sluice matches --json`,
        `--since '2026-11-01T00:00:00.000Z'`,
        `--author 'o'\\''hara'`,
      ].join(' \\\n  '),
    );
  });

  it('is the address of a file', () => {
    const address = new URL(parquetAddress('http://localhost:4800/sluice/', filter, 'tick&et'));
    expect(address.pathname).toBe('/sluice/export');
    expect(Object.fromEntries(address.searchParams)).toEqual({ ...filter, format: 'parquet', ticket: 'tick&et' });
  });

  it('is a program of the client', () => {
    const program = copyOf('client', 'http://localhost:4800/', filter);
    expect(program).toContain(`client.matches.pages(${JSON.stringify(filter, null, 2)})`);
    expect(program).not.toContain('sk_');
  });
});
