/** Lists of GitHub's API as feeds: events of a repository, and security advisories. */
import { z } from 'zod';
import type { Feed, FeedEntry } from '../feeds/feed.ts';
import { dateOf } from '../text/dates.ts';
import { jsonOf } from '../text/json.ts';
import { listOf } from './listed-items.ts';

const text = z.string().nullish().catch(undefined);
const thing = z
  .looseObject({ title: text, name: text, tag_name: text, body: text, html_url: text })
  .nullish()
  .catch(undefined);
const eventShape = z.looseObject({
  id: z.string(),
  type: z.string(),
  actor: z.looseObject({ login: z.string() }).optional().catch(undefined),
  repo: z.looseObject({ name: z.string() }),
  created_at: text,
  payload: z
    .looseObject({
      action: text,
      ref: text,
      ref_type: text,
      comment: thing,
      review: thing,
      issue: thing,
      pull_request: thing,
      discussion: thing,
      release: thing,
      commits: z.array(z.looseObject({ message: z.string() })).catch([]),
    })
    .catch({ commits: [] }),
});
type RepositoryEvent = z.output<typeof eventShape>;

const advisoryShape = z.looseObject({
  ghsa_id: z.string(),
  cve_id: text,
  html_url: text,
  summary: text,
  description: text,
  severity: text,
  published_at: text,
  updated_at: text,
  vulnerabilities: z
    .array(z.looseObject({ package: z.looseObject({ ecosystem: text, name: text }).nullish() }))
    .nullish()
    .catch([]),
});

/** Releases come by their feed where that is read: then they are left out here. */
export const eventsIn = (json: string, { releases }: { readonly releases: boolean }): Feed | undefined =>
  listOf(jsonOf(json), eventShape, (event) =>
    releases && event.type === 'ReleaseEvent' ? undefined : entryOfEvent(event),
  );

export const advisoriesIn = (json: string): Feed | undefined =>
  listOf(jsonOf(json), advisoryShape, (advisory) => {
    const packages = (advisory.vulnerabilities ?? []).flatMap(({ package: one }) => one?.name ?? []);
    const id = advisory.cve_id == null ? advisory.ghsa_id : `${advisory.ghsa_id}, ${advisory.cve_id}`;
    return {
      id: advisory.ghsa_id,
      link: advisory.html_url ?? undefined,
      title: `${id}: ${advisory.summary ?? ''}`,
      content: [[...new Set(packages)].join(', '), advisory.severity, advisory.description].filter(Boolean).join('\n'),
      summary: '',
      published: dateOf(advisory.published_at ?? undefined),
      updated: dateOf(advisory.updated_at ?? undefined),
      language: 'en',
      original: advisory,
    };
  });

function entryOfEvent(event: RepositoryEvent): FeedEntry {
  const { payload, repo } = event;
  const { issue, pull_request, discussion, release } = payload;
  const subject = payload.comment ?? payload.review ?? release ?? discussion ?? pull_request ?? issue;
  const about = issue ?? pull_request ?? discussion;
  const title = about?.title ?? release?.name ?? release?.tag_name ?? wordsOf(event);
  const messages = payload.commits.map(({ message }) => message);
  return {
    id: event.id,
    link: subject?.html_url ?? about?.html_url ?? `https://github.com/${repo.name}`,
    title: `${repo.name}: ${title}`,
    content: subject?.body || messages.join('\n') || title,
    summary: '',
    published: dateOf(event.created_at ?? undefined),
    updated: undefined,
    language: undefined,
    ...(event.actor !== undefined && { author: event.actor.login }),
    original: event,
  };
}

/** Such as `create tag v1.2`: the type without its ending, and what it was about. */
const wordsOf = ({ type, payload: { ref_type, ref } }: RepositoryEvent): string =>
  [
    type
      .replace(/Event$/, '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase(),
    ref_type,
    ref,
  ]
    .filter(Boolean)
    .join(' ');
