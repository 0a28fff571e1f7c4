/** Both languages, as one platform level sees them. */
import type { Platform } from '../domain/platform.ts';
import { firehoseLanguage } from './firehose/language.ts';
import type { Language } from './language.ts';
import { type XOptions, xLanguage } from './x/language.ts';

export const languages = (x: XOptions = {}): Record<Platform, Language> => ({
  x: xLanguage(x),
  firehose: firehoseLanguage,
});
