/**
 * A client that knows only the specification, against the real program over HTTP: sentence by sentence. It is the same
 * whether one process answers or several stand behind the one that does.
 */
import { afterAll, beforeAll } from 'vitest';
import { addedOperationCases } from './service/added-operations.ts';
import { answerCases } from './service/answers.ts';
import { createRuleCases } from './service/create-rule.ts';
import { eventCases } from './service/events.ts';
import { keyCases } from './service/keys.ts';
import { matchCases } from './service/matches.ts';
import { pageCases } from './service/pages.ts';
import { ruleCases } from './service/rules.ts';
import { type ServiceUnderTest, type Stage, stageOf } from './service/stage.ts';
import { syntaxCases } from './service/syntax.ts';

const SETTINGS = { SLUICE_SUPPORT: 'help@sluice.test' };

/** The cases that several nodes must agree on. */
export const SHARED_CASES = [createRuleCases, ruleCases, matchCases, addedOperationCases, eventCases, keyCases];
/** All of it. The rest is told by any node alone. */
const ALL_CASES = [...SHARED_CASES, syntaxCases, answerCases, pageCases];

export function serviceSuite(
  open: (settings: Record<string, string>) => Promise<ServiceUnderTest>,
  cases: readonly ((stage: Stage) => void)[] = ALL_CASES,
): void {
  let server: ServiceUnderTest;
  beforeAll(async () => {
    server = await open(SETTINGS);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const stage = stageOf(() => server);
  for (const those of cases) those(stage);
}
