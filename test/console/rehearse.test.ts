import { expect, it } from 'vitest';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('rehearsals', () => {
  it('are started beside the editor, show what they found, and are there after a reload', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const posts = [1, 2, 3].map((number) => ({ data: { id: String(number), text: `storm ${number}`, lang: 'en' } }));
    await server.push('x', [...posts, { data: { id: '4', text: 'calm', lang: 'en' } }]);
    const { body } = await server.call('POST', '/api.CreateRule', {
      name: 'Storms',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'storm lang:en' },
    });
    await visit.go(`/rules/${body['rule_id'] as string}?tab=edit`);
    const found = page.getByText('3 matches in', { exact: false });
    await page.getByRole('button', { name: 'Try it' }).click();
    await found.waitFor();
    await page.getByRole('img', { name: /Matches in the past/ }).waitFor();
    await page.getByRole('list', { name: 'Near misses in the past' }).getByText('storm').waitFor();
    await page.reload();
    await found.waitFor();
    expect((await server.call('GET', '/api.ListRehearsals')).body).toMatchObject({ rehearsals: [{ status: 'done' }] });
    expect(visit.complaints).toEqual([]);
  });
});
