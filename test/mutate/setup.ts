/** Before each test file, while the reach of tests is recorded. */
import { afterEach, beforeEach } from 'vitest';

beforeEach(({ task }) => globalThis.sluiceRecorder?.enter(task.id));
afterEach(() => globalThis.sluiceRecorder?.leave());
