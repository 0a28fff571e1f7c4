import type { Webhook } from '../data/queries.ts';

/** The webhook's description, or its host if it has none. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description || new URL(url).host;
