import { webhooksSuite } from '../black-box/webhooks-suite.ts';
import { describeWithNats } from '../stages/nats.ts';
import { onPostgresAndNats } from './shared-server.ts';

describeWithNats('webhooks on PostgreSQL and NATS', () => {
  webhooksSuite(onPostgresAndNats());
});
