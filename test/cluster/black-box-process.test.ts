import { crashSuite } from '../black-box/crash-suite.ts';
import { processSuite } from '../black-box/process-suite.ts';
import { describeWithNats } from '../stages/nats.ts';
import { onPostgresAndNats } from './shared-server.ts';

describeWithNats('a process on PostgreSQL and NATS', () => {
  const start = onPostgresAndNats();
  processSuite(start);
  // There is no file whose integrity could be looked at. More kills, and of every part, are in `fire.test.ts`.
  crashSuite(start, { kills: 5, integrity: undefined });
});
