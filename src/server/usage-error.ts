/** A mistake in flags or environment: told in one sentence, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
