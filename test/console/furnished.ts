/** An account that is in use: rules that match the demo feed, webhooks that take and that refuse, keys. */

import type { Started } from '../black-box/server.ts';
import { until } from '../stages/receiver.ts';

export interface Furnished {
  readonly ruleId: string;
  readonly webhookId: string;
}

const RULES = [
  {
    name: 'Volcano watch',
    intent: 'Tell me when a volcano erupts, wherever it is first said.',
    overrides: { x: '(volcano OR lava OR eruption) lang:en', firehose: 'title:volcano OR added:lava' },
  },
  {
    name: 'Launches',
    intent: 'Rockets and products that are launched, for the morning report.',
    overrides: { x: '(launch OR #launch) -is:retweet', firehose: 'added:launch' },
  },
  {
    name: 'Outages near us',
    intent: 'Broken networks and sites, so that support knows before the calls come.',
    overrides: { x: 'outage OR "status page"', firehose: 'title:status OR added:outage' },
  },
  {
    name: 'Open source releases',
    intent: 'New versions of what we build on.',
    overrides: { x: '"open source" has:links' },
  },
  { name: 'Football results', intent: 'Full time, and who scored.', overrides: { x: '"full time" OR hat-trick' } },
  {
    name: 'Unicorn sightings',
    intent: 'Kept to see how a rule without matches is shown.',
    overrides: { x: 'unicorn sighting' },
  },
  { name: 'Well-known sites', intent: 'All that they publish, on trial.', overrides: { firehose: 'dr:[70 TO *]' } },
] as const;

export async function furnish(
  server: Pick<Started, 'call'>,
  urls: { refusing: string; taking: string },
): Promise<Furnished> {
  const ask = async (path: string, body: object) => {
    const answer = await server.call('POST', path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const ids: string[] = [];
  for (const rule of RULES) {
    const { rule_id } = await ask('/api.CreateRule', { ...rule, platforms: Object.keys(rule.overrides) });
    ids.push(rule_id as string);
  }
  await ask('/api.UpdateRule', { rule_id: ids[4], paused: true });
  const webhook = await ask('/api.CreateWebhook', { url: `${urls.taking}/newsroom`, description: 'Newsroom' });
  await ask('/api.CreateWebhook', {
    url: `${urls.refusing}/archive`,
    description: 'Archive of outages',
    rule_ids: [ids[2]],
  });
  await ask('/api.CreateKey', { name: 'dashboard', scope: 'read' });
  await ask('/api.CreateKey', { name: 'importer', scope: 'ingest', expires_at: '2027-01-01T00:00:00Z' });
  return { ruleId: ids[0]!, webhookId: webhook['webhook_id'] as string };
}

/** Resolves when there are this many matches of the demo feed. */
export async function untilMatches(server: Started, count: number): Promise<void> {
  await until(async () => {
    const { body } = await server.call('POST', '/matches', { limit: count });
    return (body['matches'] as unknown[]).length === count;
  });
}
