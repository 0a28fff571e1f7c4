/** A list of many entries, and an object of many, in place of any field of any operation: the work follows their number. */
import { describe, it } from 'vitest';
import { requestSchema } from '../../src/http/json-schemas.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { type Described, plain } from '../campaign/hostile-inputs.ts';
import { expectGrowth, upTo } from './doubling.ts';
import { listOf } from './grown.ts';
import { openStage } from './stage.ts';

/** More than the list of any request may have. */
const LARGEST = 5_000;

const GROWN: Readonly<Record<string, (size: number) => unknown>> = {
  list: (size) => listOf(size, (index) => `entry ${index}`),
  object: (size) => Object.fromEntries(listOf(size, (index) => [`key ${index}`, 'a'])),
};

describe.each(Object.keys(operations) as OperationName[])('%s', (name) => {
  const described: Described = requestSchema(operations[name].input);
  const fields = Object.keys(described.properties ?? {});
  it.each(Object.entries(GROWN))('takes a %s for a field, and looks at each entry once', async (_, make) => {
    await using stage = await openStage();
    const account = await stage.newAccount();
    for (const field of ['', ...fields]) {
      await expectGrowth({
        sizes: upTo(LARGEST),
        make: (size) =>
          field === '' ? (make(size) as object) : { ...(plain(described) as object), [field]: make(size) },
        work: async (input) => void (await account.ask(name, input).catch(refused)),
      });
    }
  });
});

function refused(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
