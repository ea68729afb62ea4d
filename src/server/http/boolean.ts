/** Query parameters are strings; anything other than `true` and `false` is left for the validator to refuse. */
export const toBoolean = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);
