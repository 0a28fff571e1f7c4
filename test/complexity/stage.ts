/** The cases of the complexity table work on these: one service in memory for each, and an account for each size. */
import type { Caller } from '../../src/service/access/caller.ts';
import { ServiceError } from '../../src/service/errors.ts';
import type { OperationName } from '../../src/service/operations.ts';
import { openService, type TestService } from '../stages/service.ts';

export interface Account {
  readonly caller: Caller;
  readonly test: TestService;
  /** Calls an operation. An answer that refuses the input counts as an answer: it was read. */
  ask(name: OperationName, input?: object): Promise<unknown>;
  /** Creates a rule for pages and answers its id. */
  rule(value: string): Promise<string>;
  /** Pushes pages; each needs an id. */
  pages(pages: readonly object[]): Promise<void>;
}

export interface Stage extends AsyncDisposable {
  newAccount(): Promise<Account>;
}

export async function openStage(): Promise<Stage> {
  const test = await openService({ delivery: { streams: 10_000 } });
  let accounts = 0;
  return {
    newAccount: () => newAccount(test, `account ${++accounts}`),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

async function newAccount(test: TestService, label: string): Promise<Account> {
  const caller = await test.caller(label, { xRules: 100_000 });
  return {
    caller,
    test,
    async ask(name, input = {}) {
      try {
        return await test.call(caller, name, input);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'invalid_argument') throw error;
        return error.details;
      }
    },
    async rule(value) {
      const { rule_id } = await test.call(caller, 'createRule', {
        name: 'n',
        intent: '',
        platforms: ['firehose'],
        overrides: { firehose: value },
      });
      return rule_id;
    },
    async pages(pages) {
      const lines = pages.map((page) => JSON.stringify(page)).join('\n');
      const { rejected } = await test.call(caller, 'pushEvents', { platform: 'firehose', lines });
      if (rejected.length > 0) throw new Error(JSON.stringify(rejected[0]));
    },
  };
}
