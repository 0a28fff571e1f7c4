// Writes docs/configuration.md from the table of settings; a test keeps the two in step.
import { writeFileSync } from 'node:fs';
import { printSettings } from '../src/app/settings.ts';

writeFileSync(new URL('../docs/configuration.md', import.meta.url), printSettings());
