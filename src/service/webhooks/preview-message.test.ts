import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';

const storm = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const SLACK = { url: 'https://hooks.slack.example/1', format: 'slack' };

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  await test.call(alice, 'createRule', storm);
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
  };
  return Object.assign(test, { alice, push });
}

describe('preview message', () => {
  it('writes the newest match, or the one that is named, and says which', async () => {
    await using test = await stage();
    await test.push('a storm <1>');
    await test.push('a storm <2>');
    const { matches } = await test.call(test.alice, 'listMatches');
    const ask = (more: object) =>
      test.call(test.alice, 'previewMessage', { format: 'slack', template: '*{{ rule }}*: {{ text }}', ...more });
    expect(await ask({})).toEqual({
      text: '*Storms*: a storm &lt;2\u200b&gt;',
      match_id: matches[0]!.id,
      sample: false,
    });
    const { text, match_id } = await ask({ match_id: matches[1]!.id, format: 'telegram' });
    expect([text, match_id]).toEqual(['*Storms*: a storm &lt;1&gt;', matches[1]!.id]);
    await expect(ask({ match_id: 'match_none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('invents a match where the account has none, and says so', async () => {
    await using test = await stage();
    const eve = await test.caller('eve');
    await test.push('a storm');
    const answer = await test.call(eve, 'previewMessage', { format: 'ntfy', template: '{{ author }} {{ text }}' });
    expect(answer).toMatchObject({ match_id: null, sample: true, text: expect.stringContaining('The volcano') });
  });

  it('writes a digest of the newest matches', async () => {
    await using test = await stage();
    await test.push('a storm in Oslo with rain', 'another storm hits Peru');
    const template = '{{ match_count }}:{% for story in stories %} {{ story.title | truncate: 12, "" }};{% endfor %}';
    const { text } = await test.call(test.alice, 'previewMessage', { format: 'teams', template, digest: true });
    expect(text).toBe('2: another stor; a storm in O;');
  });

  it.each([
    ['{{ autor }}', 'There is no field `autor`.', { start: 3, end: 8 }],
    ['{{ time | date: "%H", "No/Where" }}', 'There is no such time zone.', undefined],
    [`{{ text }}${'x'.repeat(3_500)}`, 'the channel takes 3000', undefined],
  ])('refuses what cannot be sent: %s', async (template, message, position) => {
    await using test = await stage();
    await expect(test.call(test.alice, 'previewMessage', { format: 'slack', template })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: {
        issues: [{ path: 'template', message: expect.stringContaining(message), ...(position && { position }) }],
      },
    });
  });
});

describe('the template of a webhook', () => {
  it('is stored, shown, noted, changed and taken away', async () => {
    await using test = await stage();
    const { alice } = test;
    const { webhook_id, template } = await test.call(alice, 'createWebhook', { ...SLACK, template: '{{ text }}' });
    expect(template).toBe('{{ text }}');
    const shown = async () => (await test.call(alice, 'listWebhooks')).webhooks[0]!.template;
    await test.call(alice, 'updateWebhook', { webhook_id, description: 'News' });
    expect(await shown()).toBe('{{ text }}');
    await test.call(alice, 'updateWebhook', { webhook_id, template: '{{ rule }}' });
    expect(await shown()).toBe('{{ rule }}');
    await test.call(alice, 'updateWebhook', { webhook_id, template: null });
    expect(await shown()).toBeUndefined();
    const { changes } = await test.call(alice, 'listChanges', { kind: 'webhook' });
    // A field that stays is not in a note.
    expect(changes.map(({ after }) => after?.['template'])).toEqual([null, '{{ rule }}', undefined, '{{ text }}']);
  });

  it('is refused with its place, and where the format takes none', async () => {
    await using test = await stage();
    const { alice } = test;
    const issues = (input: object) =>
      test.call(alice, 'createWebhook', { ...SLACK, ...input }).then(
        () => [],
        (error: { details: { issues: object[] } }) => error.details.issues,
      );
    expect(await issues({ template: 'a {{ autor }}' })).toMatchObject([
      { path: 'template', position: { start: 5, end: 10 } },
    ]);
    expect(await issues({ template: '' })).toMatchObject([{ path: 'template' }]);
    expect(await issues({ template: 'x'.repeat(4_001) })).toMatchObject([{ path: 'template' }]);
    expect(await issues({ format: 'json', template: '{{ text }}' })).toMatchObject([
      { path: 'template', message: expect.stringContaining('takes no template. These do: slack, discord,') },
    ]);
    const { webhook_id } = await test.call(alice, 'createWebhook', { ...SLACK, template: '{{ text }}' });
    await expect(test.call(alice, 'updateWebhook', { webhook_id, format: 'json' })).rejects.toMatchObject({
      details: { issues: [{ path: 'template' }] },
    });
    await expect(test.call(alice, 'updateWebhook', { webhook_id, template: '{% if %}' })).rejects.toMatchObject({
      details: { issues: [{ path: 'template', position: expect.anything() }] },
    });
    await test.call(alice, 'updateWebhook', { webhook_id, format: 'json', template: null });
  });
});

describe('the template of a feed', () => {
  it('is refused where it is wrong, and shown with the feed', async () => {
    await using test = await stage();
    const { alice } = test;
    await expect(test.call(alice, 'createFeed', { name: 'News', template: '{{ a }}' })).rejects.toMatchObject({
      details: { issues: [{ path: 'template', position: { start: 3, end: 4 } }] },
    });
    await test.call(alice, 'createFeed', { name: 'News', template: '{{ text }}' });
    expect((await test.call(alice, 'listFeeds')).feeds).toMatchObject([{ name: 'News', template: '{{ text }}' }]);
  });
});
