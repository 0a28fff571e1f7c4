/**
 * Everything about a rule before it is created, in one answer: whether it is valid, corrections, the other platform's
 * text, recent events that it would have matched, their cost, and how well it fits the intent. It creates nothing.
 */
import type { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Caller } from '../access/caller.ts';
import type { Job } from '../compute.ts';
import type { ReadContext } from '../context.ts';
import { type IntentNote, lintIntent } from '../rules/intent-lint.ts';
import { nearMisses } from './near-misses.ts';
import { previewRule } from './preview-rule.ts';
import { translateRule } from './translate-rule.ts';
import { validateRule } from './validate-rule.ts';

/** The upstreams' list price of one delivered match in US dollars. */
const LIST_PRICE: Record<Platform, number> = { x: 0.005, firehose: 0.005 };

export interface CheckRequest {
  readonly overrides: z.output<typeof previewRule.input>['overrides'];
  readonly options?: z.output<typeof previewRule.input>['options'];
  readonly intent?: string | undefined;
  /** How many matching recent events to return. */
  readonly limit: number;
  /** Whether the text for the other platform is wanted. It takes as long as the rest. */
  readonly translate: boolean;
}

export interface CheckedText {
  readonly verdict: z.input<typeof validateRule.output>;
  /** The translation for the other platform, if it was asked for and the text is valid. */
  readonly translation?: z.input<typeof translateRule.output>;
  readonly preview?: NonNullable<z.input<typeof previewRule.output>['platforms'][Platform]>;
  /** Only where recent events were tried and none matched. */
  readonly nearMisses?: z.input<typeof nearMisses.output>;
  /** At the upstream's list price; 0 on a platform of our own, which costs nothing. */
  readonly dollarsPerMatch?: number;
  readonly intentNotes: readonly IntentNote[];
}

export type CheckedTexts = Partial<Record<Platform, CheckedText>>;

export const checkRule: Job<ReadContext, { caller: Caller; request: CheckRequest }, CheckedTexts> = {
  name: 'checkRule',
  run: (context, { caller, request }) => checkTexts(context, caller, request),
};

async function checkTexts(
  context: ReadContext,
  caller: Caller,
  { overrides, options, intent = '', limit, translate }: CheckRequest,
): Promise<CheckedTexts> {
  const checked: CheckedTexts = {};
  for (const platform of PLATFORMS) {
    const value = overrides[platform];
    if (value === undefined) continue;
    const flags = platform === 'firehose' ? options : undefined;
    const verdict = await validateRule.run(context, caller, { platform, value, options: flags });
    if (!verdict.valid) {
      checked[platform] = { verdict, intentNotes: [] };
      continue;
    }
    const previewed = await previewRule.run(context, caller, {
      platforms: [platform],
      overrides: { [platform]: value },
      options: flags,
      limit,
    });
    const preview = previewed.platforms[platform]!;
    const isEmpty = preview.events > 0 && preview.matched === 0;
    checked[platform] = {
      verdict,
      ...(translate && { translation: await translateRule.run(context, caller, { platform, value }) }),
      preview,
      ...(isEmpty && {
        nearMisses: await nearMisses.run(context, caller, { platform, value, options: flags, limit: 0 }),
      }),
      dollarsPerMatch: context.platforms[platform].shape === 'local' ? 0 : LIST_PRICE[platform],
      intentNotes: lintIntent(platform, context.languages[platform].queryOf(value.trim())!, intent),
    };
  }
  return checked;
}
