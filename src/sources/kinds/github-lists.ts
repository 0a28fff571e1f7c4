/** Lists of GitHub's API as feeds: events of a repository, and security advisories. */
import { z } from 'zod';
import type { Feed, FeedEntry } from '../feeds/feed.ts';
import { dateOf } from '../text/dates.ts';
import { jsonOf, lenient } from '../text/read-items.ts';
import { listOf } from './listed-items.ts';

const text = lenient(z.string());
const thing = lenient(z.looseObject({ title: text, name: text, tag_name: text, body: text, html_url: text }));
const eventShape = z.looseObject({
  id: z.string(),
  type: z.string(),
  actor: lenient(z.looseObject({ login: z.string() })),
  repo: z.looseObject({ name: z.string() }),
  created_at: text,
  payload: lenient(
    z.looseObject({
      action: text,
      ref: text,
      ref_type: text,
      comment: thing,
      review: thing,
      issue: thing,
      pull_request: thing,
      discussion: thing,
      release: thing,
      commits: lenient(z.array(z.looseObject({ message: z.string() }))),
    }),
  ),
});
type RepositoryEvent = z.output<typeof eventShape>;
type Payload = Partial<NonNullable<RepositoryEvent['payload']>>;

const advisoryShape = z.looseObject({
  ghsa_id: z.string(),
  cve_id: text,
  html_url: text,
  summary: text,
  description: text,
  severity: text,
  published_at: text,
  updated_at: text,
  vulnerabilities: lenient(
    z.array(z.looseObject({ package: z.looseObject({ ecosystem: text, name: text }).nullish() })),
  ),
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
  const { repo } = event;
  const payload: Payload = event.payload ?? {};
  const { issue, pull_request, discussion, release } = payload;
  const subject = payload.comment ?? payload.review ?? release ?? discussion ?? pull_request ?? issue;
  const about = issue ?? pull_request ?? discussion;
  const title = about?.title ?? release?.name ?? release?.tag_name ?? wordsOf(event);
  const messages = (payload.commits ?? []).map(({ message }) => message);
  return {
    id: event.id,
    link: subject?.html_url ?? about?.html_url ?? `https://github.com/${repo.name}`,
    title: `${repo.name}: ${title}`,
    content: subject?.body || messages.join('\n') || title,
    summary: '',
    published: dateOf(event.created_at ?? undefined),
    updated: undefined,
    language: undefined,
    ...(event.actor != null && { author: event.actor.login }),
    original: event,
  };
}

/** Such as `create tag v1.2`: the type without its ending, and what it was about. */
const wordsOf = ({ type, payload }: RepositoryEvent): string =>
  [
    type
      .replace(/Event$/, '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase(),
    payload?.ref_type,
    payload?.ref,
  ]
    .filter(Boolean)
    .join(' ');
