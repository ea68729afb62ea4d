/** A mistake in flags or environment: reported in one sentence, without a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
