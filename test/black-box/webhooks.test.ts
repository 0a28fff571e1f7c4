import { startServer } from './server.ts';
import { webhooksSuite } from './webhooks-suite.ts';

webhooksSuite(startServer);
