/** Reads what the model answered: three values, or nothing at all. */
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import type { MatchJudgement } from '../../domain/judgement.ts';
import { plainReason } from './judge-text.ts';

/** The prices of a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

export interface Answered {
  readonly judgement: Omit<MatchJudgement, 'at'> | undefined;
  /** The problem of an answer without a judgement. */
  readonly problem?: string | undefined;
  /** How long the server asks us to wait. */
  readonly retryAfterMs?: number | undefined;
  /** It is undefined when the server does not say, so the most counts. */
  readonly used?: { readonly money: number; readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** In millionths: a token at a price of one for a million costs one of them. */
export const moneyFor = ({ input, output }: TokenPrice, inputTokens: number, outputTokens: number): number =>
  Math.ceil(input * inputTokens + output * outputTokens);

const JSON_LIMITS = { depth: 4, keys: 20 };

const completion = z.object({
  choices: z
    .array(z.object({ finish_reason: z.string().nullable().optional(), message: z.object({ content: z.string() }) }))
    .min(1),
});
const tokens = z.int().min(0).max(1_000_000_000);
const usage = z.object({ usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }) });
const values = z.strictObject({
  relevant: z.boolean(),
  confidence: z.number().min(0).max(1).optional(),
  reason: z.string(),
});

export function readAnswer({ model, price }: { model: string; price: TokenPrice }, body: unknown): Answered {
  const counted = usage.safeParse(body).data?.usage;
  const used = counted && {
    money: moneyFor(price, counted.prompt_tokens, counted.completion_tokens),
    inputTokens: counted.prompt_tokens,
    outputTokens: counted.completion_tokens,
  };
  const problem = (words: string): Answered => ({ judgement: undefined, problem: words, used });
  const choice = completion.safeParse(body).data?.choices[0];
  if (choice === undefined) return problem('The judge’s answer is no chat completion.');
  if ((choice.finish_reason ?? 'stop') !== 'stop') return problem('The judge’s answer was cut off.');
  const parsed = parseJson(choice.message.content, JSON_LIMITS);
  const read = parsed.ok ? values.safeParse(parsed.value).data : undefined;
  if (read === undefined) return problem('The judge did not answer with the three values that it was asked for.');
  const reason = plainReason(read.reason);
  if (reason === undefined) return problem('The judge’s reason is too long, or hides something.');
  return { judgement: { ...read, reason, model }, used };
}
