import { startServer } from './server.ts';
import { serviceSuite } from './service-suite.ts';

serviceSuite(startServer);
