import type { Webhook } from '../data/queries.ts';

/** The webhook's description, or its host or recipient if it has none. Several brokers of Kafka make no URL, so it is cut out. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description || (/^[a-z]+:(?:\/\/)?([^/?#]+)/.exec(url)?.[1] ?? url);
