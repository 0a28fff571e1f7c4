/** Example rules that match events of the demo feed within seconds. */
import type { Platform } from '../data/queries.ts';

export interface ExampleRule {
  readonly id: string;
  readonly name: string;
  readonly intent: string;
  readonly texts: Readonly<Record<Platform, string>>;
}

export const EXAMPLES: readonly ExampleRule[] = [
  {
    id: 'volcano',
    name: 'Volcano news',
    intent: 'Tell me when a volcano erupts',
    texts: {
      x: '(volcano OR lava OR eruption) lang:en -is:retweet',
      firehose: 'title:volcano OR added:(lava OR eruption)',
    },
  },
  {
    id: 'outages',
    name: 'Broadband outages',
    intent: 'Outages of broadband, internet or fibre',
    texts: {
      x: 'outage (broadband OR internet OR fibre)',
      firehose: 'outage AND (broadband OR internet OR fibre)',
    },
  },
  {
    id: 'launches',
    name: 'Launches',
    intent: 'Rockets and products that are launched',
    texts: { x: '#launch OR "pre-order"', firehose: 'launch AND NOT removed:launch' },
  },
];
