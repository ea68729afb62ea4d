/** Numbers of simulated worlds: those that run with every change and take seconds. Any number of further ones: `npm run simulate`. */
export const worlds = ({ from = 1, count }: { from?: number; count: number }): number[] =>
  Array.from({ length: count }, (_, i) => from + i);
