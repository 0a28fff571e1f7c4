/** The analyzer of each platform: from a payload to the view that rules are matched on. */
import type { Platform } from '../../domain/platform.ts';
import type { Analyzer } from './event-view.ts';
import { pageAnalyzer } from './page-event.ts';
import { xAnalyzer } from './x-event.ts';

const ANALYZERS: Record<Platform, () => Analyzer> = { x: xAnalyzer, firehose: pageAnalyzer };

/** Each caller makes its own analyzer: a view stays valid until its analyzer is used again. */
export const newAnalyzer = (platform: Platform): Analyzer => ANALYZERS[platform]();
