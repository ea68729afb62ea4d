/** Query parameters are strings; anything but the two words is left for the validator to refuse. */
export const toBoolean = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);
