/**
 * Everything that a caller can make larger of each operation is made as bad as it gets. An operation without a line
 * here does not compile. A line is a list of cases, or the reason why nothing about the operation grows.
 */
import { LONGEST_TEMPLATE } from '../../src/delivery/templates/template.ts';
import type { OperationName } from '../../src/service/operations.ts';
import { HARD_MARKS } from '../generated/marks.ts';
import {
  alertsOf,
  deliveriesOf,
  distinct,
  everyText,
  explain,
  explained,
  feedsOf,
  grown,
  keysOf,
  type Line,
  listOf,
  longMatches,
  matchesOf,
  nothing,
  owedMatches,
  PAGE_LENGTH,
  patterns,
  pausedWebhook,
  pushed,
  RULE_LENGTH,
  recentPages,
  ruleInput,
  rulesOf,
  silencesOf,
  sourceOptions,
  sourcesOf,
  viewsOf,
  webhooksOf,
} from './grown.ts';
import { filled, TEMPLATES } from './hard-texts.ts';

export const OPERATION_CASES: Record<OperationName, Line> = {
  createRule: {
    'the length of the text': everyText(RULE_LENGTH, (account, platform, value) =>
      account.ask('createRule', ruleInput(platform, value)),
    ),
    'rules that are there': grown(400, rulesOf, (account) =>
      account.ask('createRule', ruleInput('firehose', 'title:new')),
    ),
  },
  updateRule: {
    'the length of the text': everyText(RULE_LENGTH, async (account, platform, value) => {
      const created = (await account.ask('createRule', ruleInput(platform, 'lava'))) as { rule_id: string };
      await account.ask('updateRule', { rule_id: created.rule_id, overrides: { [platform]: value } });
    }),
    'matches that are there': grown(400, matchesOf, (account, rule_id) =>
      account.ask('updateRule', { rule_id, overrides: { firehose: 'title:ash' } }),
    ),
  },
  validateRule: {
    'the length of the text': everyText(8 * RULE_LENGTH, (account, platform, value) =>
      account.ask('validateRule', { platform, value }),
    ),
    'the length of the event': grown(PAGE_LENGTH, nothing, (account, _, size) =>
      account.ask('validateRule', {
        platform: 'firehose',
        value: '"a1 a1 a1 a1 a1 a1 a1 zz"~40 OR *a?*b* OR ab1~2',
        event: { id: '1', added: filled('a1 ', size) },
      }),
    ),
    'the marks of a post': grown(16 * 1024, nothing, (account, _, size) =>
      account.ask('validateRule', {
        platform: 'x',
        value: 'volcano',
        event: { data: { id: '1', text: `b${filled(HARD_MARKS[0]!, size)}` } },
      }),
    ),
    'the patterns, on a long event': grown(256, nothing, (account, _, size) =>
      account.ask('validateRule', {
        platform: 'firehose',
        value: patterns(size),
        event: { id: '1', added: distinct(16 * 1024) },
      }),
    ),
  },
  previewRule: {
    'the length of the text': everyText(RULE_LENGTH, (account, platform, value) =>
      account.ask('previewRule', { platforms: [platform], overrides: { [platform]: value } }),
    ),
    'the recent events': grown(400, recentPages, (account) =>
      account.ask('previewRule', { platforms: ['firehose'], overrides: { firehose: patterns(50) } }),
    ),
  },
  nearMisses: {
    'the length of the text': everyText(RULE_LENGTH, (account, platform, value) =>
      account.ask('nearMisses', { platform, value }),
    ),
    'the recent events': grown(400, recentPages, (account) =>
      account.ask('nearMisses', { platform: 'firehose', value: 'almost AND missing AND title:almost' }),
    ),
    'the clauses, on some recent events': grown(
      256,
      (account) => recentPages(account, 20),
      (account, _, size) =>
        account.ask('nearMisses', {
          platform: 'firehose',
          value: listOf(size, (index) => `almost${index}`).join(' AND '),
        }),
    ),
  },
  explainEvent: {
    'the recent events': grown(
      400,
      async (account, size) => {
        await recentPages(account, size);
        return account.rule('almost AND missing AND title:almost');
      },
      (account, rule_id) => account.ask('explainEvent', { rule_id, text: 'almost nowhere' }),
    ),
  },
  translateRule: {
    'the length of the text': everyText(RULE_LENGTH, (account, platform, value) =>
      account.ask('translateRule', { platform, value }),
    ),
  },
  rehearseRule: {
    'the length of the text': everyText(RULE_LENGTH, (account, platform, value) =>
      account.ask('rehearseRule', { platforms: [platform], overrides: { [platform]: value } }).catch((error) => error),
    ),
  },
  getRehearsal: {
    'the length of the text': everyText(RULE_LENGTH, async (account, platform, value) => {
      const texts = { platforms: [platform], overrides: { [platform]: value } };
      const started = await account.ask('rehearseRule', texts).catch(() => undefined);
      const { id } = (started ?? { id: 'reh_unknown' }) as { id: string };
      await account.ask('getRehearsal', { rehearsal_id: id }).catch((error) => error);
    }),
  },
  listRehearsals: 'an account has at most 23',
  cancelRehearsal: 'it writes one row',
  certify: {
    'the matches': grown(400, matchesOf, (account, rule_id) =>
      account
        .ask('certify', {
          rule_id: rule_id as string,
          from: new Date(Date.now() - 3_600_000).toISOString(),
          to: new Date(Date.now() - 1_000).toISOString(),
        })
        .catch((error: unknown) => error),
    ),
  },
  explainMatch: {
    'the length of the page': grown(PAGE_LENGTH, (account, size) => explained(account, patterns(20), size), explain),
    'the patterns of the rule': grown(256, (account, size) => explained(account, patterns(size), 16 * 1024), explain),
  },
  listRules: { 'the rules': grown(400, rulesOf, (account) => account.ask('listRules')) },
  getRule: {
    'rules that are there': grown(400, rulesOf, (account, ids) =>
      account.ask('getRule', { rule_id: (ids as string[]).at(-1)! }),
    ),
  },
  deleteRule: {
    // One rule for each run: what is deleted once is gone.
    'the matches': grown(400, nothing, async (account, _, size) => {
      const rule_id = await matchesOf(account, size);
      await account.ask('deleteRule', { rule_id });
    }),
  },
  restoreRule: {
    'the matches': grown(400, matchesOf, async (account, rule_id) => {
      await account.ask('deleteRule', { rule_id });
      await account.ask('restoreRule', { rule_id });
    }),
    'deleted rules that are there': grown(
      400,
      async (account, size) => {
        const ids = await rulesOf(account, size);
        for (const rule_id of ids.slice(1)) await account.ask('deleteRule', { rule_id });
        return ids[0];
      },
      async (account, rule_id) => {
        await account.ask('deleteRule', { rule_id });
        await account.ask('restoreRule', { rule_id });
      },
    ),
  },
  listMatches: {
    'the matches of a page': grown(400, matchesOf, (account, rule_id, size) =>
      account.ask('listMatches', { rule_id, limit: size }),
    ),
    'the matches that a search reads': grown(400, matchesOf, (account) => account.ask('listMatches', { text: 'zzz' })),
    'the bytes of a page': grown(16 * PAGE_LENGTH, longMatches, (account) =>
      account.ask('listMatches', { limit: 1_000 }),
    ),
  },
  listStories: {
    'the stories of a page': grown(100, matchesOf, (account, rule_id, size) =>
      account.ask('listStories', { rule_id, limit: size }),
    ),
    'the matches of a story': grown(400, matchesOf, (account) => account.ask('listStories', { limit: 200 })),
  },
  matchCounts: {
    'the intervals': grown(2_000, matchesOf, (account, _, size) =>
      account.ask('matchCounts', {
        interval: 'minute',
        from: new Date(Date.now() - (size - 2) * 60_000).toISOString(),
      }),
    ),
    'the rules': grown(96, rulesOf, (account, rule_ids) => account.ask('matchCounts', { rule_ids })),
  },
  matchFacets: {
    'the matches': grown(400, matchesOf, (account) => account.ask('matchFacets', { limit: 50 })),
    'the bytes of the matches': grown(16 * PAGE_LENGTH, longMatches, (account) => account.ask('matchFacets', {})),
  },
  ruleOverlap: {
    'the matches': grown(400, matchesOf, (account) => account.ask('ruleOverlap', {})),
    'the rules that an event matched': grown(
      20,
      async (account, size) => {
        const rule_ids = await rulesOf(account, size, () => 'title:lava');
        await account.pages([{ id: 'shared', title: 'lava' }]);
        return rule_ids;
      },
      (account, rule_ids) => account.ask('ruleOverlap', { rule_ids }),
    ),
  },
  rehearseWake: {
    'the matches': grown(
      400,
      async (account, size) => {
        const rule_ids = await rulesOf(account, 1, () => 'title:lava');
        await account.pages(Array.from({ length: size }, (_, index) => ({ id: `l${index}`, title: `lava ${index}` })));
        return rule_ids;
      },
      (account, rule_ids) =>
        account.ask('rehearseWake', {
          rule_ids,
          // Each match that is held fills a digest.
          wake: { per: 'match', at_most: '1/day', digest: { when_waiting: 1 } },
        }),
    ),
  },
  sendMatch: 'It sends one match, whatever the account has.',
  previewMessage: {
    'the length of the template': grown(LONGEST_TEMPLATE, nothing, async (account, _, size) => {
      for (const template of TEMPLATES)
        await account.ask('previewMessage', { format: 'telegram', template: template(size) });
    }),
  },
  draftRule: {
    'the examples': grown(100, nothing, (account, _, size) =>
      account.ask('draftRule', { platform: 'x', wanted: posts(size, 'lava'), unwanted: posts(size, 'tea') }),
    ),
    'the length of an example': grown(16 * 1024, nothing, (account, _, size) =>
      account.ask('draftRule', {
        platform: 'firehose',
        wanted: [{ id: '1', added: filled('lava ash ', size) }],
        unwanted: [{ id: '2', added: filled('tea cup ', size) }],
      }),
    ),
    'the marks of a post': grown(16 * 1024, nothing, (account, _, size) =>
      account.ask('draftRule', {
        platform: 'x',
        wanted: [{ data: { id: '1', text: `lava b${filled(HARD_MARKS[0]!, size)}` } }],
        unwanted: posts(3, 'tea'),
      }),
    ),
  },
  suggestChanges: {
    'the matches': grown(400, matchesOf, (account, rule_id) => account.ask('suggestChanges', { rule_id })),
  },
  rateMatch: {
    'the length of the page': grown(
      PAGE_LENGTH,
      (account, size) => explained(account, patterns(1), size),
      (account, match_id) => account.ask('rateMatch', { match_id, rating: 'relevant' }),
    ),
  },
  deleteMatches: {
    'the rules that the page matched': grown(
      200,
      (account, size) => rulesOf(account, size, () => 'title:lava'),
      async (account) => {
        await account.pages([{ id: 'gone', title: 'lava' }]);
        await account.ask('deleteMatches', { platform: 'firehose', platform_post_id: 'gone' });
      },
    ),
    'the recent events': grown(400, recentPages, (account) =>
      account.ask('deleteMatches', { platform: 'firehose', platform_post_id: 'p1' }),
    ),
  },
  createKey: {
    'keys that are there': grown(80, keysOf, async (account) => {
      const { id } = (await account.ask('createKey', { name: 'k' })) as { id: string };
      await account.ask('revokeKey', { key_id: id });
    }),
  },
  listKeys: { 'the keys': grown(80, keysOf, (account) => account.ask('listKeys')) },
  revokeKey: 'The case of Create Key revokes the key that it creates; at most 100 are there.',
  createFeed: {
    'feeds that are there': grown(80, feedsOf, async (account) => {
      const { feed_id } = (await account.ask('createFeed', { name: 'f' })) as { feed_id: string };
      await account.ask('deleteFeed', { feed_id });
    }),
  },
  listFeeds: { 'the feeds': grown(80, feedsOf, (account) => account.ask('listFeeds')) },
  deleteFeed: 'The case of Create Feed deletes the feed that it creates; at most 100 are there.',
  listChanges: { 'the changes': grown(400, rulesOf, (account) => account.ask('listChanges', { limit: 1_000 })) },
  listAlerts: {
    'the alerts of a page': grown(200, alertsOf, (account) => account.ask('listAlerts', { limit: 200 })),
    'the alerts of a rule': grown(400, alertsOf, (account, rule_id) =>
      account.ask('listAlerts', { rule_id, limit: 1 }),
    ),
  },
  setDemo: 'Its input is true or false.',
  suspendAccount: 'Its input is a name and a short reason.',
  resumeAccount: 'Its input is a name.',
  setAccountLimits: 'Its input is a name and ten numbers at most.',
  listUsage: 'Its input is a few words; it reads the minutes of an hour, of a hundred accounts at most.',
  listGrants: 'It has no input, and an account has at most 100 connected agents of at most 50 rules each.',
  revokeGrant: 'Its input is one id, and an account has at most 100 connected agents.',
  listSubscriptions:
    'It has no input, and an account has at most 400 live subscriptions, and what ended within a week.',
  endSubscription: 'Its input is one id.',
  listWakes: 'It has a page of deliveries, as List Deliveries has.',
  nextWake: 'Its input is a name; a wake counts 2,000 matches at most.',
  acknowledgeWake: 'Its input is one id.',
  createSession: 'It has no input. The oldest of a key’s sessions ends when there are 1,000.',
  createStreamTicket: 'It has no input. The oldest of a key’s tickets ends when there are 1,000.',
  createEntryTicket: 'It has no input. The oldest of a key’s tickets ends when there are 1,000.',
  status: {
    'rules that every event must be checked against': grown(
      400,
      (account, size) => rulesOf(account, size, (index) => `dr:[${index} TO 900]`),
      (account) => account.ask('status'),
    ),
  },
  pushEvents: {
    'the lines': pushed(4_000, (size) => filled('{"id":"1","title":"lava"}\n', size * 26)),
    'blank lines': pushed(64_000, (size) => '\n'.repeat(size)),
    'lines that are refused': pushed(16_000, (size) => '{\n'.repeat(size)),
    'the length of a line': pushed(8 * PAGE_LENGTH, (size) => JSON.stringify({ id: '1', added: distinct(size) })),
    'the marks of a post': grown(
      PAGE_LENGTH,
      (account) => account.ask('createRule', ruleInput('x', 'lava')),
      (account, _, size) => {
        const text = `lava b${filled(HARD_MARKS[0]!, size)}`;
        const line = JSON.stringify({ data: { id: crypto.randomUUID(), text } });
        return account.ask('pushEvents', { platform: 'x', lines: line });
      },
    ),
    'the rules that an event matches': grown(
      400,
      (account, size) => rulesOf(account, size, () => 'title:lava'),
      (account) => account.pages([{ id: crypto.randomUUID(), title: 'lava' }]),
    ),
    'the patterns of a rule, on a long page': grown(
      256,
      (account, size) => account.rule(`title:lava OR (added:w* AND (${patterns(size)}))`),
      (account) => account.pages([{ id: crypto.randomUUID(), title: 'lava', added: distinct(16 * 1024) }]),
    ),
  },
  platformSyntax: 'Its input names platforms, of which there are two.',
  platformValues: {
    'the length of the prefix': grown(200, nothing, (account, _, size) =>
      account.ask('platformValues', { platform: 'firehose', operator: 'page_category', prefix: filled('a', size) }),
    ),
  },
  createWebhook: {
    'the rules that it names': grown(100, rulesOf, async (account, rule_ids) => {
      const [webhook_id] = await webhooksOf(account, 1, { rule_ids });
      await account.ask('deleteWebhook', { webhook_id: webhook_id! });
    }),
    'the length of the address': grown(2_000, nothing, (account, _, size) =>
      account.ask('createWebhook', { url: `https://${filled('a.', size)}` }),
    ),
  },
  listWebhooks: { 'the webhooks': grown(96, webhooksOf, (account) => account.ask('listWebhooks')) },
  updateWebhook: {
    'the rules that it names': grown(
      100,
      async (account, size) => ({
        webhook_id: (await webhooksOf(account, 1))[0],
        rule_ids: await rulesOf(account, size),
      }),
      (account, input) => account.ask('updateWebhook', input as object),
    ),
    'the matches that it is owed': grown(400, owedMatches, (account, webhook_id) =>
      account.ask('updateWebhook', { webhook_id, description: 'other' }),
    ),
  },
  deleteWebhook: {
    'the matches that it is owed': grown(400, nothing, async (account, _, size) => {
      const webhook_id = await owedMatches(account, size);
      await account.ask('deleteWebhook', { webhook_id });
    }),
  },
  testWebhook: 'It sends one made-up match, whatever the account has.',
  listDeliveries: {
    'the deliveries': grown(200, deliveriesOf, (account, webhook_id, size) =>
      account.ask('listDeliveries', { webhook_id, limit: size }),
    ),
  },
  webhookStats: {
    'the deliveries': grown(200, deliveriesOf, (account, webhook_id) => account.ask('webhookStats', { webhook_id })),
  },
  createView: {
    'views that are there': grown(160, viewsOf, async (account) => {
      const { view_id } = (await account.ask('createView', { name: 'v', query: '' })) as { view_id: string };
      await account.ask('deleteView', { view_id });
    }),
  },
  listViews: { 'the views': grown(160, viewsOf, (account) => account.ask('listViews')) },
  deleteView: 'The case of Create View deletes the view that it creates; at most 200 are there.',
  createSilence: {
    'silences that hold': grown(80, silencesOf, async (account) => {
      const until = new Date(Date.now() + 86_400_000).toISOString();
      const { silence_id } = (await account.ask('createSilence', { until, reason: 'r' })) as { silence_id: string };
      await account.ask('endSilence', { silence_id });
    }),
  },
  listSilences: { 'the silences': grown(80, silencesOf, (account) => account.ask('listSilences')) },
  endSilence: 'The case of Create Silence ends the silence that it creates; at most 100 hold.',
  createSource: {
    'sources that are there': grown(160, sourcesOf, async (account) => {
      const options = { urls: ['https://sources.example/feed'] };
      const made = (await account.ask('createSource', { kind: 'feeds', name: 's', options })) as { source_id: string };
      await account.ask('deleteSource', { source_id: made.source_id });
    }),
    ...sourceOptions((account, input) => account.ask('createSource', { ...input, name: 's' })),
  },
  listSources: { 'the sources': grown(160, sourcesOf, (account) => account.ask('listSources')) },
  getSource: 'It reads one source by its id.',
  updateSource: sourceOptions(async (account, { kind, options }) => {
    const whole = { kind, name: 's', options: { urls: ['https://sources.example/'] }, paused: true };
    const { source_id } = (await account.ask('createSource', whole)) as { source_id: string };
    await account.ask('updateSource', { source_id, options });
    await account.ask('deleteSource', { source_id });
  }),
  deleteSource: 'The case of Create Source deletes the source that it creates.',
  discoverSource: 'It looks at one address, whatever the account has.',
  testSource: sourceOptions((account, input) => account.ask('testSource', input)),
  redeliverWebhook: {
    'the matches since a time': grown(
      400,
      async (account, size) => {
        await matchesOf(account, size);
        return pausedWebhook(account);
      },
      (account, webhook_id) => account.ask('redeliverWebhook', { webhook_id, since: '2020-01-01T00:00:00Z' }),
    ),
  },
};

/** Posts of which each has words of its own. */
function posts(count: number, word: string): object[] {
  return Array.from({ length: count }, (_, at) => ({
    data: { id: String(at), text: `${word} word${at} more${at % 7}` },
  }));
}
