/** A process does on PostgreSQL and NATS everything that it does on SQLite, wherever these have a part in it. */
import { stringsSuite } from '../black-box/collections-suite.ts';
import { crashSuite } from '../black-box/crash-suite.ts';
import { processSuite } from '../black-box/process-suite.ts';
import { streamSuite } from '../black-box/stream-suite.ts';
import { webhooksSuite } from '../black-box/webhooks-suite.ts';
import { describeWithNats } from '../stages/nats.ts';
import { onPostgresAndNats } from './shared-server.ts';

describeWithNats('a process on PostgreSQL and NATS', () => {
  const start = onPostgresAndNats();
  processSuite(start);
  // There is no file whose integrity could be looked at. More kills, and of every part, are in `fire.test.ts`.
  crashSuite(start, { kills: 2, integrity: undefined });
  streamSuite(start);
  webhooksSuite(start);
  // A part of the strings is enough here: what the databases make of them is a matter of their conformance suite.
  stringsSuite(start, 4);
});
