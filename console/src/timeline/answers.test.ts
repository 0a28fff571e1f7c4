import { describe, expect, it } from 'vitest';
import { answersOf } from './answers.ts';

const answered = { data: [], error: null, isEnabled: true, isPlaceholderData: false };

describe('the answers of the timeline', () => {
  it('are awaited while one is not here, or is that to an earlier question', () => {
    expect(answersOf({ rules: [answered] }).isUpdating).toBe(false);
    expect(answersOf({ rules: [answered], changes: [{ ...answered, data: undefined }] }).isUpdating).toBe(true);
    expect(answersOf({ changes: [{ ...answered, isPlaceholderData: true }] }).isUpdating).toBe(true);
    expect(answersOf({ changes: [{ ...answered, data: undefined, isEnabled: false }] }).isUpdating).toBe(false);
  });

  it('that failed are told once for each that was asked for, and awaited no longer', () => {
    const failed = { ...answered, data: undefined, error: new Error('It is busy.') };
    expect(answersOf({ deliveries: [answered, failed, failed], changes: [failed] })).toEqual({
      isUpdating: false,
      failures: [
        'Not all is shown here: deliveries could not be loaded. It is busy.',
        'Not all is shown here: changes could not be loaded. It is busy.',
      ],
    });
  });
});
