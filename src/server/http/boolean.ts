/** Query strings carry text; anything but the two words stays as it is, for the validator to refuse. */
export const asBoolean = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);
