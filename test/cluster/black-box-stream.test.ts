import { streamSuite } from '../black-box/stream-suite.ts';
import { describeWithNats } from '../stages/nats.ts';
import { onPostgresAndNats } from './shared-server.ts';

describeWithNats('streams on PostgreSQL and NATS', () => {
  streamSuite(onPostgresAndNats());
});
