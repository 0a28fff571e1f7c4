/** A rehearsal on the recent events. New events come meanwhile, so that it cannot be gone on with: it is one job, whole. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Language } from '../../rules/language.ts';
import type { Texts } from '../../rules/rule-text.ts';
import type { RecentEvent, Store } from '../../store/store.ts';
import type { Job } from '../compute.ts';
import { createRehearser, foundBy, type Rehearsed, type Rehearser } from './rehearser.ts';

export interface RecentWorld {
  readonly store: Pick<Store, 'recentEvents'>;
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly settings: { readonly recentEvents: number };
  checkpoint(): void;
}

interface RecentRequest {
  readonly accountId: string;
  readonly texts: Texts;
}

export const rehearseRecent: Job<RecentWorld, RecentRequest, Rehearsed> = {
  name: 'rehearseRecent',
  async run({ store, languages, settings, checkpoint }, { accountId, texts }) {
    const rehearser = createRehearser({ texts, languages, isNewestFirst: true });
    for (const platform of PLATFORMS.filter((name) => texts[name] !== undefined)) {
      const recent = () => store.recentEvents(accountId, platform, settings.recentEvents);
      for await (const slice of recent()) {
        for (const { event, at } of slice) {
          const { postId, payload, source } = event;
          const work = rehearser.take({ platform, postId, payload, source, at: at.getTime() });
          if (typeof work !== 'number') await work;
          checkpoint();
        }
      }
      await showStories(rehearser, rehearser.tellStories(platform, checkpoint), recent(), checkpoint);
    }
    return foundBy(rehearser, true);
  },
};

/** Which stories are the largest is known in the end, and payloads are not kept until then: these are looked for once more. */
async function showStories(
  rehearser: Rehearser,
  wanted: Map<string, number>,
  recent: AsyncIterable<readonly RecentEvent[]>,
  checkpoint: () => void,
): Promise<void> {
  if (wanted.size === 0) return;
  for await (const slice of recent) {
    for (const { event, at } of slice) {
      checkpoint();
      const { platform, postId, payload, source } = event;
      const number = wanted.get(postId);
      if (number === undefined) continue;
      rehearser.showStory(number, { platform, postId, at, payload, source, highlights: [] });
      wanted.delete(postId);
      if (wanted.size === 0) return;
    }
  }
}
