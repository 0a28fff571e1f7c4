/** A program that has nothing more to do than to close its store: `node closer.ts FILE`. It says so when that is done. */
import { openSqlite } from '../../src/store/sqlite.ts';

const store = await openSqlite(process.argv[2]!);
await store.addAccount({ id: 'acct_1', name: 'one', plan: 'paid', xRules: 1, createdAt: new Date(0) });
await store[Symbol.asyncDispose]();
process.stdout.write('closed');
