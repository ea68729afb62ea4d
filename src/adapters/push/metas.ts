import type { Meta } from '../../domain/push/order.js';

/** The values of metas under the field that each name goes to, for sinks that know fields with several values. */
export const valuesByName = (
  metas: readonly Meta[],
  fieldOf: (name: string) => string,
): Readonly<Record<string, readonly string[]>> => {
  const groups = Map.groupBy(metas, ({ name }) => fieldOf(name));
  return Object.fromEntries(Array.from(groups, ([field, group]) => [field, group.map(({ value }) => value)]));
};
