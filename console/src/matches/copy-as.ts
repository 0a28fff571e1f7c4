/** The filter as a program asks for it: with curl, on the command line, with the client. Pure. The key stays out of it. */
import type { FeedFilter } from '../data/feed-filter.ts';
import { curlOf, quoted } from './curl.ts';

export const COPIES = {
  curl: 'Copy as curl',
  cli: 'Copy as a sluice command',
  client: 'Copy for the client',
} as const;
export type CopyForm = keyof typeof COPIES;

export function copyOf(form: CopyForm, server: string, filter: FeedFilter): string {
  switch (form) {
    case 'curl':
      return curlOf(server, 'matches', filter);
    case 'cli':
      return commandOf(server, filter);
    case 'client':
      return programOf(server, filter);
  }
}

/** Every field of a filter has its option: one that the filter gains does not compile until it has one here. */
const OPTIONS = {
  rule_id: '--rule',
  platform: '--platform',
  since: '--since',
  until: '--until',
  text: '--text',
  story_id: '--story',
  author: '--author',
  domain: '--domain',
  language: '--language',
  source: '--source',
} as const satisfies Record<keyof FeedFilter, string>;

function commandOf(server: string, filter: FeedFilter): string {
  const given = (Object.keys(OPTIONS) as (keyof FeedFilter)[]).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`${OPTIONS[name]} ${quoted(value)}`];
  });
  return [`SLUICE_URL=${quoted(server)} SLUICE_API_KEY="$KEY" sluice matches --json`, ...given].join(' \\\n  ');
}

const programOf = (server: string, filter: FeedFilter): string => `import { createClient } from 'sluice/client';

const client = createClient({ url: ${JSON.stringify(server)}, key: process.env.KEY });
for await (const page of client.matches.pages(${JSON.stringify(filter, null, 2)})) {
  for (const match of page) console.log(match.id, match.rule_name);
}
`;

/** The address at which the server writes the same matches as Parquet. */
export const parquetAddress = (server: string, filter: FeedFilter, ticket: string): string =>
  `${server}export?${new URLSearchParams({ ...filter, format: 'parquet', ticket }).toString()}`;
