/** Both languages in short, for a reader who has little room. */
import type { Platform } from '../domain/platform.ts';
import { SHORT_HELP as FIREHOSE } from './firehose/help.ts';
import { SHORT_HELP as X } from './x/help.ts';

export const SHORT_HELP: Readonly<Record<Platform, string>> = { x: X, firehose: FIREHOSE };
