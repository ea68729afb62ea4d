import { href } from './route.js';

/** Where a place of the configuration can be looked at and changed. */
export const placeLink = ({ file, line }: { file: string; line: number }, crawler?: string): string =>
  /\.xml$/i.test(file)
    ? href('/configuration', { crawler, view: 'xml', line })
    : href('/configuration', { crawler, view: 'other', file, line });
