/** Both languages, as one platform level sees them. */
import type { Platform } from '../domain/platform.ts';
import { SHORT_HELP as FIREHOSE } from './firehose/help.ts';
import { firehoseLanguage } from './firehose/language.ts';
import type { Language } from './language.ts';
import { SHORT_HELP as X } from './x/help.ts';
import { type XOptions, xLanguage } from './x/language.ts';

export const languages = (x: XOptions = {}): Record<Platform, Language> => ({
  x: xLanguage(x),
  firehose: firehoseLanguage,
});

/** Both languages in short, for a reader who has little room. */
export const SHORT_HELP: Readonly<Record<Platform, string>> = { x: X, firehose: FIREHOSE };
