import { startServer } from './server.ts';
import { streamSuite } from './stream-suite.ts';

streamSuite(startServer);
