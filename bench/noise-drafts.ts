/** How drafted rules do against the keywords by which the posts were collected. Drafted on one half, judged on the other. */
import { languages } from '../src/rules/languages.ts';
import { draftFromExamples, fitsOf } from '../src/service/suggestions/draft-from-examples.ts';
import { partingOf } from '../src/signal/draft.ts';
import { sharedJson } from '../test/stages/shared-data.ts';
import { randomFrom } from './random.ts';

interface LabelledPost {
  readonly event: string;
  readonly text: string;
  readonly label: string;
}

interface Collection {
  readonly event: string;
  readonly keywords: readonly string[];
}

/** As many as Draft Rule takes. */
const MAX_EXAMPLES = 500;
const MIN_UNWANTED = 5;
const SEEDS = [1, 2, 3];

export async function draftFigures(events: readonly (readonly LabelledPost[])[]): Promise<Record<string, unknown>> {
  const collections = sharedJson<Collection[]>('noise/crisis-events.json');
  const rounds: { drafted: number; collected: number; length: number }[] = [];
  for (const posts of events) {
    const { keywords } = collections.find(({ event }) => event === posts[0]!.event)!;
    for (const seed of SEEDS) {
      const round = await draftRound(posts, keywords, seed);
      if (round !== undefined) rounds.push(round);
    }
  }
  const mean = (of: 'drafted' | 'collected' | 'length') =>
    Math.round((rounds.reduce((sum, round) => sum + round[of], 0) / rounds.length) * 1_000) / 1_000;
  return {
    "drafts: F1, the collectors' keywords": [mean('drafted'), mean('collected')],
    'drafts: at least as good on': `${rounds.filter(({ drafted, collected }) => drafted >= collected).length} of ${rounds.length} halves of events`,
    'drafts: characters of a rule': mean('length'),
  };
}

async function draftRound(posts: readonly LabelledPost[], keywords: readonly string[], seed: number) {
  const random = randomFrom(seed);
  const side = posts.map((post) => ({ post, isShown: random() < 0.5 }));
  const of = (isShown: boolean, isWanted: boolean) =>
    side
      .filter((one) => one.isShown === isShown && (one.post.label !== 'unrelated') === isWanted)
      .map(({ post }, at) => ({ data: { id: String(at), text: post.text } }));
  const examples = { wanted: of(true, true).slice(0, MAX_EXAMPLES), unwanted: of(true, false).slice(0, MAX_EXAMPLES) };
  if (examples.unwanted.length < MIN_UNWANTED) return undefined;
  const work = { language: languages({ local: true }).x, now: 0, checkpoint: () => {} };
  const [draft] = draftFromExamples(work, examples);
  const collected = [...new Set(keywords)].map((keyword) => (keyword.includes(' ') ? `(${keyword})` : keyword));
  const judged = fitsOf(work, [draft!.value, collected.join(' OR ')], {
    wanted: of(false, true),
    unwanted: of(false, false),
  });
  const [drafted, byKeywords] = judged.map(({ fit }) =>
    partingOf(fit.wanted_matched, fit.wanted, fit.unwanted_matched),
  );
  return { drafted: drafted!, collected: byKeywords!, length: draft!.value.length };
}
