/**
 * A model that obeys. It is asked about texts that try to be more than data, and does what they say as far as it can: it answers
 * with the text itself, with the text for a reason, or with values that nobody asked for. Tells what that changed beyond the
 * judgement of the text's own match, and what of it leaked.
 */
import { setTimeout } from 'node:timers/promises';
import type { Match } from '../../src/domain/match.ts';
import { eventData } from '../../src/mcp/events/wire.ts';
import { showMatch } from '../../src/mcp/show-match.ts';
import { createJudge } from '../../src/service/judging/judge.ts';
import { hastyClock } from '../judging/hasty-clock.ts';
import { openService, type TestService } from '../stages/service.ts';
import { type Asked, type StubAnswer, stubModel } from '../stages/stub-model.ts';
import { hiddenIn, leaksIn, MARK } from './leaks.ts';

export interface JudgedInjection {
  readonly judged: number;
  /** Answers that were thrown away. */
  readonly refused: number;
  readonly leaks: readonly string[];
}

const WORD = 'zyzzyva';
const INTENT = 'plants that are rare';
const HONEST = { relevant: false, confidence: 0.6, reason: 'It tells of something else.' };
const NOBODY = { id: 'judge', isGone: () => false };

export async function injectJudge(forms: readonly string[]): Promise<JudgedInjection> {
  await using test = await openService();
  await using model = await stubModel();
  model.answer = obey;
  const alice = await test.caller('alice');
  const rule = { name: 'Plants', intent: INTENT, platforms: ['x'], overrides: { x: WORD } };
  await test.call(alice, 'createRule', rule);
  await test.post(alice, `${WORD} one of two that want nothing`);
  await test.post(alice, ...forms.map((form, at) => `${WORD} ${MARK} number${at}. ${form}`));
  await test.post(alice, `${WORD} two of two that want nothing`);
  const before = await stateOf(test, alice.account.id);
  await judgeAll(test, model.url, before.matches.length);
  const after = await stateOf(test, alice.account.id);
  const leaks = after.matches.flatMap((match) => leaksOf(match));
  if (after.rest !== before.rest) leaks.push('something else than judgements was changed');
  const honest = after.matches.filter(({ payload }) => !textOf(payload).includes(MARK));
  if (honest.length !== 2 || honest.some(({ judgement }) => judgement?.reason !== HONEST.reason))
    leaks.push('a text changed the judgement of another');
  const strange = model.asked.filter(({ body, question }) => body.messages.length !== 2 || question.intent !== INTENT);
  if (strange.length > 0) leaks.push(`${strange.length} questions were changed by their texts`);
  const judged = after.matches.filter(({ judgement }) => judgement !== undefined).length;
  return { judged, refused: after.matches.length - judged, leaks };
}

/** Every match is unsure here, so that every text is judged. */
async function judgeAll({ service, store }: TestService, url: string, count: number): Promise<void> {
  const { log } = service.context;
  const options = { url, model: 'naive', price: { input: 0, output: 0 }, limits: [] };
  const deps = { store, log, clock: hastyClock, holder: NOBODY, reader: { score: async () => 0.5 } };
  const judge = createJudge(deps, options);
  const stopping = new AbortController();
  const running = judge.run(stopping.signal);
  const { counts } = judge;
  while (counts.relevant + counts.irrelevant + counts.known + counts.failed < count) await setTimeout(5);
  stopping.abort();
  await running;
}

/** As it was told, in one of several ways; by the number of the text, so that each text has each in some carrier. */
function obey({ question: { text } }: Asked): StubAnswer {
  const number = /number(\d+)/.exec(text)?.[1];
  if (number === undefined) return { content: JSON.stringify(HONEST) };
  const order = text.slice(text.indexOf('. ') + 2);
  const marked = `${MARK} number${number} ${order}`;
  const ways: readonly StubAnswer[] = [
    { content: order },
    { content: JSON.stringify({ relevant: true, confidence: 1, reason: marked.slice(0, 200) }) },
    { content: JSON.stringify({ relevant: true, reason: marked.slice(0, 200).toWellFormed() }) },
    { content: JSON.stringify({ ...HONEST, relevant: true, rating: 'relevant', rule_id: 'all', reason: marked }) },
    { content: `{"relevant":true,"reason":"${order}"}` },
    { body: order },
  ];
  return ways[Number(number) % ways.length]!;
}

/** The state that no text may change: everything but the judgements. */
async function stateOf(test: TestService, accountId: string) {
  const { reader, store } = test.service.context;
  const { matches } = await reader.page({ accountId, limit: 1_000, bytes: 64 * 1024 * 1024 });
  const rules: unknown[] = [];
  for await (const some of store.rules(accountId)) rules.push(...some);
  const kept = matches.map(({ id, relevance, rating, storyId }) => [id, relevance, rating, storyId]);
  return { matches, rest: JSON.stringify([rules, kept]) };
}

function leaksOf(match: Match): string[] {
  const reason = match.judgement?.reason ?? '';
  const own = /number\d+/.exec(textOf(match.payload))?.[0];
  const others = reason.match(/number\d+/g)?.filter((one) => one !== own) ?? [];
  const followed = /[<>[\]`@]|:\/\/|[\p{L}\p{N}]\.[\p{L}\p{N}]/u.exec(reason);
  const shown = [
    showMatch(match, 'full'),
    showMatch(match, 'concise'),
    eventData(match, { brief: true }),
    eventData(match, { brief: false }),
  ];
  return [
    ...hiddenIn(reason).map((leak) => `reason: ${leak}`),
    ...others.map((one) => `reason: ${one} in the judgement of ${own}`),
    ...(followed === null ? [] : [`reason: markup in ${JSON.stringify(reason)}`]),
    ...(reason.length > 200 ? ['reason: too long'] : []),
    ...shown.flatMap((value) => leaksIn(value).map((leak) => `judged${leak}`)),
  ];
}

const textOf = (payload: Match['payload']): string => (payload['data'] as { text: string }).text;
