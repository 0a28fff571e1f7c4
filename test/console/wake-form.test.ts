/** Quiet hours, digests and rules over time are edited where a webhook is, and rehearsed before they are saved. */
import { expect, it } from 'vitest';
import { problemsEverywhere } from './axe.ts';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

const post = (id: number, text: string) => ({
  data: { id: String(id), text, author_id: String(id % 3) },
  includes: { users: [0, 1, 2].map((at) => ({ id: String(at), username: `user${at}`, name: `User ${at}` })) },
});
const rule = (name: string, x: string) => ({ name, intent: '', platforms: ['x'], overrides: { x } });

consoleSuite('the wakes of a webhook', () => {
  it('take quiet hours, a digest and terms over time, and are rehearsed on what is stored', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.call('POST', '/api.CreateRule', rule('Storms', 'storm'));
    const other = await server.call('POST', '/api.CreateRule', rule('Calm', 'calm'));
    await server.push(
      'x',
      Array.from({ length: 6 }, (_, at) => post(at + 1, `storm number ${at}`)),
    );
    await visit.go('/connect?to=webhook');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    // What most receivers do not have is not asked for.
    await dialog.getByLabel('URL').fill('nats://broker.example:4222/storms');
    await dialog.getByLabel('Credential').waitFor();
    await dialog.getByLabel('URL').fill('https://receiver.example/hook');
    await dialog.getByLabel('Credential').waitFor({ state: 'detached' });
    expect(await dialog.getByRole('checkbox').filter({ visible: true }).count()).toBe(0);
    await dialog.getByText('Quiet hours, summaries and rules over time').click();
    await dialog.getByLabel('Only when').selectOption('there are several within a time');
    await dialog.getByLabel('How many').fill('3');
    await dialog.getByLabel('Of what').selectOption('author');
    const rehearsal = dialog.getByRole('region', { name: 'Try it on the past' });
    await rehearsal.getByRole('button', { name: 'Try it' }).click();
    await rehearsal
      .getByText(/^6 matches: it would have told you [1-9] times? and kept \d match(es)? for \d summar/)
      .waitFor();

    // A term that needs another rule is not saved without it.
    await dialog.getByLabel('Only when').selectOption('another rule does not follow');
    await dialog.getByRole('button', { name: 'Create webhook' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Choose the other rule of “Only when”.').first().waitFor();
    await dialog.getByLabel('The other rule').selectOption('Calm');
    await dialog.getByRole('checkbox', { name: /^Quiet hours/ }).check();
    await dialog.getByLabel('From').fill('21:30');
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    for (const day of ['Saturday', 'Sunday']) await dialog.getByRole('checkbox', { name: day }).uncheck();
    await dialog.getByRole('checkbox', { name: /^Send the summary at/ }).check();
    await dialog.getByRole('checkbox', { name: /^Send the summary as soon/ }).check();
    await dialog.getByLabel('Matches that wait').fill('50');
    expect(await problemsEverywhere(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    const { body } = await server.call('GET', '/api.ListWebhooks');
    expect(body['webhooks']).toMatchObject([
      {
        wake: {
          per: 'match',
          quiet: { from: '21:30', to: '07:00', zone: 'Europe/Berlin', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
          digest: { at: '08:00', when_waiting: 50 },
          when: { within: '1h', without: other.body['rule_id'] },
        },
      },
    ]);
    expect(visit.complaints).toEqual([]);
  });

  it('stand beside notices of trouble, which have kinds and quiet hours of their own', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const listed = async () => (await server.call('GET', '/api.ListWebhooks')).body['webhooks'];
    await visit.go('/connect?to=webhook');
    await page.getByRole('button', { name: 'Notices of trouble' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('https://receiver.example/trouble');
    // Matches are not what it is for: nothing is asked about them.
    expect(await dialog.getByLabel('Send', { exact: true }).count()).toBe(0);
    for (const kind of ['Rules gone quiet', 'Deleted rules'])
      await dialog.getByRole('checkbox', { name: kind }).click();
    await dialog.getByRole('checkbox', { name: /^Quiet hours/ }).check();
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])
      await dialog.getByRole('checkbox', { name: day }).uncheck();
    expect(await problemsEverywhere(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const quiet = { from: '22:00', to: '07:00', zone: 'Europe/Berlin', days: ['sun', 'sat'] };
    const kinds = ['source', 'silence', 'limit', 'webhook', 'upstream'];
    expect(await listed()).toMatchObject([{ events: ['operational'], notices: { kinds, quiet } }]);
    await page.getByText(/^Notices about sources, .*not from 22:00 to 07:00 on Sunday, Saturday/).waitFor();

    // The form has what is stored, and takes it away again.
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    expect(await dialog.getByRole('checkbox', { name: 'Deleted rules' }).isChecked()).toBe(false);
    await dialog.getByRole('checkbox', { name: /^Notices/ }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Choose what this webhook notifies of.').first().waitFor();
    await dialog.getByRole('checkbox', { name: /^Matches/ }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [webhook] = (await listed()) as object[];
    expect(webhook).toMatchObject({ events: ['match'] });
    expect(webhook).not.toHaveProperty('notices');
    expect(visit.complaints).toEqual([]);
  });

  it('are written as a template says, which is shown with the newest match and refused where it is wrong', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.call('POST', '/api.CreateRule', rule('Storms', 'storm'));
    await server.push('x', [post(1, 'storm over <!channel> Lima')]);
    await visit.go('/connect?to=webhook');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    // Programs read JSON: it has no message.
    expect(await dialog.getByText('Write the message yourself').count()).toBe(0);
    await dialog.getByLabel('Format').selectOption('slack');
    await dialog.getByLabel('URL').fill('https://hooks.slack.com/services/T0/B0/abc');
    await dialog.getByText('Write the message yourself').click();
    const message = dialog.getByLabel('Message');
    await message.fill('{{ rule }} says {{ nothing }}');
    await dialog.getByText(/`nothing`/).waitFor();
    await message.fill('{{ rule }} says {{ text }}');
    const preview = dialog.getByRole('region', { name: 'Preview of the message' });
    await preview.getByText('Storms says storm over &lt;!channel&gt; Lima').waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    const listed = async () => (await server.call('GET', '/api.ListWebhooks')).body['webhooks'];
    await expect.poll(listed).toMatchObject([{ format: 'slack', template: '{{ rule }} says {{ text }}' }]);
    expect(visit.complaints).toEqual([]);
  });

  it('says with how many of very many rules they are rehearsed', async () => {
    await using visit = await openConsole();
    const { page, server, context } = visit;
    const { body } = await server.call('POST', '/api.CreateRule', rule('Storms', 'storm'));
    const { body: one } = await server.call('GET', `/api.GetRule?rule_id=${String(body['rule_id'])}`);
    // A hundred and one rules, of which the server has one: it is the list of the page that is long.
    const many = Array.from({ length: 101 }, (_, at) => ({ ...one, id: at === 0 ? body['rule_id'] : `rule_${at}` }));
    await context.route('**/api.ListRules', (route) => route.fulfill({ json: { rules: many } }));
    await visit.go('/connect?to=webhook');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Quiet hours, summaries and rules over time').click();
    const rehearsal = dialog.getByRole('region', { name: 'Try it on the past' });
    await dialog.getByLabel('Only when').selectOption('there are several within a time');
    await rehearsal.getByText('It is tried with the first 100 of 101 rules.').waitFor();
  });
});
