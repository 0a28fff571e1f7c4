/** A rehearsal on the recent events. New events come meanwhile, so that it cannot be gone on with: it is one job, whole. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Language } from '../../rules/language.ts';
import type { Texts } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import type { Job } from '../compute.ts';
import { createRehearser, foundBy, type Rehearsed } from './rehearser.ts';

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
    const rehearser = createRehearser({ texts, languages });
    for (const platform of PLATFORMS.filter((name) => texts[name] !== undefined)) {
      for await (const slice of store.recentEvents(accountId, platform, settings.recentEvents)) {
        for (const { event, at } of slice) {
          const { payload, source } = event;
          const work = rehearser.take({ platform, payload, source, at: at.getTime() });
          if (typeof work !== 'number') await work;
          checkpoint();
        }
      }
    }
    return foundBy(rehearser, true);
  },
};
