import { collectionsSuite } from '../black-box/collections-suite.ts';
import { hostileSuite } from '../black-box/hostile-suite.ts';
import { describeWithNats } from '../stages/nats.ts';
import { hasSharedData } from '../stages/shared-data.ts';
import { onPostgresAndNats } from './shared-server.ts';

describeWithNats('hostile requests on PostgreSQL and NATS', () => {
  const start = onPostgresAndNats();
  hostileSuite(start);
  // Where the data is missing, the run on SQLite says so.
  // A part of the strings is enough here: what the databases make of them is a matter of their conformance suite.
  if (hasSharedData) collectionsSuite(start, { share: 4 });
});
